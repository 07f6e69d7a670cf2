#include "engine/ddl/trigger/create_trigger.h"

#include <algorithm>

#include "catalog/object_privileges.h"
#include "engine/ddl/partition/inherit.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "engine/ddl/trigger/trigger_condition.h"
#include "types/value/acl.h"

namespace indigo::engine::ddl {

namespace {

Error wrong_table(const RelationInfo& r, std::string_view what, std::string detail) {
  return Error(sqlstate::kWrongObjectType, quoted(r.name) + " is " + std::string(what)).with_detail(std::move(detail));
}

Error not_built(std::string message) { return Error(sqlstate::kFeatureNotSupported, std::move(message)); }

Status check_relation(const RelationInfo& r, int16_t type, bool transitions) {
  const bool row = (type & catalog::kTriggerRow) != 0, instead = (type & catalog::kTriggerInstead) != 0;
  switch (r.kind) {
    case RelationKind::kTable:
      if (instead) return wrong_table(r, "a table", "Tables cannot have INSTEAD OF triggers.");
      return {};
    case RelationKind::kPartitionedTable:
      if (instead) return wrong_table(r, "a table", "Tables cannot have INSTEAD OF triggers.");
      if (row && transitions) {
        return not_built(quoted(r.name) + " is a partitioned table")
            .with_detail("ROW triggers with transition tables are not supported on partitioned tables.");
      }
      return {};
    case RelationKind::kView:
      if (row && !instead) return wrong_table(r, "a view", "Views cannot have row-level BEFORE or AFTER triggers.");
      if ((type & catalog::kTriggerTruncate) != 0) {
        return wrong_table(r, "a view", "Views cannot have TRUNCATE triggers.");
      }
      return {};
    case RelationKind::kForeignTable:
      if (instead) return wrong_table(r, "a foreign table", "Foreign tables cannot have INSTEAD OF triggers.");
      return {};
    default: break;
  }
  return Error(sqlstate::kWrongObjectType, "relation " + quoted(r.name) + " cannot have triggers")
      .with_detail(not_supported_for(r.kind));
}

Status check_may_trigger(DdlContext& c, const RelationInfo& r) {
  INDIGO_TRY(check_not_system(r));
  const uint32_t held = catalog::object_privileges(c.catalog, catalog::kRelationAcl, r.oid, c.catalog.user());
  if ((held & types::kPrivilegeTrigger) != 0) return {};
  return Error(sqlstate::kInsufficientPrivilege,
               "permission denied for " + std::string(kind_name(r.kind)) + " " + r.name);
}

Status check_form(const PgQuery__CreateTrigStmt& s, int16_t type) {
  const bool row = s.row;
  if (row && (type & catalog::kTriggerTruncate) != 0) {
    return not_built("TRUNCATE FOR EACH ROW triggers are not supported");
  }
  if ((type & catalog::kTriggerInstead) == 0) return {};
  if (!row) return not_built("INSTEAD OF triggers must be FOR EACH ROW");
  if (!sql::absent(s.when_clause)) return not_built("INSTEAD OF triggers cannot have WHEN conditions");
  if (s.n_columns > 0) return not_built("INSTEAD OF triggers cannot have column lists");
  return {};
}

// REFERENCING OLD TABLE AS a NEW TABLE AS b.
Status transition_tables(const RelationInfo& r, const PgQuery__CreateTrigStmt& s, TriggerInfo& t) {
  const auto bad = [](std::string message) { return Error(sqlstate::kInvalidObjectDefinition, std::move(message)); };
  for (const PgQuery__Node* node : nodes(s.n_transition_rels, s.transition_rels)) {
    const PgQuery__TriggerTransition& given = *node->trigger_transition;
    if (!given.is_table) {
      return not_built("ROW variable naming in the REFERENCING clause is not supported")
          .with_hint("Use OLD TABLE or NEW TABLE for naming transition tables.");
    }
    if (r.kind == RelationKind::kView) {
      return wrong_table(r, "a view", "Triggers on views cannot have transition tables.");
    }
    if (r.is_foreign()) {
      return wrong_table(r, "a foreign table", "Triggers on foreign tables cannot have transition tables.");
    }
    if (s.row && r.is_partition)
      return not_built("ROW triggers with transition tables are not supported on partitions");
    if (s.row && !r.parents.empty()) {
      return not_built("ROW triggers with transition tables are not supported on inheritance children");
    }
    if (t.timing() != 0) return bad("transition table name can only be specified for an AFTER trigger");
    if (t.has_event(catalog::kTriggerTruncate))
      return not_built("TRUNCATE triggers with transition tables are not supported");
    const int16_t events = t.type & catalog::kTriggerEvents;
    if ((events & (events - 1)) != 0) {
      return not_built("transition tables cannot be specified for triggers with more than one event");
    }
    if (s.n_columns > 0) return not_built("transition tables cannot be specified for triggers with column lists");
    if (given.is_new) {
      if (!t.has_event(catalog::kTriggerInsert | catalog::kTriggerUpdate)) {
        return bad("NEW TABLE can only be specified for an INSERT or UPDATE trigger");
      }
      if (!t.new_table.empty()) return bad("NEW TABLE cannot be specified multiple times");
      t.new_table = truncated_name(given.name);
    } else {
      if (!t.has_event(catalog::kTriggerDelete | catalog::kTriggerUpdate)) {
        return bad("OLD TABLE can only be specified for a DELETE or UPDATE trigger");
      }
      if (!t.old_table.empty()) return bad("OLD TABLE cannot be specified multiple times");
      t.old_table = truncated_name(given.name);
    }
  }
  if (!t.old_table.empty() && t.old_table == t.new_table) {
    return bad("OLD TABLE name and NEW TABLE name cannot be the same");
  }
  return {};
}

Result<Oid> find_function(DdlContext& c, NodeList name) {
  const auto q = sql::qualified_name(name);
  const std::string text = sql::name_list_text(name);
  if (!q.valid) return Error(sqlstate::kSyntaxError, "improper qualified name (too many dotted names): " + text);
  INDIGO_TRY(check_schema_usage(c, q.schema));
  const types::FunctionInfo* found = nullptr;
  const auto all = c.catalog.functions_named(q.schema, q.name);
  for (const auto& f : all) {
    if (f->arguments.empty() && found == nullptr) found = f.get();
  }
  if (found == nullptr) return Error(sqlstate::kUndefinedFunction, "function " + text + "() does not exist");
  const uint32_t held = catalog::object_privileges(c.catalog, catalog::kFunctionAcl, found->oid, c.catalog.user());
  if ((held & types::kPrivilegeExecute) == 0) {
    return Error(sqlstate::kInsufficientPrivilege, "permission denied for function " + found->name);
  }
  if (found->result != oid::kTrigger) {
    return Error(sqlstate::kInvalidObjectDefinition, "function " + text + " must return type trigger");
  }
  return found->oid;
}

Status update_columns(const RelationInfo& r, NodeList names, TriggerInfo& t) {
  for (const PgQuery__Node* node : names) {
    const ColumnInfo* column = r.find_column(string_of(node));
    if (column == nullptr) {
      return Error(sqlstate::kUndefinedColumn, column_text(r, string_of(node)) + " does not exist");
    }
    if (std::find(t.columns.begin(), t.columns.end(), column->number) != t.columns.end()) {
      return Error(sqlstate::kDuplicateColumn, "column " + quoted(column->name) + " specified more than once");
    }
    t.columns.push_back(column->number);
  }
  return {};
}

// CREATE OR REPLACE: the trigger that is there gives its place.
Status check_replaced(DdlContext& c, const RelationInfo& r, const TriggerInfo& old, bool constraint) {
  const auto refuse = [&](const char* what) {
    return Error(sqlstate::kDuplicateObject,
                 "trigger " + quoted(old.name) + " for relation " + quoted(r.name) + " is " + what);
  };
  if (old.internal || old.parent != kInvalidOid) return refuse("an internal or a child trigger");
  if (!constraint && old.constraint != kInvalidOid) return refuse("a constraint trigger");
  if (c.host.has_pending_checks(r.oid)) {
    return Error(sqlstate::kObjectInUse, "cannot replace trigger " + quoted(old.name) + " on " + quoted(r.name) +
                                             " because it has pending trigger events");
  }
  return {};
}

}  // namespace

Status execute_create_trigger(DdlContext& c, const PgQuery__CreateTrigStmt& s) {
  INDIGO_ASSIGN(const RelationPtr r, open_relation(c, s.relation, TableLockMode::kShareRowExclusive));
  if (s.isconstraint && s.replace) return not_built("CREATE OR REPLACE CONSTRAINT TRIGGER is not supported");
  TriggerInfo t;
  t.name = truncated_name(s.trigname);
  t.type = static_cast<int16_t>((s.row ? catalog::kTriggerRow : 0) | s.timing | s.events);
  t.deferrable = s.deferrable;
  t.deferred = s.initdeferred;
  INDIGO_TRY(check_relation(*r, t.type, s.n_transition_rels > 0));
  INDIGO_TRY(check_may_trigger(c, *r));
  if (s.isconstraint && r->is_foreign()) {
    return wrong_table(*r, "a foreign table", "Foreign tables cannot have constraint triggers.");
  }
  if (s.isconstraint && s.constrrel != nullptr) {
    INDIGO_ASSIGN(const RelationPtr other, open_relation(c, s.constrrel, TableLockMode::kAccessShare));
    INDIGO_TRY(check_may_trigger(c, *other));
    t.constraint_relation = other->oid;
  }
  if (s.row && r->is_partitioned()) {
    INDIGO_TRY(with_descendants(c, r->oid, TableLockMode::kShareRowExclusive));
  }
  INDIGO_TRY(check_form(s, t.type));
  INDIGO_TRY(transition_tables(*r, s, t));
  TriggerReferences references;
  if (!sql::absent(s.when_clause)) {
    INDIGO_ASSIGN(StoredExpression e, store_trigger_condition(c, s.when_clause, r, t.type));
    t.condition = std::move(e.tree);
    references.columns = std::move(e.columns);
    references.addresses = std::move(e.references);
  }
  INDIGO_ASSIGN(t.function, find_function(c, nodes(s.n_funcname, s.funcname)));
  if (const TriggerInfo* old = find_trigger(*r, t.name)) {
    if (!s.replace) INDIGO_TRY(check_trigger_name_free(*r, t.name));
    INDIGO_TRY(check_replaced(c, *r, *old, s.isconstraint));
    t.oid = old->oid;
  }
  INDIGO_TRY(update_columns(*r, nodes(s.n_columns, s.columns), t));
  for (const PgQuery__Node* node : nodes(s.n_args, s.args)) t.arguments.emplace_back(string_of(node));
  if (s.isconstraint) {
    INDIGO_ASSIGN(t.constraint, insert_trigger_constraint(c, *r, t.name, t.deferrable, t.deferred));
  }
  INDIGO_TRY(insert_trigger(c, *r, std::move(t), references, s.replace));
  return {};
}

}  // namespace indigo::engine::ddl
