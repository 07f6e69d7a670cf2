#include "engine/ddl/object/rename.h"

#include <algorithm>

#include "catalog/object_privileges.h"
#include "catalog/tables/system_columns.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/access/policy.h"
#include "engine/ddl/access/role.h"
#include "engine/ddl/drop/drop_statement.h"
#include "engine/ddl/event/event_trigger.h"
#include "engine/ddl/extension/extension.h"
#include "engine/ddl/foreign/server.h"
#include "engine/ddl/foreign/wrapper.h"
#include "engine/ddl/function/routine.h"
#include "engine/ddl/object/collation.h"
#include "engine/ddl/object/conversion.h"
#include "engine/ddl/object/database.h"
#include "engine/ddl/object/domain.h"
#include "engine/ddl/object/language.h"
#include "engine/ddl/object/large_object.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/object/sequence.h"
#include "engine/ddl/object/statistics.h"
#include "engine/ddl/object/tablespace.h"
#include "engine/ddl/operator/alter_operator_class.h"
#include "engine/ddl/operator/definition.h"
#include "engine/ddl/partition/inherit.h"
#include "engine/ddl/replication/publication.h"
#include "engine/ddl/replication/subscription.h"
#include "engine/ddl/rule/rule.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/table/alter_target.h"
#include "engine/ddl/table/typed_table.h"
#include "engine/ddl/text_search/text_search_object.h"
#include "engine/ddl/tree.h"
#include "engine/ddl/trigger/create_trigger.h"
#include "engine/ddl/type_names.h"

namespace indigo::engine::ddl {

namespace {

// Everybody whose descriptor names the relation.
void touch_neighbours(DdlContext& c, const RelationInfo& r) {
  std::vector<Oid> all{r.oid};
  for (const IndexInfo& index : r.indexes) all.push_back(index.oid);
  for (const ConstraintInfo& k : r.constraints) {
    if (k.foreign_relation != kInvalidOid) all.push_back(k.foreign_relation);
  }
  all.insert(all.end(), r.referencing_relations.begin(), r.referencing_relations.end());
  if (r.row_type != kInvalidOid) all.push_back(r.row_type);
  c.catalog.changed(std::move(all));
}

Status rename_relation(DdlContext& c, const RelationPtr& r, std::string_view wanted) {
  const std::string name = truncated_name(wanted);
  if (c.catalog.relation_oid(r->schema, name) != kInvalidOid) {
    return Error(sqlstate::kDuplicateTable, "relation " + quoted(name) + " already exists");
  }
  INDIGO_TRY(update_class(c, r->oid, [&](RowValues& v) { v.str(pg_class::c_relname, name); }));
  if (r->row_type != kInvalidOid) INDIGO_TRY(rename_type(c, r->row_type, name));
  // A key's index and its constraint go by one name.
  if (r->kind == RelationKind::kIndex || r->kind == RelationKind::kPartitionedIndex) {
    std::string image;
    const SystemTable& indexes = table(c, pg_index::kOid);
    if (indexes.find_oid(c.txn, r->oid, image)) {
      const RelationPtr owner = current(c, indexes.reader(image).oid(pg_index::c_indrelid));
      for (const ConstraintInfo& k : owner->constraints) {
        if (k.index != r->oid || k.kind == 'f') continue;
        INDIGO_TRY(update_row(c, pg_constraint::kOid, {Datum::of_oid(k.oid)},
                              [&](RowValues& v) { v.str(pg_constraint::c_conname, name); }));
      }
      touch_neighbours(c, *owner);
    }
  }
  touch_neighbours(c, *r);
  return {};
}

Status rename_column(DdlContext& c, const RelationPtr& r, std::string_view from, std::string_view wanted) {
  const std::string to = truncated_name(wanted);
  const ColumnInfo* found = r->find_column(from);
  if (found == nullptr) {
    if (catalog::find_system_column(from) != nullptr) {
      return Error(sqlstate::kFeatureNotSupported, "cannot rename system column " + quoted(from));
    }
    return Error(sqlstate::kUndefinedColumn, "column " + quoted(from) + " does not exist");
  }
  const int16_t number = found->number;
  INDIGO_TRY(check_column_name(to));
  if (r->find_column(to) != nullptr) {
    return Error(sqlstate::kDuplicateColumn, column_text(*r, to) + " already exists");
  }
  INDIGO_TRY(update_attribute(c, r->oid, number, [&](RowValues& a) { a.str(pg_attribute::c_attname, to); }));
  for (const IndexInfo& index : r->indexes) {
    for (size_t i = 0; i < index.columns.size() + index.included.size(); i++) {
      const int16_t of = i < index.columns.size() ? index.columns[i].column : index.included[i - index.columns.size()];
      if (of != number) continue;
      INDIGO_TRY(update_attribute(c, index.oid, static_cast<int16_t>(i + 1),
                                  [&](RowValues& a) { a.str(pg_attribute::c_attname, to); }));
    }
  }
  touch_neighbours(c, *r);
  return {};
}

Status rename_constraint(DdlContext& c, const RelationPtr& r, std::string_view from, std::string_view wanted) {
  const std::string to = truncated_name(wanted);
  const bool known = std::any_of(r->constraints.begin(), r->constraints.end(),
                                 [&](const ConstraintInfo& k) { return k.name == from; });
  for (const ConstraintInfo& k : r->constraints) {
    if (known && k.name == to) {
      return Error(sqlstate::kDuplicateObject,
                   "constraint " + quoted(to) + " for relation " + quoted(r->name) + " already exists");
    }
  }
  for (const ConstraintInfo& k : r->constraints) {
    if (k.name != from) continue;
    if (k.kind == 'p' || k.kind == 'u' || k.kind == 'x') return rename_relation(c, current(c, k.index), to);
    INDIGO_TRY(update_row(c, pg_constraint::kOid, {Datum::of_oid(k.oid)},
                          [&](RowValues& v) { v.str(pg_constraint::c_conname, to); }));
    touch_neighbours(c, *r);
    return {};
  }
  return Error(sqlstate::kUndefinedObject,
               "constraint " + quoted(from) + " for table " + quoted(r->name) + " does not exist");
}

// ALTER TABLE takes any kind of relation, the others their own only.
Status check_kind(const RelationInfo& r, PgQuery__ObjectType type) {
  const auto refuse = [&](const char* what) {
    return Error(sqlstate::kWrongObjectType, quoted(r.name) + " is not " + what);
  };
  if (type == PG_QUERY__OBJECT_TYPE__OBJECT_VIEW && r.kind != RelationKind::kView) return refuse("a view");
  if (type == PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE && r.kind != RelationKind::kSequence) return refuse("a sequence");
  if (type == PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_TABLE && !r.is_foreign()) return refuse("a foreign table");
  if (type == PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW && r.kind != RelationKind::kMaterializedView)
    return refuse("a materialized view");
  return {};
}

// ALTER TYPE and ALTER DOMAIN: 42809 for what belongs to a table or to another type, and for a domain that is none.
Status check_alterable(DdlContext& c, const TypeInfo& type, PgQuery__ObjectType as) {
  const auto text = [&](Oid oid) { return type_text(c, {oid, -1, kInvalidOid}); };
  if (as == PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN && type.kind != 'd')
    return Error(sqlstate::kWrongObjectType, text(type.oid) + " is not a domain");
  if (type.relation != kInvalidOid && current(c, type.relation)->kind != RelationKind::kComposite) {
    return Error(sqlstate::kWrongObjectType, text(type.oid) + " is a table's row type")
        .with_hint("Use ALTER TABLE instead.");
  }
  const TypePtr element = type.is_array() ? c.catalog.type(type.element) : nullptr;
  if (element != nullptr && element->array == type.oid) {
    return Error(sqlstate::kWrongObjectType, "cannot alter array type " + text(type.oid))
        .with_hint("You can alter type " + text(element->oid) + ", which will alter the array type as well.");
  }
  return {};
}

Status rename_schema(DdlContext& c, std::string_view from, std::string_view to) {
  INDIGO_ASSIGN(const Oid oid, existing_schema(c, from));
  if (c.catalog.schema_named(to) != kInvalidOid)
    return Error(sqlstate::kDuplicateSchema, "schema " + quoted(to) + " already exists");
  INDIGO_TRY(check_owner(c, catalog::read_object_acl(c.catalog, catalog::kSchemaAcl, oid).owner, "schema", from));
  INDIGO_TRY(check_database_privilege(c, kPrivilegeCreate));
  if (to.starts_with("pg_")) {
    return Error(sqlstate::kReservedName, "unacceptable schema name " + quoted(to))
        .with_detail("The prefix \"pg_\" is reserved for system schemas.");
  }
  INDIGO_TRY(update_row(c, pg_namespace::kOid, {Datum::of_oid(oid)},
                        [&](RowValues& v) { v.str(pg_namespace::c_nspname, to); }));
  c.catalog.changed({kInvalidOid});
  return {};
}

// How many parents the named column or CHECK constraint comes from.
int inherited_from(DdlContext& c, const RelationInfo& r, const PgQuery__RenameStmt& s) {
  if (s.rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_TABCONSTRAINT) {
    for (const ConstraintInfo& k : r.constraints) {
      if (k.name == s.subname && k.kind == 'c') return k.inherit_count;
    }
    return 0;
  }
  const ColumnInfo* column = r.find_column(s.subname);
  if (column == nullptr) return 0;
  std::string image;
  const SystemTable& t = table(c, pg_attribute::kOid);
  if (!t.find(c.txn, {Datum::of_oid(r.oid), Datum::of(column->number)}, image)) return 0;
  return t.reader(image).i32(pg_attribute::c_attinhcount);
}

// A column or constraint has one name in all tables that inherit it.
Status rename_inherited(DdlContext& c, const RelationPtr& r, const PgQuery__RenameStmt& s, bool recurse,
                        Status (*rename)(DdlContext&, const RelationPtr&, std::string_view, std::string_view)) {
  const bool constraint = s.rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_TABCONSTRAINT;
  const std::string what = (constraint ? "constraint " : "column ") + quoted(s.subname);
  bool passed_on = !constraint && r->find_column(s.subname) != nullptr;
  for (const ConstraintInfo& k : r->constraints) {
    if (constraint && k.name == s.subname) passed_on = k.kind == 'c' && !k.no_inherit;
  }
  const bool below = passed_on && !r->children.empty();
  if (below && !recurse) {
    return Error(sqlstate::kInvalidTableDefinition, "inherited " + what + " must be renamed in child tables too");
  }
  if (inherited_from(c, *r, s) > 0) {
    return Error(sqlstate::kInvalidTableDefinition, "cannot rename inherited " + what);
  }
  if (!below) return rename(c, r, s.subname, s.newname);
  INDIGO_ASSIGN(const std::vector<Oid> all, with_descendants(c, r->oid, TableLockMode::kAccessExclusive));
  for (const Oid oid : all) {
    const RelationPtr now = current(c, oid);
    const auto within = std::count_if(now->parents.begin(), now->parents.end(), [&](Oid parent) {
      return std::find(all.begin(), all.end(), parent) != all.end();
    });
    if (oid != r->oid && inherited_from(c, *now, s) > within) {
      return Error(sqlstate::kInvalidTableDefinition, "cannot rename inherited " + what);
    }
    INDIGO_TRY(rename(c, now, s.subname, s.newname));
  }
  return {};
}

}  // namespace

Status execute_rename(DdlContext& c, const PgQuery__RenameStmt& s) {
  if (const TextSearchType* type = text_search_type(s.rename_type)) {
    return rename_text_search(c, *type, nodes(s.object->list->n_items, s.object->list->items), s.newname);
  }
  switch (s.rename_type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_TRIGGER:
      INDIGO_TRY(rename_trigger(c, s.relation, s.subname, s.newname));
      return {};
    case PG_QUERY__OBJECT_TYPE__OBJECT_RULE: return rename_rule(c, s.relation, s.subname, s.newname);
    case PG_QUERY__OBJECT_TYPE__OBJECT_POLICY: return rename_policy(c, s);
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_INDEX:
    case PG_QUERY__OBJECT_TYPE__OBJECT_VIEW:
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW:
    case PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_TABLE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_COLUMN:
    case PG_QUERY__OBJECT_TYPE__OBJECT_ATTRIBUTE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABCONSTRAINT: {
      const bool part = s.rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_COLUMN ||
                        s.rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_ATTRIBUTE ||
                        s.rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_TABCONSTRAINT;
      // Who names an index may go on reading and writing its table meanwhile.
      const bool index = s.rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_INDEX;
      INDIGO_ASSIGN(
          RelationPtr r,
          open_relation(c, s.relation, index ? TableLockMode::kShareUpdateExclusive : TableLockMode::kAccessExclusive,
                        s.missing_ok, check_definable));
      if (index && r != nullptr && r->kind != RelationKind::kIndex && r->kind != RelationKind::kPartitionedIndex) {
        INDIGO_ASSIGN(r, open_relation(c, s.relation, TableLockMode::kAccessExclusive, s.missing_ok, check_definable));
      }
      if (r == nullptr) {
        notice(c, "relation " + quoted(s.relation->relname) + " does not exist, skipping");
        return {};
      }
      if (!part) INDIGO_TRY(check_schema_privilege(c, r->schema, kPrivilegeCreate));
      INDIGO_TRY(check_kind(*r, s.rename_type));
      if (!part) INDIGO_TRY(check_not_type(*r));
      if (s.rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_TABCONSTRAINT) {
        INDIGO_TRY(rename_inherited(c, r, s, s.relation->inh, rename_constraint));
      } else if (part) {
        if (r->kind == RelationKind::kSequence) {
          return Error(sqlstate::kWrongObjectType, "cannot rename columns of relation " + quoted(r->name))
              .with_detail("This operation is not supported for sequences.");
        }
        if (type_of_table(c, r->oid) != kInvalidOid)
          return Error(sqlstate::kWrongObjectType, "cannot rename column of typed table");
        std::vector<RelationPtr> typed;
        if (r->kind == RelationKind::kComposite) {
          INDIGO_ASSIGN(typed, tables_of_type(c, *r, s.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE));
        }
        INDIGO_TRY(rename_inherited(c, r, s, s.relation->inh, rename_column));
        for (const RelationPtr& table : typed) INDIGO_TRY(rename_inherited(c, table, s, true, rename_column));
      } else {
        INDIGO_TRY(rename_relation(c, r, s.newname));
      }
      return {};
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_SCHEMA: INDIGO_TRY(rename_schema(c, s.subname, s.newname)); return {};
    case PG_QUERY__OBJECT_TYPE__OBJECT_TYPE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN: {
      const NodeList name = nodes(s.object->list->n_items, s.object->list->items);
      INDIGO_ASSIGN(const TypePtr type, existing_type(c, name));
      INDIGO_TRY(check_owner(c, type->owner, "type", type->name));
      if (type->oid < oid::kFirstUserOid)
        return Error(sqlstate::kInsufficientPrivilege, "must be owner of type " + type->name);
      INDIGO_TRY(check_alterable(c, *type, s.rename_type));
      if (type->relation != kInvalidOid) {
        INDIGO_TRY(rename_relation(c, current(c, type->relation), s.newname));
      } else {
        INDIGO_TRY(rename_type(c, type->oid, truncated_name(s.newname)));
        c.catalog.changed({kInvalidOid});
      }
      return {};
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMCONSTRAINT:
      INDIGO_TRY(
          rename_domain_constraint(c, nodes(s.object->list->n_items, s.object->list->items), s.subname, s.newname));
      return {};
    case PG_QUERY__OBJECT_TYPE__OBJECT_DATABASE: INDIGO_TRY(rename_database(c, s.subname, s.newname)); return {};
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROLE: INDIGO_TRY(rename_role(c, s.subname, s.newname)); return {};
    case PG_QUERY__OBJECT_TYPE__OBJECT_COLLATION:
      INDIGO_TRY(rename_collation(c, nodes(s.object->list->n_items, s.object->list->items), s.newname));
      return {};
    case PG_QUERY__OBJECT_TYPE__OBJECT_STATISTIC_EXT:
      return rename_statistics(c, nodes(s.object->list->n_items, s.object->list->items), s.newname);
    case PG_QUERY__OBJECT_TYPE__OBJECT_AGGREGATE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION:
    case PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE:
      INDIGO_TRY(rename_routine(c, s.rename_type, *s.object->object_with_args, s.newname));
      return {};
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLESPACE: return rename_tablespace(c, s.subname, s.newname);
    case PG_QUERY__OBJECT_TYPE__OBJECT_CONVERSION:
      return rename_conversion(c, nodes(s.object->list->n_items, s.object->list->items), s.newname);
    case PG_QUERY__OBJECT_TYPE__OBJECT_LANGUAGE:
      return rename_foreign(c, kLanguageKind, string_of(s.object), s.newname);
    case PG_QUERY__OBJECT_TYPE__OBJECT_FDW: return rename_foreign(c, kWrapperKind, string_of(s.object), s.newname);
    case PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_SERVER:
      return rename_foreign(c, kServerKind, string_of(s.object), s.newname);
    case PG_QUERY__OBJECT_TYPE__OBJECT_PUBLICATION: return rename_publication(c, string_of(s.object), s.newname);
    case PG_QUERY__OBJECT_TYPE__OBJECT_SUBSCRIPTION: return rename_subscription(c, string_of(s.object), s.newname);
    case PG_QUERY__OBJECT_TYPE__OBJECT_EVENT_TRIGGER: return rename_event_trigger(c, string_of(s.object), s.newname);
    case PG_QUERY__OBJECT_TYPE__OBJECT_OPCLASS:
    case PG_QUERY__OBJECT_TYPE__OBJECT_OPFAMILY:
      return rename_operator_group(c, nodes(s.object->list->n_items, s.object->list->items),
                                   s.rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_OPFAMILY, s.newname);
    default: return unsupported("renaming this kind of object");
  }
}

// ---- SET SCHEMA

namespace {

Status move_relation(DdlContext& c, const RelationPtr& r, Oid schema) {
  if (r->schema == schema) return {};
  if (c.catalog.relation_oid(schema, r->name) != kInvalidOid) {
    return Error(sqlstate::kDuplicateTable,
                 "relation " + quoted(r->name) + " already exists in schema " + quoted(c.catalog.schema_name(schema)));
  }
  const Address old_schema{pg_namespace::kOid, r->schema, 0}, new_schema{pg_namespace::kOid, schema, 0};
  INDIGO_TRY(update_class(c, r->oid, [&](RowValues& v) { v.oid(pg_class::c_relnamespace, schema); }));
  INDIGO_TRY(change_dependency(c, {pg_class::kOid, r->oid, 0}, old_schema, new_schema));
  if (r->row_type != kInvalidOid) {
    const TypePtr type = c.catalog.type(r->row_type);
    for (const Oid t : {r->row_type, type->array}) {
      if (t == kInvalidOid) continue;
      INDIGO_TRY(check_type_may_move(c, t, schema));
      INDIGO_TRY(update_row(c, pg_type::kOid, {Datum::of_oid(t)},
                            [&](RowValues& v) { v.oid(pg_type::c_typnamespace, schema); }));
    }
  }
  for (const IndexInfo& index : r->indexes) {
    INDIGO_TRY(update_class(c, index.oid, [&](RowValues& v) { v.oid(pg_class::c_relnamespace, schema); }));
  }
  for (const ConstraintInfo& k : r->constraints) {
    INDIGO_TRY(update_row(c, pg_constraint::kOid, {Datum::of_oid(k.oid)},
                          [&](RowValues& v) { v.oid(pg_constraint::c_connamespace, schema); }));
  }
  for (const Dependent& d : dependents_of(c, {pg_class::kOid, r->oid, 0})) {
    SequenceDefinition ignored;
    if (d.address.class_id == pg_class::kOid && (d.type == 'a' || d.type == 'i') &&
        read_sequence(c, d.address.object, ignored)) {
      INDIGO_TRY(move_relation(c, current(c, d.address.object), schema));
    }
  }
  c.catalog.changed({kInvalidOid});
  return {};
}

}  // namespace

Status execute_set_schema(DdlContext& c, const PgQuery__AlterObjectSchemaStmt& s) {
  if (const TextSearchType* type = text_search_type(s.object_type)) {
    return move_text_search(c, *type, nodes(s.object->list->n_items, s.object->list->items), s.newschema);
  }
  switch (s.object_type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_VIEW:
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_TABLE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW: {
      INDIGO_ASSIGN(const RelationPtr r,
                    open_relation(c, s.relation, TableLockMode::kAccessExclusive, s.missing_ok, check_definable));
      if (r == nullptr) {
        notice(c, "relation " + quoted(s.relation->relname) + " does not exist, skipping");
        return {};
      }
      INDIGO_TRY(check_kind(*r, s.object_type));
      INDIGO_TRY(check_not_type(*r));
      if (r->kind == RelationKind::kIndex || r->kind == RelationKind::kPartitionedIndex) {
        return Error(sqlstate::kWrongObjectType, "cannot change schema of index " + quoted(r->name))
            .with_hint("Change the schema of the table instead.");
      }
      if (r->kind == RelationKind::kSequence) {
        INDIGO_TRY(check_not_linked(c, *r, "cannot move an owned sequence into another schema"));
      }
      INDIGO_ASSIGN(const Oid schema, schema_to_move_to(c, s.newschema));
      INDIGO_TRY(check_may_move(c, r->schema, schema));
      INDIGO_TRY(move_relation(c, r, schema));
      return {};
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_TYPE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN: {
      const NodeList name = nodes(s.object->list->n_items, s.object->list->items);
      INDIGO_ASSIGN(const TypePtr type, existing_type(c, name));
      INDIGO_TRY(check_owner(c, type->owner, "type", type->name));
      INDIGO_TRY(check_alterable(c, *type, s.object_type));
      INDIGO_ASSIGN(const Oid schema, schema_to_move_to(c, s.newschema));
      INDIGO_TRY(check_may_move(c, type->schema, schema));
      if (type->relation != kInvalidOid) {
        INDIGO_TRY(move_relation(c, current(c, type->relation), schema));
        return {};
      }
      for (const Oid t : {type->oid, type->array}) {
        if (t == kInvalidOid || type->schema == schema) continue;
        INDIGO_TRY(check_type_may_move(c, t, schema));
        INDIGO_TRY(update_row(c, pg_type::kOid, {Datum::of_oid(t)},
                              [&](RowValues& v) { v.oid(pg_type::c_typnamespace, schema); }));
      }
      INDIGO_TRY(change_dependency(c, {pg_type::kOid, type->oid, 0}, {pg_namespace::kOid, type->schema, 0},
                                   {pg_namespace::kOid, schema, 0}));
      c.catalog.changed({kInvalidOid});
      return {};
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_STATISTIC_EXT:
      return move_statistics(c, nodes(s.object->list->n_items, s.object->list->items), s.newschema);
    case PG_QUERY__OBJECT_TYPE__OBJECT_EXTENSION: return move_extension(c, string_of(s.object), s.newschema);
    case PG_QUERY__OBJECT_TYPE__OBJECT_COLLATION:
      return move_collation(c, nodes(s.object->list->n_items, s.object->list->items), s.newschema);
    case PG_QUERY__OBJECT_TYPE__OBJECT_CONVERSION:
      return move_conversion(c, nodes(s.object->list->n_items, s.object->list->items), s.newschema);
    case PG_QUERY__OBJECT_TYPE__OBJECT_AGGREGATE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION:
    case PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE:
      return move_routine(c, s.object_type, *s.object->object_with_args, s.newschema);
    case PG_QUERY__OBJECT_TYPE__OBJECT_OPERATOR: return move_operator(c, *s.object->object_with_args, s.newschema);
    case PG_QUERY__OBJECT_TYPE__OBJECT_OPCLASS:
    case PG_QUERY__OBJECT_TYPE__OBJECT_OPFAMILY:
      return move_operator_group(c, nodes(s.object->list->n_items, s.object->list->items),
                                 s.object_type == PG_QUERY__OBJECT_TYPE__OBJECT_OPFAMILY, s.newschema);
    default: return unsupported("SET SCHEMA for this kind of object");
  }
}

// ---- OWNER TO

Status execute_owner(DdlContext& c, const PgQuery__AlterOwnerStmt& s) {
  INDIGO_ASSIGN(const Oid owner, resolve_role(c, s.newowner));
  if (const TextSearchType* type = text_search_type(s.object_type)) {
    return change_text_search_owner(c, *type, nodes(s.object->list->n_items, s.object->list->items), owner);
  }
  switch (s.object_type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_SCHEMA: {
      const std::string_view name = string_of(s.object);
      INDIGO_ASSIGN(const Oid schema, existing_schema(c, name));
      const Oid before = catalog::read_object_acl(c.catalog, catalog::kSchemaAcl, schema).owner;
      if (before == owner) return {};
      INDIGO_TRY(check_owner(c, before, "schema", name));
      INDIGO_TRY(check_new_owner(c, owner, kInvalidOid));
      INDIGO_TRY(check_database_privilege(c, kPrivilegeCreate));
      INDIGO_TRY(update_row(c, pg_namespace::kOid, {Datum::of_oid(schema)}, [&](RowValues& v) {
        v.oid(pg_namespace::c_nspowner, owner);
        pass_on(v, pg_namespace::c_nspacl, before, owner);
      }));
      c.catalog.changed({kInvalidOid});
      return {};
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_DATABASE:
      INDIGO_TRY(change_database_owner(c, string_of(s.object), owner));
      return {};
    case PG_QUERY__OBJECT_TYPE__OBJECT_TYPE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN: {
      const NodeList name = nodes(s.object->list->n_items, s.object->list->items);
      INDIGO_ASSIGN(const TypePtr type, existing_type(c, name));
      INDIGO_TRY(check_alterable(c, *type, s.object_type));
      if (type->owner == owner) return {};
      INDIGO_TRY(check_owner(c, type->owner, "type", type->name));
      INDIGO_TRY(check_new_owner(c, owner, type->schema));
      for (const Oid t : {type->oid, type->array}) {
        if (t == kInvalidOid) continue;
        INDIGO_TRY(update_row(c, pg_type::kOid, {Datum::of_oid(t)}, [&](RowValues& v) {
          v.oid(pg_type::c_typowner, owner);
          pass_on(v, pg_type::c_typacl, type->owner, owner);
        }));
        c.catalog.changed({t});
      }
      if (type->relation != kInvalidOid) INDIGO_TRY(change_owner(c, current(c, type->relation), owner));
      return {};
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_COLLATION: {
      const NodeList name = nodes(s.object->list->n_items, s.object->list->items);
      INDIGO_ASSIGN(const Oid oid, owned_collation(c, name, Right::kNobody));
      std::string image;
      const SystemTable& collations = table(c, pg_collation::kOid);
      if (!collations.find_oid(c.txn, oid, image)) return unsupported("OWNER TO for this collation");
      if (collations.reader(image).oid(pg_collation::c_collowner) == owner) return {};
      INDIGO_TRY(owned_collation(c, name));
      INDIGO_TRY(check_new_owner(c, owner, collations.reader(image).oid(pg_collation::c_collnamespace)));
      INDIGO_TRY(update_row(c, pg_collation::kOid, {Datum::of_oid(oid)},
                            [&](RowValues& v) { v.oid(pg_collation::c_collowner, owner); }));
      return {};
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_AGGREGATE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION:
    case PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE:
      INDIGO_TRY(change_routine_owner(c, s.object_type, *s.object->object_with_args, owner));
      return {};
    case PG_QUERY__OBJECT_TYPE__OBJECT_STATISTIC_EXT:
      return change_statistics_owner(c, nodes(s.object->list->n_items, s.object->list->items), owner);
    case PG_QUERY__OBJECT_TYPE__OBJECT_OPERATOR:
      INDIGO_TRY(change_operator_owner(c, *s.object->object_with_args, owner));
      return {};
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLESPACE: return change_tablespace_owner(c, string_of(s.object), owner);
    case PG_QUERY__OBJECT_TYPE__OBJECT_CONVERSION:
      return change_conversion_owner(c, nodes(s.object->list->n_items, s.object->list->items), owner);
    case PG_QUERY__OBJECT_TYPE__OBJECT_LANGUAGE: return change_language_owner(c, string_of(s.object), owner);
    case PG_QUERY__OBJECT_TYPE__OBJECT_FDW: return change_wrapper_owner(c, string_of(s.object), owner);
    case PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_SERVER: return change_server_owner(c, string_of(s.object), owner);
    case PG_QUERY__OBJECT_TYPE__OBJECT_PUBLICATION: return change_publication_owner(c, string_of(s.object), owner);
    case PG_QUERY__OBJECT_TYPE__OBJECT_SUBSCRIPTION: return change_subscription_owner(c, string_of(s.object), owner);
    case PG_QUERY__OBJECT_TYPE__OBJECT_LARGEOBJECT: {
      INDIGO_ASSIGN(const Oid object, existing_large_object(c, s.object));
      return change_large_object_owner(c, object, owner);
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_EVENT_TRIGGER: return change_event_trigger_owner(c, string_of(s.object), owner);
    case PG_QUERY__OBJECT_TYPE__OBJECT_OPCLASS:
    case PG_QUERY__OBJECT_TYPE__OBJECT_OPFAMILY:
      return change_operator_group_owner(c, nodes(s.object->list->n_items, s.object->list->items),
                                         s.object_type == PG_QUERY__OBJECT_TYPE__OBJECT_OPFAMILY, owner);
    default: return unsupported("OWNER TO for this kind of object");
  }
}

}  // namespace indigo::engine::ddl
