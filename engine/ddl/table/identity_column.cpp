#include "engine/ddl/table/identity_column.h"

#include "catalog/tables/system_table.h"
#include "engine/ddl/drop/remove_object.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

Oid identity_sequence(DdlContext& c, Oid relation, int16_t number) {
  for (const Dependent& d : dependents_of(c, {pg_class::kOid, relation, number})) {
    if (d.type == 'i' && d.address.class_id == pg_class::kOid) return d.address.object;
  }
  return kInvalidOid;
}

}  // namespace

Status check_identity_type(Oid type) {
  if (type == oid::kInt2 || type == oid::kInt4 || type == oid::kInt8) return {};
  return Error(sqlstate::kInvalidParameterValue, "identity column type must be smallint, integer, or bigint");
}

Status retype_identity(DdlContext& c, Oid relation, const ColumnInfo& column, Oid type) {
  const Oid sequence = column.identity != 0 ? identity_sequence(c, relation, column.number) : kInvalidOid;
  return sequence == kInvalidOid ? Status() : alter_sequence_type(c, current(c, sequence), type);
}

Status add_identity(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  INDIGO_ASSIGN(const ColumnInfo* column, column_of(*relation, cmd.name));
  const PgQuery__Constraint* k = cmd.def->constraint;
  const std::string where = column_text(*relation, column->name);
  INDIGO_TRY(check_identity_type(column->type.oid));
  if (!column->not_null) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 where + " must be declared NOT NULL before identity can be added");
  }
  if (column->identity != 0)
    return Error(sqlstate::kObjectNotInPrerequisiteState, where + " is already an identity column");
  if (column->default_expr)
    return Error(sqlstate::kObjectNotInPrerequisiteState, where + " already has a default value");
  ColumnSpec spec;
  spec.column.name = column->name;
  spec.column.type = column->type;
  spec.identity = k;
  INDIGO_ASSIGN(const Oid sequence,
                make_serial_sequence(c, relation->is_foreign() ? "ALTER FOREIGN TABLE" : "ALTER TABLE", relation->name,
                                     spec, relation->schema, relation->persistence));
  INDIGO_TRY(adopt_sequence(c, sequence, relation->oid, column->number, false));
  return update_attribute(c, relation->oid, column->number,
                          [&](RowValues& a) { a.chr(pg_attribute::c_attidentity, k->generated_when[0]); });
}

Status set_identity(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  INDIGO_ASSIGN(const ColumnInfo* column, column_of(*relation, cmd.name));
  if (column->identity == 0) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 column_text(*relation, column->name) + " is not an identity column");
  }
  const PgQuery__List* options = cmd.def->list;
  std::vector<PgQuery__Node*> sequence_options;
  for (PgQuery__Node* node : nodes(options->n_items, options->items)) {
    const PgQuery__DefElem* e = node->def_elem;
    if (std::string_view(e->defname) != "generated") {
      sequence_options.push_back(node);
      continue;
    }
    const char kind = static_cast<char>(integer_value(e->arg).value_or('d'));
    INDIGO_TRY(update_attribute(c, relation->oid, column->number,
                                [&](RowValues& a) { a.chr(pg_attribute::c_attidentity, kind); }));
  }
  if (sequence_options.empty()) return {};
  const Oid sequence = identity_sequence(c, relation->oid, column->number);
  if (sequence == kInvalidOid) return Error(sqlstate::kInternalError, "no owned sequence found");
  return alter_sequence(c, current(c, sequence), nodes(sequence_options.size(), sequence_options.data()));
}

Status drop_identity(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd) {
  INDIGO_ASSIGN(const ColumnInfo* column, column_of(*relation, cmd.name));
  if (column->identity == 0) {
    const std::string message = column_text(*relation, column->name) + " is not an identity column";
    if (!cmd.missing_ok) return Error(sqlstate::kObjectNotInPrerequisiteState, message);
    notice(c, message + ", skipping");
    return {};
  }
  INDIGO_TRY(update_attribute(c, relation->oid, column->number,
                              [](RowValues& a) { a.chr(pg_attribute::c_attidentity, '\0'); }));
  const Oid sequence = identity_sequence(c, relation->oid, column->number);
  if (sequence == kInvalidOid) return {};
  INDIGO_TRY(remove_dependencies_of(c, {pg_class::kOid, sequence, 0}));
  return drop_objects(c, {{pg_class::kOid, sequence, 0}}, false, false, false);
}

}  // namespace indigo::engine::ddl
