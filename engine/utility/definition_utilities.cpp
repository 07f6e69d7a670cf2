// The session as host of engine/ddl.
#include <algorithm>
#include <memory>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/ddl/ddl.h"
#include "engine/ddl/event/altered_object.h"
#include "engine/instance_impl.h"
#include "engine/programs/trigger_caller.h"
#include "engine/session/auto_explain.h"
#include "engine/session/current_message.h"
#include "engine/session/portal/portals.h"
#include "engine/session/portal/preparation.h"
#include "engine/session/portal/prepared_statements.h"
#include "engine/session/required_privileges.h"
#include "engine/session/session_parts.h"
#include "engine/session/session_roles.h"
#include "engine/session/statement_counter.h"
#include "engine/session/statement_runner.h"
#include "engine/session/statement_scope.h"
#include "engine/session/transaction_block.h"
#include "engine/statement/result_shape.h"
#include "engine/utility/definition_host.h"
#include "engine/utility/execute_parameters.h"
#include "engine/utility/families.h"
#include "sql/parse/parse_tree.h"
#include "sql/parse/parser.h"
#include "storage/transaction.h"

namespace indigo::engine {

Status DefinitionHost::run_query(std::string_view sql, const Rows& rows) {
  session_.preparation().set_ignores_row_security(true);
  Status done = run_text(sql, Source::kDefinition, rows);
  session_.preparation().set_ignores_row_security(false);
  return done;
}

Status DefinitionHost::run_query_as(Oid role, std::string_view sql, const Rows& rows) {
  const SessionRoles::Acting acting(session_.roles(), role, SessionRoles::Bound::kOperation);
  const uint32_t settings = session_.settings().mark();
  Status done = run_text(sql, Source::kRole, rows);
  if (done.ok()) session_.settings().rollback_to(settings);  // what its functions have set
  return done;
}

namespace {
struct Owner {
  Owner(SessionParts& of, Oid role)
      : session(of), acting(of.roles(), role, SessionRoles::Bound::kOperation), settings(of.settings().mark()) {}
  ~Owner() { session.settings().rollback_to(settings); }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  SessionParts& session;
  const SessionRoles::Acting acting;
  const uint32_t settings;
};
}  // namespace

Status DefinitionHost::change_subscriptions(Oid stopped) {
  INDIGO_ASSIGN(std::shared_ptr<void> change, session_.instance().subscription_workers().change(stopped));
  session_.block().keep(std::move(change));
  return {};
}

std::shared_ptr<void> DefinitionHost::act_as(Oid role) { return std::make_shared<Owner>(session_, role); }

Status DefinitionHost::run_text(std::string_view sql, Source source, const Rows& rows) {
  INDIGO_ASSIGN(auto tree, sql::parse(sql));
  if (tree->statements().size() != 1) return Error(sqlstate::kInternalError, "one statement expected");
  ParsedStatement parsed;
  parsed.tree = tree;
  parsed.whole_text = share_text(sql);
  return run(
      parsed, tree->statements()[0].node, source, [](const ResultShape&) { return Status(); }, rows);
}

Status DefinitionHost::run_query(const PgQuery__Node* select, std::string_view text, const Shape& shape,
                                 const Rows& rows) {
  ParsedStatement parsed;
  if (statement_ != nullptr) {
    parsed = *statement_;
  } else {
    parsed.whole_text = share_text(text);
  }
  return run(parsed, select, Source::kStatement, shape, rows);
}

void DefinitionHost::end_maintenance(Oid database) {
  session_.instance().auto_analyzer().leave(database);
  session_.instance().table_activity().forget(database);
  session_.instance().scan_counts().forget(database);
  // Slots go with their database; those in use have a session there.
  replication::ChangeStream& stream = session_.instance().change_stream();
  for (const replication::SlotInfo& slot : stream.slots()) {
    if (slot.database == database) (void)stream.drop(slot.name, false, session_.pid());
  }
}

void DefinitionHost::analyzed(const catalog::RelationInfo& relation, uint64_t changes) {
  const bool automatic = session_.pid() == 0;  // the instance's own session
  session_.instance().table_activity().analyzed(session_.session_catalog().database(), relation, changes, automatic);
}

bool DefinitionHost::is_being_read(Oid relation) {
  for (const auto& [name, portal] : session_.portals().named()) {
    // The unnamed portal yields to the next statement; what has outlived its transaction reads its own copy.
    if (name.empty() || portal->created_at_depth == SIZE_MAX) continue;
    if (portal->prepared == nullptr || portal->prepared->plan == nullptr) continue;  // an empty text, a utility
    for (const auto& dependency : portal->prepared->plan->relations) {
      if (dependency.relation->oid == relation) return true;
    }
  }
  // A program's definitions meet the statements that called it.
  for (const ActiveView* v = session_.scope().active_view(); v != nullptr; v = v->outer()) {
    if (v->plan() == nullptr) continue;
    for (const auto& dependency : v->plan()->relations) {
      // DELETE leaves indexes to VACUUM in PostgreSQL, and does not use them.
      const bool written =
          dependency.lock == storage::TableLockMode::kRowExclusive && v->plan()->command != sql::CommandKind::kDelete;
      if (dependency.relation->oid == relation || (written && exec::is_of_table(*dependency.relation, relation)))
        return true;
    }
  }
  // And the definitions around it.
  for (const DefinitionHost* host = outer_; host != nullptr; host = host->outer_) {
    if (std::find(host->used_.begin(), host->used_.end(), relation) != host->used_.end()) return true;
  }
  return session_.triggers().runs_on(relation) || session_.triggers().tables_in_use()->has(relation);
}

Status DefinitionHost::run(const ParsedStatement& outer, const PgQuery__Node* node, Source source, const Shape& shape,
                           const Rows& rows) {
  std::vector<Oid> types;
  for (const auto& type : parameter_types_) types.push_back(type.oid);
  PreparedPtr prepared;
  std::vector<OwnedDatum> values;  // of EXECUTE
  std::vector<Datum> parameters(parameters_.begin(), parameters_.end());
  if (node->node_case == PG_QUERY__NODE__NODE_EXECUTE_STMT) {
    INDIGO_ASSIGN(NamedStatement * named, find_prepared(session_, node->execute_stmt->name));
    std::string tag;
    UtilityCall call{session_, outer, node, parameters_, parameter_types_, nullptr, *session_.message().sink(), tag};
    if (named->prepared != nullptr) INDIGO_TRY(session_.preparation().refresh(named->prepared));
    const PreparedPtr& meant = named->prepared;
    if (meant == nullptr || meant->is_utility() || meant->plan->command != sql::CommandKind::kSelect) {
      return Error(sqlstate::kWrongObjectType, "prepared statement is not a SELECT");
    }
    INDIGO_ASSIGN(values, execute_parameters(call, *node->execute_stmt, *named));
    prepared = named->prepared;
    parameters.clear();
    for (const OwnedDatum& v : values) parameters.push_back(v.get());
  } else {
    INDIGO_ASSIGN(prepared, session_.preparation().prepare_node(outer, node, types, false, parameters_));
  }
  if (prepared->is_utility()) return Error(sqlstate::kFeatureNotSupported, "only queries can be run here");
  if (source == Source::kDefinition) {  // what a definition calls is the user's, what it reads its own
    INDIGO_TRY(check_functions(session_.session_catalog(), prepared->functions));
  } else if (rows) {
    INDIGO_TRY(session_.runner().check_allowed(*prepared));
  }
  INDIGO_TRY(session_.runner().lock_relations(prepared, parameters, Preparation::Columns::kMayChange));
  static const ResultShape kNoColumns;
  const ResultShape& columns = prepared->text_shape ? *prepared->text_shape : kNoColumns;
  INDIGO_TRY(shape(columns));
  if (!rows) return {};
  auto& txn = session_.transaction();
  txn.next_command();
  auto execution = session_.auto_explain().execution(*prepared, observer_ != nullptr);
  const storage::ReadView view = source == Source::kDefinition ? txn.newest_view() : txn.view();
  const ActiveView active(session_.scope().active_view(), view, prepared->plan.get());
  INDIGO_TRY(execution->open(session_.scope().execution_context(view, parameters)));
  uint64_t count = 0;
  for (;;) {
    INDIGO_ASSIGN(const Chunk* chunk, execution->next(0));
    if (chunk == nullptr) break;
    count += chunk->rows();
    INDIGO_TRY(rows(columns, *chunk));
  }
  session_.statement_counter().note_definition_rows(count);
  if (observer_ != nullptr) INDIGO_TRY(observer_(prepared, *execution));
  execution->close();
  return {};
}

namespace {

// In a transaction that is yet to begin, and whose end is the caller's.
Status run_in_new_transaction(SessionParts& session, DdlHost& host, const UtilityCall& call,
                              const std::function<Status(DdlContext&)>& run) {
  INDIGO_TRY(session.begin_statement());
  session.transaction().next_command();
  session.transaction().take_statement_snapshot();
  DdlContext context{session.session_catalog(), session.transaction(), host, call.statement.text()};
  INDIGO_TRY(run(context));
  session.transaction().next_command();
  return {};
}

Status run_next_transaction(SessionParts& session, DdlHost& host, const UtilityCall& call,
                            const std::function<Status(DdlContext&)>& run) {
  INDIGO_TRY(session.block().commit());
  return run_in_new_transaction(session, host, call, run);
}

// The statement has failed; what fails here is no news.
void run_after_failure(SessionParts& session, DdlHost& host, const UtilityCall& call,
                       const std::function<Status(DdlContext&)>& run) {
  TransactionBlock& block = session.block();
  block.rollback();
  if (run_in_new_transaction(session, host, call, run).ok()) {
    static_cast<void>(block.commit());
  } else {
    block.rollback();
  }
  static_cast<void>(session.begin_statement());  // which the statement's error ends
}

}  // namespace

Status run_definition(UtilityCall& call) {
  auto& session = call.session;
  DefinitionHost host(session, &call.statement, call.parameters, call.parameter_types);
  DdlContext context{session.session_catalog(), session.transaction(), host, call.statement.text()};
  programs::EventStatement events(session, statement_name(call.node), *call.node);
  INDIGO_TRY(events.begin());
  host.report_to(&events);
  if (events.tells_changes()) {
    if (const auto altered = ddl::altered_object(context, *call.node))
      events.altered(altered->class_id, altered->object, altered->sub);
  }
  auto tag = execute_ddl(context, *call.node);
  if (!tag.ok()) {
    if (context.after_failure) run_after_failure(session, host, call, context.after_failure);
    return tag.error();
  }
  call.tag = std::move(*tag);
  host.has_ended();
  session.transaction().next_command();
  INDIGO_TRY(events.end());
  return context.next_transaction ? run_next_transaction(session, host, call, context.next_transaction) : Status();
}

}  // namespace indigo::engine
