// Text to Prepared: statement cache, parse, analyze, plan.
#include <algorithm>
#include <charconv>

#include "base/sqlstate.h"
#include "engine/session/session_impl.h"
#include "engine/statement/repeated_rows.h"
#include "engine/statement/result_shape.h"
#include "engine/utility/utility.h"
#include "sql/analyze/analyzer.h"
#include "sql/parse/parser.h"
#include "sql/plan/planner.h"
#include "types/function/registry.h"
#include "types/oids.h"

namespace indigo::engine {

namespace {

bool is_plannable(const PgQuery__Node* node) {
  switch (node->node_case) {
    case PG_QUERY__NODE__NODE_SELECT_STMT: return node->select_stmt->into_clause == nullptr;
    case PG_QUERY__NODE__NODE_INSERT_STMT:
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
    case PG_QUERY__NODE__NODE_DELETE_STMT:
    case PG_QUERY__NODE__NODE_MERGE_STMT: return true;
    default: return false;
  }
}

// In the planner's units: some 100,000 rows read. Planning takes a few per cent of that.
constexpr double kCustomPlanCost = 1000;

bool same_types(const std::vector<sql::TypeRef>& a, const std::vector<sql::TypeRef>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.oid == y.oid; });
}

PreparedPtr as_custom(const Prepared& prepared) {
  auto out = std::make_shared<Prepared>(prepared);
  out->custom = true;
  return out;
}

// The query inside a utility statement, where that may have parameters.
const PgQuery__Node* inner_query(const PgQuery__Node* node) {
  const PgQuery__Node* inner = nullptr;
  if (node->node_case == PG_QUERY__NODE__NODE_EXPLAIN_STMT) inner = node->explain_stmt->query;
  if (node->node_case == PG_QUERY__NODE__NODE_DECLARE_CURSOR_STMT) inner = node->declare_cursor_stmt->query;
  if (node->node_case == PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT) inner = node->create_table_as_stmt->query;
  return inner != nullptr && is_plannable(inner) ? inner : nullptr;
}

}  // namespace

Result<PreparedPtr> SessionImpl::prepare(const std::shared_ptr<const ParsedStatement>& parsed,
                                         std::span<const Oid> parameter_types, bool variable_parameters,
                                         std::span<const sql::LiftedLiteral> lifted, std::span<const Datum> sample,
                                         bool for_cursor) {
  auto prepared = std::make_shared<Prepared>();
  prepared->parsed = parsed;
  prepared->for_cursor = for_cursor;
  prepared->catalog_version = catalog_.version();
  prepared->plan_settings = plan_generation_;
  prepared->lifted_used.assign(lifted.size(), false);
  if (!is_plannable(parsed->node)) {
    for (Oid type : parameter_types) prepared->parameter_types.push_back({type, -1, kInvalidOid});
    if (parsed->variables != nullptr) prepared->parameter_types = parsed->variables->types();
    if (const PgQuery__Node* query = inner_query(parsed->node); query != nullptr && variable_parameters) {
      // Parameters are told now; the query itself is analyzed when the statement runs.
      sql::AnalyzeInput input{query, parsed->text, parameter_types, true, {}};
      INDIGO_ASSIGN(auto analyzed, sql::analyze(*this, input));
      prepared->parameter_types = analyzed.parameter_types;
    }
    return PreparedPtr(std::move(prepared));
  }
  sql::AnalyzeInput input{parsed->node, parsed->text, parameter_types, variable_parameters, lifted};
  input.variables = parsed->variables.get();
  auto analyzed = sql::analyze(*this, input);
  if (!analyzed.ok() && !lifted.empty()) {
    // Literals that PostgreSQL would compare as constants (GROUP BY a + 1) differ as parameters: analyze the text as it is.
    input.lifted = {};
    analyzed = sql::analyze(*this, input);
    prepared->lifted_used.assign(lifted.size(), false);
  }
  if (!analyzed.ok()) return analyzed.take_error();
  prepared->parameter_types = analyzed->parameter_types;
  if (!input.lifted.empty()) {
    prepared->lifted_types = analyzed->lifted_types;
    prepared->lifted_used = analyzed->lifted_used;
  }
  if (analyzed->query != nullptr) {
    prepared->privileges = required_privileges(*analyzed->query);
    // Another role is another plan: a superuser may call everything.
    if (!is_superuser()) prepared->functions = required_functions(*this, *analyzed->query);
  }
  INDIGO_ASSIGN(
      prepared->plan,
      sql::plan(*this, {*analyzed, sample, for_cursor && parsed->node->node_case == PG_QUERY__NODE__NODE_SELECT_STMT}));
  prepared->text_shape = make_shape(catalog_, *prepared->plan, Format::kText);
  prepared->binary_shape = make_shape(catalog_, *prepared->plan, Format::kBinary);
  return PreparedPtr(std::move(prepared));
}

Result<PreparedPtr> SessionImpl::prepare_node(const ParsedStatement& outer, const PgQuery__Node* node,
                                              std::span<const Oid> parameter_types, bool for_cursor) {
  auto parsed = std::make_shared<ParsedStatement>(outer);
  parsed->node = node;
  return prepare(std::move(parsed), parameter_types, false, {}, {}, for_cursor);
}

Result<PreparedPtr> SessionImpl::prepare_cached(const ScannedText& scanned, std::string_view text) {
  bool custom = false;
  if (PreparedPtr found = cache_.find(scanned, plan_generation_)) {
    const bool valid = found->is_utility() || found->catalog_version == catalog_.version();
    if (valid && !found->custom) return found;
    custom = valid;
    if (!valid) cache_.erase(scanned, plan_generation_);
  }
  INDIGO_ASSIGN(auto tree, sql::parse(text));
  if (tree->statements().size() != 1) return PreparedPtr();
  auto parsed = std::make_shared<ParsedStatement>();
  const auto& statement = tree->statements()[0];
  *parsed = {tree, statement.node, std::string(text), statement.location, statement.length};
  if (is_plannable(parsed->node)) {
    INDIGO_TRY(check_failed_block(*parsed));
    INDIGO_TRY(begin_statement());
  }
  if (!custom) {
    INDIGO_ASSIGN(PreparedPtr prepared, prepare(parsed, {}, false, scanned.literals, {}));
    const bool lifted =
        std::find(prepared->lifted_used.begin(), prepared->lifted_used.end(), true) != prepared->lifted_used.end();
    if (!lifted || prepared->plan == nullptr || prepared->plan->root->total_cost < kCustomPlanCost) {
      cache_.insert(scanned, plan_generation_, prepared);
      return prepared;
    }
    cache_.insert(scanned, plan_generation_, as_custom(*prepared));
  }
  INDIGO_ASSIGN(const PreparedPtr planned, prepare(parsed, {}, false, {}, {}));
  return as_custom(*planned);
}

void SessionImpl::discard_stale_plans() {
  plans_version_ = catalog_.version();
  discard_plans();
  if (!simple_portal_.execution) simple_portal_.prepared = nullptr;
  const auto discard = [&](NamedStatement& statement) {
    const PreparedPtr& old = statement.prepared;
    if (old == nullptr || old->is_utility() || old->unplanned || old->catalog_version == plans_version_) return;
    auto unplanned = std::make_shared<Prepared>(*old);
    unplanned->plan = nullptr;
    unplanned->unplanned = true;
    unplanned->catalog_version = 0;  // of no state
    statement.prepared = std::move(unplanned);
    statement.for_cursor = nullptr;
  };
  for (auto& [name, statement] : statements_) discard(statement);
  discard(unnamed_statement_);
  // What the catalog's view has looked up, likewise.
  if (!block_.in_block()) catalog_.search_path();
}

Status SessionImpl::refresh(PreparedPtr& prepared) {
  if (prepared->is_utility() ||
      (prepared->catalog_version == catalog_.version() && prepared->plan_settings == plan_generation_)) {
    return {};
  }
  std::vector<Oid> types;
  for (const auto& type : prepared->parameter_types) types.push_back(type.oid);
  // The plan may be of another text with other literals in their places: they must stay parameters.
  ScannedText scanned;
  const bool lifted = !prepared->lifted_used.empty() && !prepared->custom;
  if (lifted) scan_literals(prepared->parsed->text, scanned);
  INDIGO_ASSIGN(PreparedPtr fresh, prepare(prepared->parsed, types, false, scanned.literals, {}, prepared->for_cursor));
  if (lifted &&
      (fresh->lifted_used != prepared->lifted_used || !same_types(fresh->lifted_types, prepared->lifted_types)))
    return Error(sqlstate::kFeatureNotSupported, "cached plan must not change parameter types");
  if (prepared->parsed->variables != nullptr) {  // a program looks at the columns itself
    prepared = std::move(fresh);
    return {};
  }
  bool same = (fresh->text_shape == nullptr) == (prepared->text_shape == nullptr);
  if (same && fresh->text_shape) {
    const auto& a = fresh->text_shape->columns;
    const auto& b = prepared->text_shape->columns;
    same = std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return x.type == y.type; });
  }
  if (!same) return Error(sqlstate::kFeatureNotSupported, "cached plan must not change result type");
  prepared = std::move(fresh);
  return {};
}

Status SessionImpl::bind_literals(Portal& portal, const ScannedText& scanned) {
  portal.parameters.clear();
  portal.arena.reset();
  const Prepared& prepared = *portal.prepared;
  if (scanned.literals.empty() || prepared.plan == nullptr) return {};
  bind_context_.set_arena(&portal.arena);
  std::string buffer;
  for (size_t i = 0; i < scanned.literals.size(); i++) {
    if (i >= prepared.lifted_used.size() || !prepared.lifted_used[i]) {
      // Its place stays empty: parameters are numbered by literal.
      portal.parameters.push_back(Datum());
      continue;
    }
    INDIGO_ASSIGN(const Datum value, bind_literal(portal, scanned, i, prepared.lifted_types[i], buffer));
    portal.parameters.push_back(value);
  }
  return {};
}

Result<Datum> SessionImpl::bind_literal(Portal& portal, const ScannedText& scanned, size_t i,
                                        const types::TypeRef& type, std::string& buffer) {
  std::string_view text = literal_value(scanned.raw[i], buffer);
  if (type.oid == oid::kInt4 && scanned.literals[i].kind == sql::LiftedLiteral::Class::kInt4) {
    int32_t v = 0;
    std::from_chars(text.data(), text.data() + text.size(), v);
    return Datum::of(v);
  }
  if (buffer.data() == text.data()) text = portal.arena.copy(text);
  Datum value = types::type_input(bind_context_, type, text);
  if (bind_context_.failed()) {
    auto error = bind_context_.take_error();
    if (error->position == 0) error->position = scanned.literals[i].location + 1;
    return error;
  }
  return value;
}

bool SessionImpl::bind_rows(Portal& portal, const ScannedText& whole) {
  const Prepared& prepared = *portal.prepared;
  const size_t shapes = folded_.first_literal.size() - 1;
  if (prepared.plan == nullptr || prepared.custom || repeating_values(*prepared.plan, shapes) == nullptr) return false;
  if (!bind_literals(portal, folded_.scanned).ok()) return false;
  auto rows = std::make_unique<RowParameters>();
  rows->first_parameter.assign(folded_.first_literal.begin(), folded_.first_literal.end() - 1);
  rows->rows.reserve(folded_.rows.size());
  std::string buffer;
  for (const FoldedText::Row& row : folded_.rows) {
    rows->rows.push_back({row.like, static_cast<uint32_t>(rows->parameters.size())});
    const std::vector<bool>& nulls = folded_.null_literals[row.nulls];
    size_t literal = row.first_literal;
    const uint32_t begin = folded_.first_literal[row.like], end = folded_.first_literal[row.like + 1];
    for (uint32_t p = begin; p < end; p++) {
      if (!nulls.empty() && nulls[p - begin]) {
        if (!prepared.lifted_used[p]) return false;
        rows->parameters.push_back(Datum());
      } else if (prepared.lifted_used[p]) {
        auto value = bind_literal(portal, whole, literal++, prepared.lifted_types[p], buffer);
        if (!value.ok()) return false;
        rows->parameters.push_back(*value);
      } else {  // part of the plan: the same in all rows, or they have no plan in common
        if (whole.raw[literal++].text != folded_.scanned.raw[p].text) return false;
        rows->parameters.push_back(Datum());
      }
    }
  }
  portal.rows = std::move(rows);
  return true;
}

}  // namespace indigo::engine
