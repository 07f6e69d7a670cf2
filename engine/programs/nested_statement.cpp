#include "engine/programs/nested_statement.h"

#include <algorithm>
#include <charconv>

#include "base/fiber/interrupt_error.h"
#include "base/fiber/stack.h"
#include "base/fiber/wait_point.h"
#include "base/raised_error.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/ddl/ddl.h"
#include "engine/programs/active_view.h"
#include "engine/programs/routine.h"
#include "engine/programs/row_catcher.h"
#include "engine/session/portal/preparation.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_counter.h"
#include "engine/session/statement_runner.h"
#include "engine/session/statement_scope.h"
#include "engine/utility/utility.h"
#include "sql/parse/parser.h"
#include "sql/plan/rewrite/fold.h"
#include "storage/transaction.h"
#include "types/oids.h"

namespace indigo::engine::programs {

namespace {

// What CREATE TABLE AS, CREATE MATERIALIZED VIEW and COPY say that they have written.
uint64_t rows_of_tag(std::string_view tag) {
  uint64_t rows = 0;
  for (const std::string_view word : {"SELECT ", "COPY "}) {
    if (tag.starts_with(word)) std::from_chars(tag.data() + word.size(), tag.data() + tag.size(), rows);
  }
  return rows;
}

const char* change_name(sql::CommandKind command) {
  switch (command) {
    case sql::CommandKind::kInsert: return "INSERT";
    case sql::CommandKind::kUpdate: return "UPDATE";
    case sql::CommandKind::kDelete: return "DELETE";
    case sql::CommandKind::kMerge: return "MERGE";
    default: return "SELECT FOR UPDATE";
  }
}

Error not_allowed(const std::string& what) {
  return Error(sqlstate::kFeatureNotSupported, what + " is not allowed in a non-volatile function");
}

}  // namespace

NestedStatement::~NestedStatement() = default;

Status NestedStatement::prepare(SessionParts& session, bool for_cursor) {
  // Planning compares keys of partitions.
  return catch_raised([&]() -> Status {
    if (prepared_ != nullptr) return session.preparation().refresh(prepared_);
    INDIGO_TRY(check_stack_depth());
    INDIGO_ASSIGN(prepared_, session.preparation().prepare(parsed_, {}, false, {}, {}, for_cursor));
    return {};
  });
}

Status NestedStatement::check_constants(SessionParts& session) const {
  if (prepared_->plan == nullptr) return {};
  const sql::PlannedStatement& plan = *prepared_->plan;
  if (plan.root->kind != sql::PlanKind::kResult || !plan.root->inputs.empty()) return {};
  const auto& root = static_cast<const sql::ResultPlan&>(*plan.root);
  for (const sql::ExprPtr& e : root.projection) INDIGO_TRY(sql::planning::folding_failure(session.context(), e));
  return root.condition == nullptr ? Status() : sql::planning::folding_failure(session.context(), root.condition);
}

const std::shared_ptr<const NestedStatement::Columns>& NestedStatement::columns(SessionParts& session) {
  if (columns_ != nullptr && columns_->of == prepared_) return columns_;
  auto columns = std::make_shared<Columns>();
  columns->of = prepared_;
  const sql::PlannedStatement& plan = *prepared_->plan;
  for (size_t i = 0; i < plan.targets.size(); i++) {
    const sql::TypeRef& type = plan.root->columns[i].type;
    columns->types.push_back(type.oid == oid::kUnknown ? type_of(session, oid::kText) : type);
    columns->names.push_back(plan.targets[i].name);
  }
  columns->shape = shape_of(columns->types, columns->names);
  columns_ = std::move(columns);
  return columns_;
}

std::unique_ptr<Execution> NestedStatement::take_execution(SessionParts& session, uint64_t catalog_version) {
  if (idle_plan_ != prepared_->plan.get() || idle_version_ != catalog_version) {
    idle_.clear();
    idle_plan_ = prepared_->plan.get();
    idle_version_ = catalog_version;
  }
  if (idle_.empty()) return session.statement_counter().execution(prepared_);
  auto execution = std::move(idle_.back());
  idle_.pop_back();
  return execution;
}

void NestedStatement::return_execution(std::unique_ptr<Execution> execution, const sql::PlannedStatement* of,
                                       uint64_t catalog_version) {
  execution->close();
  if (of == idle_plan_ && catalog_version == idle_version_ && idle_.size() < 2) idle_.push_back(std::move(execution));
}

Result<NestedStatement::Outcome> NestedStatement::run(SessionParts& session, std::span<const Datum> parameters,
                                                      bool may_change, uint64_t most, const Rows& rows) {
  INDIGO_TRY(check_stack_depth());
  // Functions that call functions may take long without a loop.
  session.waiter().yield_if_due();
  if (const InterruptReason reason = session.waiter().interrupted(); reason != InterruptReason::kNone)
    return interrupt_error(reason);
  INDIGO_TRY(prepare(session));
  if (prepared_->is_utility()) return run_utility(session, parameters, may_change, rows);
  return run_plan(session, parameters, may_change, most, rows);
}

Result<NestedStatement::Outcome> NestedStatement::run_plan(SessionParts& session, std::span<const Datum> parameters,
                                                           bool may_change, uint64_t most, const Rows& rows) {
  if (!may_change && !prepared_->plan->read_only) return not_allowed(change_name(prepared_->plan->command));
  INDIGO_TRY(session.runner().check_allowed(*prepared_));
  INDIGO_TRY(session.runner().lock_relations(prepared_, parameters));
  const PreparedPtr prepared = prepared_;  // it may be planned again while it runs
  storage::ReadView view = session.scope().nested_view(may_change);
  if (!prepared->before.empty()) {
    INDIGO_TRY(session.runner().run_rule_queries(prepared->before, parameters, nullptr));
    session.transaction().next_command();
    view = session.transaction().view();
  }
  ActiveView active(session.scope().active_view(), view, prepared->plan.get());
  const uint64_t version = session.session_catalog().version();
  auto execution = take_execution(session, version);
  Outcome outcome;
  if (prepared->text_shape != nullptr) outcome.columns = columns(session);
  const auto pull = [&]() -> Status {
    ExecutionContext context = session.scope().execution_context(view, parameters);
    context.text = shown_text_;
    INDIGO_TRY(execution->open(context));
    for (;;) {
      const uint64_t wanted = most == 0 ? 0 : most - outcome.rows;
      INDIGO_ASSIGN(const Chunk* chunk, execution->next(static_cast<uint32_t>(std::min<uint64_t>(wanted, UINT32_MAX))));
      if (chunk == nullptr) break;
      outcome.rows += chunk->rows();
      if (rows) {
        INDIGO_ASSIGN(const bool more, rows(*chunk));
        if (!more) break;
      }
      if (most != 0 && outcome.rows >= most) break;
    }
    return {};
  };
  Status status = pull();
  if (!status.ok()) execution->abandon();
  if (status.ok() && prepared->plan->command != sql::CommandKind::kSelect) outcome.rows = execution->affected_rows();
  return_execution(std::move(execution), prepared->plan.get(), version);
  INDIGO_TRY(std::move(status));
  INDIGO_TRY(session.runner().run_rule_queries(prepared->after, parameters, nullptr));
  return outcome;
}

Result<NestedStatement::Outcome> NestedStatement::run_utility(SessionParts& session, std::span<const Datum> parameters,
                                                              bool may_change, const Rows& rows) {
  const UtilityStatement* statement = find_utility(parsed_->node);
  const std::string name = statement_name(parsed_->node);
  if (statement == nullptr) return Error(sqlstate::kFeatureNotSupported, name + " is not supported");
  if (!may_change) return not_allowed(name);
  if (statement->needs_transaction) session.scope().nested_view(true);  // else it looks at no rows
  utility_shape_ = nullptr;
  if (statement->describe != nullptr) {
    INDIGO_ASSIGN(utility_shape_, statement->describe(session, *parsed_));
  }
  const std::shared_ptr<const ResultShape> shape = utility_shape_;
  RowCatcher catcher(session, rows);
  Outcome outcome;
  StatementCounter::Run count(session.statement_counter(), prepared_);
  UtilityCall call{session,     *parsed_, parsed_->node, parameters, prepared_->parameter_types,
                   shape.get(), catcher,  outcome.tag,   false,      may_commit_};
  INDIGO_TRY(catch_raised([&] { return engine::run_utility(*statement, call); }));
  count.ended(outcome.tag);
  session.transaction().next_command();
  outcome.rows = std::max(catcher.row_count(), rows_of_tag(outcome.tag));
  return outcome;
}

Result<std::vector<std::shared_ptr<const ParsedStatement>>> parse_statements(
    std::string_view text, const std::shared_ptr<const sql::VariableScope>& variables) {
  INDIGO_ASSIGN(const auto tree, sql::parse(text));
  std::vector<std::shared_ptr<const ParsedStatement>> out;
  const SharedText whole = share_text(text);
  for (const auto& statement : tree->statements()) {
    auto parsed = std::make_shared<ParsedStatement>();
    *parsed = {tree, statement.node, whole, statement.location, statement.length, variables};
    out.push_back(std::move(parsed));
  }
  return out;
}

}  // namespace indigo::engine::programs
