#include "engine/session/portal/preparation.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "base/sqlstate.h"
#include "catalog/descriptor/relation_info.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/settled.h"
#include "engine/exec/gone.h"
#include "engine/session/required_privileges.h"
#include "engine/session/session_settings.h"
#include "engine/session/statement_counter.h"
#include "engine/session/statement_scope.h"
#include "engine/settings/applied_settings.h"
#include "engine/statement/result_shape.h"
#include "sql/analyze/analyzer.h"
#include "sql/analyze/from/inline_set_functions.h"
#include "sql/analyze/parameter_values.h"
#include "sql/parse/parse_tree.h"
#include "sql/parse/parser.h"
#include "sql/plan/outgrown.h"
#include "sql/plan/planner.h"
#include "sql/policy/apply.h"
#include "sql/policy/restricted_kinds.h"
#include "sql/rule/rewritten.h"
#include "sql/statement_kind.h"
#include "types/function/context.h"
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

// Finds out of an expression whether it calls anything, and whether immutable functions alone.
void look_for_calls(const sql::ExprPtr& e, bool& calls, bool& immutable) {
  if (const auto* call = sql::try_as<sql::CallExpr>(e)) {
    calls = true;
    immutable = immutable && !call->returns_set && call->volatility == types::Volatility::kImmutable;
  }
  sql::for_each_child(*e, [&](const sql::ExprPtr& child) {
    if (child != nullptr) look_for_calls(child, calls, immutable);
  });
}

bool is_computed_while_planning(const sql::PlannedStatement& plan) {
  const auto* root =
      plan.root->kind == sql::PlanKind::kResult ? static_cast<const sql::ResultPlan*>(plan.root.get()) : nullptr;
  const bool alone = root != nullptr && root->inputs.empty() && root->condition == nullptr && plan.subplans.empty() &&
                     plan.command == sql::CommandKind::kSelect;
  if (!alone) return false;
  bool calls = false, immutable = true;
  for (const sql::ExprPtr& e : root->projection) look_for_calls(e, calls, immutable);
  return calls && immutable;
}

bool same_types(const std::vector<sql::TypeRef>& a, const std::vector<sql::TypeRef>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.oid == y.oid; });
}

bool has_outgrown(const Prepared& prepared) {
  if (prepared.outgrown || (prepared.plan != nullptr && sql::outgrown(*prepared.plan))) return true;
  const auto part = [](const PreparedPtr& query) { return has_outgrown(*query); };
  return prepared.rewritten && (std::any_of(prepared.before.begin(), prepared.before.end(), part) ||
                                std::any_of(prepared.after.begin(), prepared.after.end(), part));
}

PreparedPtr as_custom(const Prepared& prepared) {
  auto out = std::make_shared<Prepared>(prepared);
  out->custom = true;
  return out;
}

// A plan for texts with other names than those that were lifted out of its own, as far as these are free.
PreparedPtr with_own_names(const PreparedPtr& prepared, const LiftedNames& lifted) {
  if (prepared->is_utility() || prepared->rewritten) return prepared;
  auto own = own_names(*prepared->parsed->node, prepared->text_shape.get(), lifted);
  if (own == nullptr) return prepared;
  auto out = std::make_shared<Prepared>(*prepared);
  out->own_names = std::move(own);
  return out;
}

}  // namespace

PreparedPtr behind_text(PreparedPtr prepared, int characters) {
  if (characters == prepared->behind) return prepared;
  auto out = std::make_shared<Prepared>(*prepared);
  out->behind = characters;
  return out;
}

Error behind_text(Error error, int characters) {
  if (error.position > 0) error.position += characters;
  return error;
}

namespace {

// The query inside a utility statement, where that may have parameters.
const PgQuery__Node* inner_query(const PgQuery__Node* node) {
  const PgQuery__Node* inner = nullptr;
  if (node->node_case == PG_QUERY__NODE__NODE_EXPLAIN_STMT) inner = node->explain_stmt->query;
  if (node->node_case == PG_QUERY__NODE__NODE_DECLARE_CURSOR_STMT) inner = node->declare_cursor_stmt->query;
  if (node->node_case == PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT) inner = node->create_table_as_stmt->query;
  return inner != nullptr && is_plannable(inner) ? inner : nullptr;
}

}  // namespace

void Preparation::refresh_settings() {
  if (settings_seen_ == settings_.plan_generation()) return;
  settings_seen_ = settings_.plan_generation();
  planner_switches_ = -1;
  std::string mode;
  plan_mode_ = PlanMode::kAuto;
  restricts_kinds_ = context_.setting("restrict_nonsystem_relation_kind", mode) && !mode.empty();
  if (!context_.setting("plan_cache_mode", mode)) return;
  if (mode == "force_generic_plan") plan_mode_ = PlanMode::kGeneric;
  if (mode == "force_custom_plan") plan_mode_ = PlanMode::kCustom;
}

bool Preparation::wants_generic() {
  refresh_settings();
  return plan_mode_ == PlanMode::kGeneric;
}

uint32_t Preparation::texts_for_generic(const Prepared& planned) {
  size_t partitions = 0;
  for (const catalog::DependenceKey key : planned.depends.keys()) {
    if (key < oid::kFirstUserOid || key > UINT32_MAX) continue;
    const auto relation = catalog_.relation(static_cast<Oid>(key));
    if (relation != nullptr && relation->is_partitioned()) partitions += relation->children.size();
  }
  return static_cast<uint32_t>(std::min<size_t>(partitions / kPartitionsPerText, UINT32_MAX));
}

bool Preparation::is_current(const Prepared& prepared) const {
  if (has_outgrown(prepared)) return false;
  if (prepared.only_for != 0 && prepared.only_for != catalog_.partitions_of()) return false;
  const uint64_t now = catalog_.version();
  if (prepared.current_at == now) return true;
  if (prepared.unplanned || !catalog_.unchanged_since(prepared.made_in, prepared.depends)) return false;
  prepared.current_at = now;
  return true;
}

void Preparation::discard_stale() {
  cache_.erase_if([this](const Prepared& prepared) { return !prepared.is_utility() && !is_current(prepared); });
}

uint64_t Preparation::generation() const { return settings_.plan_generation() << 32 | catalog_.user(); }

// Nothing is locked while it is looked up: what others define meanwhile may fail it, half of it found as it was and half as it
// is. Then it is tried again.
Result<PreparedPtr> Preparation::prepare(const std::shared_ptr<const ParsedStatement>& parsed,
                                         std::span<const Oid> parameter_types, bool variable_parameters,
                                         std::span<const sql::LiftedLiteral> lifted, std::span<const Datum> values,
                                         bool for_cursor, const ScannedText* sampled) {
  return catalog::settled(catalog_, [&] {
    return prepare_now(parsed, parameter_types, variable_parameters, lifted, values, for_cursor, sampled);
  });
}

Result<PreparedPtr> Preparation::prepare_now(const std::shared_ptr<const ParsedStatement>& parsed,
                                             std::span<const Oid> parameter_types, bool variable_parameters,
                                             std::span<const sql::LiftedLiteral> lifted, std::span<const Datum> values,
                                             bool for_cursor, const ScannedText* sampled) {
  catalog::SessionCatalog::Recording recording(catalog_);
  auto prepared = std::make_shared<Prepared>();
  prepared->parsed = parsed;
  prepared->for_cursor = for_cursor;
  prepared->made_in = catalog_.state();
  prepared->current_at = prepared->made_in.version;
  prepared->plan_settings = generation();
  prepared->lifted_used.assign(lifted.size(), false);
  if (!is_plannable(parsed->node)) {
    for (Oid type : parameter_types) prepared->parameter_types.push_back({type, -1, kInvalidOid});
    if (parsed->variables != nullptr) prepared->parameter_types = parsed->variables->types();
    if (const PgQuery__Node* query = inner_query(parsed->node); query != nullptr && variable_parameters) {
      // Parameters are told now; the query itself is analyzed when the statement runs.
      sql::AnalyzeInput input{query, parsed->text(), parameter_types, true, {}};
      INDIGO_ASSIGN(auto analyzed, sql::analyze(context_, input));
      prepared->parameter_types = analyzed.parameter_types;
    } else if (parsed->node->node_case == PG_QUERY__NODE__NODE_CALL_STMT && parsed->variables == nullptr &&
               parsed->text().find('$') != std::string::npos) {
      sql::AnalyzeInput input{parsed->node, parsed->text(), parameter_types, variable_parameters, {}};
      INDIGO_ASSIGN(auto analyzed, sql::analyze_call(context_, *parsed->node->call_stmt, input));
      prepared->parameter_types = analyzed.parameter_types;
    }
    return PreparedPtr(std::move(prepared));
  }
  sql::AnalyzeInput input{parsed->node, parsed->text(), parameter_types, variable_parameters, lifted};
  input.variables = parsed->variables.get();
  auto analyzed = sql::analyze(context_, input);
  if (!analyzed.ok() && !lifted.empty()) {
    // Literals that PostgreSQL would compare as constants (GROUP BY a + 1) differ as parameters: analyze the text as it is.
    input.lifted = {};
    analyzed = sql::analyze(context_, input);
    prepared->lifted_used.assign(lifted.size(), false);
  }
  if (!analyzed.ok()) return analyzed.take_error();
  prepared->parameter_types = analyzed->parameter_types;
  if (!input.lifted.empty()) {
    prepared->lifted_types = analyzed->lifted_types;
    prepared->lifted_used = analyzed->lifted_used;
  }
  refresh_settings();
  if (analyzed->query != nullptr) {
    INDIGO_ASSIGN(analyzed->query, sql::inline_set_functions(context_, analyzed->query));
    if (restricts_kinds_) INDIGO_TRY(sql::check_relation_kinds(context_, *analyzed->query));
    if (!ignores_row_security_) {
      INDIGO_ASSIGN(analyzed->query, sql::apply_row_security(context_, analyzed->query));
    }
    require(*prepared, *analyzed->query);
    if (!values.empty()) analyzed->query = sql::with_parameter_values(analyzed->query, values);
  }
  const std::vector<Datum> samples = sampled != nullptr ? samples_of(*sampled, *prepared) : std::vector<Datum>();
  const bool counted = counter_ != nullptr && counter_->counts_plans();
  const auto since = counted ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
  INDIGO_ASSIGN(prepared->plan,
                sql::plan(context_, {*analyzed, samples,
                                     for_cursor && parsed->node->node_case == PG_QUERY__NODE__NODE_SELECT_STMT,
                                     &planner_switches_}));
  if (counted) counter_->planned(*prepared, std::chrono::steady_clock::now() - since);
  if (analyzed->rewritten != nullptr) INDIGO_TRY(prepare_rules(*prepared, *analyzed));
  prepared->text_shape = make_shape(catalog_, *prepared->plan);
  prepared->computed_first = is_computed_while_planning(*prepared->plan);
  prepared->binary_shape = as_binary(prepared->text_shape);
  prepared->depends = recording.take();
  catalog_.settle(prepared->made_in, prepared->depends);
  if (catalog_.is_for_one_snapshot()) prepared->only_for = catalog_.partitions_of();
  return PreparedPtr(std::move(prepared));
}

std::vector<Datum> Preparation::samples_of(const ScannedText& scanned, const Prepared& prepared) {
  std::vector<Datum> out;
  if (prepared.lifted_types.size() != scanned.literals.size()) return out;
  sample_arena_.reset();
  types::FuncContext context(context_);
  context.set_arena(&sample_arena_);
  std::string buffer;
  for (size_t i = 0; i < scanned.literals.size(); i++) {
    Datum& sample = out.emplace_back();
    if (!prepared.lifted_used[i]) continue;
    const Str text = sample_arena_.copy(literal_value(scanned.raw[i], buffer));
    sample = types::type_input(context, prepared.lifted_types[i], text);
    if (context.failed()) return {};  // its binding will tell
  }
  return out;
}

void Preparation::require(Prepared& prepared, const sql::Query& query) {
  std::vector<RequiredPrivilege> privileges = required_privileges(query);
  std::move(privileges.begin(), privileges.end(), std::back_inserter(prepared.privileges));
  // Another role is another plan: a superuser may call everything.
  if (catalog_.is_superuser(catalog_.user())) return;
  std::vector<RequiredFunction> functions = required_functions(catalog_, query);
  std::move(functions.begin(), functions.end(), std::back_inserter(prepared.functions));
}

Status Preparation::prepare_rules(Prepared& prepared, const sql::AnalyzedStatement& analyzed) {
  const sql::RewrittenStatement& rewritten = *analyzed.rewritten;
  prepared.rewritten = true;
  for (const auto& source : rewritten.sources) require(prepared, *source);
  if (rewritten.empty) {
    auto nothing = std::make_shared<sql::PlannedStatement>(*prepared.plan);
    nothing->command = rewritten.command;
    prepared.plan = std::move(nothing);
  }
  for (const bool before : {true, false}) {
    for (const auto& query : before ? rewritten.before : rewritten.after) {
      auto part = std::make_shared<Prepared>();
      part->parsed = prepared.parsed;
      part->parameter_types = prepared.parameter_types;
      part->made_in = prepared.made_in;
      part->plan_settings = prepared.plan_settings;
      sql::AnalyzedStatement statement;
      statement.query = query;
      statement.parameter_types = analyzed.parameter_types;
      if (restricts_kinds_) INDIGO_TRY(sql::check_relation_kinds(context_, *query));
      if (!ignores_row_security_) {
        INDIGO_ASSIGN(statement.query, sql::apply_row_security(context_, query));
      }
      part->notifies = sql::is_notify(*query);
      if (!part->notifies) require(prepared, *statement.query);
      INDIGO_ASSIGN(part->plan, sql::plan(context_, {statement, {}}));
      if (!part->notifies) part->text_shape = make_shape(catalog_, *part->plan);
      (before ? prepared.before : prepared.after).push_back(std::move(part));
    }
  }
  return {};
}

Result<PreparedPtr> Preparation::prepare_node(const ParsedStatement& outer, const PgQuery__Node* node,
                                              std::span<const Oid> parameter_types, bool for_cursor,
                                              std::span<const Datum> values) {
  auto parsed = std::make_shared<ParsedStatement>(outer);
  parsed->node = node;
  return prepare(std::move(parsed), parameter_types, false, {}, values, for_cursor);
}

PreparedPtr Preparation::find_without_literals(ScannedText& scanned, CacheUse use) {
  scanned.key.push_back(use == CacheUse::kCursor ? '\x1e' : '\x1f');
  PreparedPtr found = cache_.find(scanned, generation());
  if (found == nullptr || found->is_utility() || !is_current(*found)) return nullptr;
  return found;
}

void Preparation::keep(const ScannedText& scanned, const PreparedPtr& prepared) {
  if (!prepared->is_utility()) cache_.insert(scanned, generation(), prepared);
}

PreparedPtr Preparation::find_renamed(bool& kept, bool& custom) {
  const ScannedText& renamed = lifted_names_.scanned;
  if (PreparedPtr found = cache_.find(renamed, generation())) {
    const bool valid = is_current(*found);
    if (valid && !found->custom) return found;
    custom = valid;
    kept = !valid;
    if (!valid) cache_.erase(renamed, generation());
    return nullptr;
  }
  kept = !cache_.knows(renamed) && cache_.returns(renamed) && !cache_.is_put_off(renamed);
  return nullptr;
}

Result<PreparedPtr> Preparation::prepare_kept(const std::shared_ptr<const ParsedStatement>& parsed,
                                              const ScannedText& scanned, bool names) {
  INDIGO_ASSIGN(PreparedPtr prepared, prepare(parsed, {}, false, scanned.literals, {}));
  const bool lifted =
      std::find(prepared->lifted_used.begin(), prepared->lifted_used.end(), true) != prepared->lifted_used.end();
  const double cost = lifted && prepared->plan != nullptr ? prepared->plan->root->total_cost : 0;
  PreparedPtr planned;
  bool custom = false;
  // Without values a plan may seem cheaper than it is for any.
  if (cost >= kTrialCost) {
    INDIGO_ASSIGN(planned, prepare(parsed, {}, false, {}, {}));
    const double own_cost = planned->plan->root->total_cost;
    custom = cost >= kCustomPlanCost || own_cost >= kCustomPlanCost;
    if (names && !custom && own_cost < kMuchCheaper * cost) {
      INDIGO_ASSIGN(prepared, prepare(parsed, {}, false, scanned.literals, {}, false, &scanned));
    }
  }
  PreparedPtr kept = custom ? as_custom(*prepared) : prepared;
  if (names) {
    kept = with_own_names(kept, lifted_names_);
    const std::vector<bool> free = kept->own_names ? kept->own_names->free : std::vector<bool>(lifted_names_.names());
    cache_.insert(lifted_names_.scanned, free, generation(), kept);
  } else {
    cache_.insert(scanned, generation(), kept);
  }
  return custom ? as_custom(*planned) : kept;
}

Result<PreparedPtr> Preparation::prepare_text(const ScannedText& scanned, std::string_view text, const TextUse& use) {
  bool custom = false;
  bool kept = true;
  bool lifts_names = false;
  bool names = false;  // kept for texts with other names
  if (PreparedPtr found = cache_.find(scanned, generation())) {
    const bool valid = found->is_utility() || is_current(*found);
    if (valid && !found->custom) return found;
    custom = valid;
    if (!valid) cache_.erase(scanned, generation());
  } else {
    kept = (cache_.returns(scanned) && !cache_.is_put_off(scanned)) || use.literals == Literals::kFolded ||
           wants_generic();
    lifts_names = !kept && use.labels != nullptr && scanned.lifts && lift_names(scanned, lifted_names_);
    if (lifts_names) {
      if (PreparedPtr found_renamed = find_renamed(kept, custom)) {
        if (found_renamed->own_names != nullptr) take_labels(*found_renamed->own_names, lifted_names_, *use.labels);
        return found_renamed;
      }
      names = kept;
      kept = kept || custom;
    }
  }
  INDIGO_ASSIGN(auto tree, sql::parse(text, scope_.settings().strings));
  if (tree->statements().size() != 1) return PreparedPtr();
  auto parsed = std::make_shared<ParsedStatement>();
  const auto& statement = tree->statements()[0];
  *parsed = {tree, statement.node, share_text(text), statement.location, statement.length};
  if (is_plannable(parsed->node)) {
    INDIGO_TRY(scope_.check_failed_block(*parsed));
    INDIGO_TRY(use.runs_now ? scope_.begin_statement() : scope_.begin_transaction());
  }
  if (!kept) {
    INDIGO_ASSIGN(PreparedPtr planned, prepare(parsed, {}, false, {}, {}));
    if (const uint32_t times = texts_for_generic(*planned); times > 1) {
      cache_.put_off(scanned, times - 1);
      if (lifts_names) cache_.put_off(lifted_names_.scanned, times - 1);
    }
    return planned;
  }
  if (!custom) return prepare_kept(parsed, scanned, names);
  INDIGO_ASSIGN(const PreparedPtr planned, prepare(parsed, {}, false, {}, {}));
  return as_custom(*planned);
}

Status Preparation::refresh(PreparedPtr& prepared, Columns columns) {
  if (prepared->is_utility() || (is_current(*prepared) && prepared->plan_settings == generation())) return {};
  const bool of_program = prepared->parsed->variables != nullptr;  // whose variables the parameters are
  std::vector<Oid> types;
  for (const auto& type : prepared->parameter_types) {
    if (type.oid >= oid::kFirstUserOid && catalog_.type(type.oid) == nullptr)
      return of_program ? gone_type(type.oid) : gone_parameter_type(type.oid);
    types.push_back(type.oid);
  }
  // The plan may be of another text with other literals in their places: they must stay parameters.
  ScannedText scanned;
  const bool lifted = !prepared->lifted_used.empty() && !prepared->custom;
  if (lifted) scan_literals(prepared->parsed->text(), scanned);
  const bool shared = prepared->lifted_used.empty() && !prepared->custom && prepared->parsed->variables == nullptr;
  auto again = shared ? prepare_shared(prepared->parsed, types, false, prepared->for_cursor)
                      : prepare(prepared->parsed, types, false, scanned.literals, {}, prepared->for_cursor);
  if (!again.ok()) return behind_text(std::move(*again.take_error()), prepared->behind);
  PreparedPtr fresh = behind_text(std::move(*again), prepared->behind);
  if (prepared->own_names != nullptr) {  // of the same text
    auto named = std::make_shared<Prepared>(*fresh);
    named->own_names = prepared->own_names;
    fresh = std::move(named);
  }
  literals_changed_ = lifted && (fresh->lifted_used != prepared->lifted_used ||
                                 !same_types(fresh->lifted_types, prepared->lifted_types));
  if (literals_changed_) return Error(sqlstate::kFeatureNotSupported, "cached plan must not change parameter types");
  if (columns == Columns::kMayChange || prepared->parsed->variables != nullptr) {  // a program looks at them itself
    prepared = std::move(fresh);
    return {};
  }
  if ((fresh->text_shape == nullptr) != (prepared->text_shape == nullptr) ||
      !same_columns(prepared->text_shape.get(), fresh->text_shape.get())) {
    return result_type_changed();
  }
  prepared = std::move(fresh);
  return {};
}

}  // namespace indigo::engine
