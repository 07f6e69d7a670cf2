#include "engine/ddl/object/type.h"

#include <algorithm>

#include "base/name.h"
#include "catalog/object_privileges.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/drop/remove_object.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/object/enum_order.h"
#include "engine/ddl/table/create_table.h"
#include "engine/ddl/tree.h"
#include "engine/ddl/type_names.h"
#include "sql/analyze/analyzer.h"
#include "storage/table.h"

namespace indigo::engine::ddl {

namespace {

Status insert_label(DdlContext& c, Oid type, Oid oid, float order, std::string_view label) {
  SystemTable& t = table(c, pg_enum::kOid);
  if (label.size() > kMaxNameBytes) {
    return Error(sqlstate::kInvalidName, "invalid enum label " + quoted(label))
        .with_detail("Labels must be 63 bytes or less.");
  }
  RowValues row(t.definition());
  row.oid(pg_enum::c_oid, oid)
      .oid(pg_enum::c_enumtypid, type)
      .f32(pg_enum::c_enumsortorder, order)
      .str(pg_enum::c_enumlabel, label);
  return check(t.insert(c.txn, row));
}

}  // namespace

Result<NewTypeName> new_type_name(DdlContext& c, NodeList parts) {
  const auto q = sql::qualified_name(parts);
  NewTypeName out;
  INDIGO_ASSIGN(out.schema, creation_schema(c, parts));
  out.name = truncated_name(q.name);
  INDIGO_TRY(free_type_name(c, out.name, out.schema));
  return out;
}

Status insert_with_array(DdlContext& c, NewType& t) {
  t.array = next_oid(c);
  t.oid = next_oid(c);
  INDIGO_TRY(insert_type(c, t));
  INDIGO_TRY(insert_array_type(c, t.array, t.name, t.schema, t.owner, t.oid, t.alignment, t.collation));
  INDIGO_TRY(record_dependency(c, {pg_type::kOid, t.oid, 0}, {pg_namespace::kOid, t.schema, 0}, 'n'));
  return record_dependency(c, {pg_type::kOid, t.array, 0}, {pg_type::kOid, t.oid, 0}, 'i');
}

// ---- enums

Status execute_create_enum(DdlContext& c, const PgQuery__CreateEnumStmt& s) {
  INDIGO_ASSIGN(const NewTypeName name, new_type_name(c, nodes(s.n_type_name, s.type_name)));
  const std::vector<std::string> labels = sql::strings_of(nodes(s.n_vals, s.vals));
  NewType t;
  t.name = name.name;
  t.schema = name.schema;
  t.owner = c.catalog.user();
  t.length = 4;
  t.by_value = true;
  t.kind = 'e';
  t.category = 'E';
  t.storage = 'p';
  t.input = "enum_in";
  t.output = "enum_out";
  t.receive = "enum_recv";
  t.send = "enum_send";
  INDIGO_TRY(insert_with_array(c, t));
  // Labels are numbered in their order: an enum's value is its label's OID, and OIDs compare as labels do.
  const std::vector<Oid> oids = spread_label_oids(c, t.oid, labels.size());
  for (size_t i = 0; i < labels.size(); i++) {
    const auto end = labels.begin() + static_cast<ptrdiff_t>(i);
    if (std::find(labels.begin(), end, labels[i]) != end) {
      return Error(sqlstate::kUniqueViolation,
                   "duplicate key value violates unique constraint \"pg_enum_typid_label_index\"")
          .with_detail("Key (enumtypid, enumlabel)=(" + std::to_string(t.oid) + ", " + labels[i] + ") already exists.");
    }
    INDIGO_TRY(insert_label(c, t.oid, oids[i], static_cast<float>(i + 1), labels[i]));
  }
  c.catalog.changed({t.oid});
  return {};
}

namespace {

std::vector<float> sort_orders(DdlContext& c, const types::TypeInfo& type) {
  std::vector<float> orders;
  const SystemTable& t = table(c, pg_enum::kOid);
  for (const Oid oid : type.enum_label_oids) {
    std::string image;
    if (t.find_oid(c.txn, oid, image)) orders.push_back(t.reader(image).f32(pg_enum::c_enumsortorder));
  }
  return orders;
}

// enumsortorder of a label at `place`: between its neighbours'. Where floats are exhausted all labels are renumbered.
Result<float> sort_order_at(DdlContext& c, const types::TypeInfo& type, std::span<const float> orders, size_t place) {
  if (orders.empty()) return 1.0f;
  if (place == 0) return orders.front() - 1;
  if (place >= orders.size()) return orders.back() + 1;
  const float order = (orders[place - 1] + orders[place]) / 2;
  if (order != orders[place - 1] && order != orders[place]) return order;
  // From the last one down: numbers only grow, so no two are equal on the way.
  for (size_t i = orders.size(); i-- > 0;) {
    INDIGO_TRY(update_row(c, pg_enum::kOid, {Datum::of_oid(type.enum_label_oids[i])},
                          [&](RowValues& v) { v.f32(pg_enum::c_enumsortorder, static_cast<float>(i + 1)); }));
  }
  return static_cast<float>(place) + 0.5f;
}

}  // namespace

Status execute_alter_enum(DdlContext& c, const PgQuery__AlterEnumStmt& s) {
  const NodeList parts = nodes(s.n_type_name, s.type_name);
  INDIGO_ASSIGN(const TypePtr type,
                find_and_lock(c, TableLockMode::kShareUpdateExclusive, [&] { return existing_type(c, parts); }));
  if (type->kind != 'e')
    return Error(sqlstate::kWrongObjectType, type_text(c, {type->oid, -1, kInvalidOid}) + " is not an enum");
  INDIGO_TRY(check_owner(c, type->owner, "type", type->name));
  const auto& labels = type->enum_labels;
  const auto find = [&](std::string_view label) {
    return static_cast<size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
  };
  if (sql::has_text(s.old_val)) {  // RENAME VALUE
    const size_t at = find(s.old_val);
    if (at == labels.size())
      return Error(sqlstate::kInvalidParameterValue, quoted(s.old_val) + " is not an existing enum label");
    if (find(s.new_val) != labels.size())
      return Error(sqlstate::kDuplicateObject, "enum label " + quoted(s.new_val) + " already exists");
    INDIGO_TRY(update_row(c, pg_enum::kOid, {Datum::of_oid(type->enum_label_oids[at])},
                          [&](RowValues& v) { v.str(pg_enum::c_enumlabel, s.new_val); }));
    c.catalog.changed({type->oid});
    return {};
  }
  if (find(s.new_val) != labels.size()) {
    const std::string message = "enum label " + quoted(s.new_val) + " already exists";
    if (!s.skip_if_new_val_exists) return Error(sqlstate::kDuplicateObject, message);
    notice(c, message + ", skipping", sqlstate::kDuplicateObject);
    return {};
  }
  size_t place = labels.size();
  if (sql::has_text(s.new_val_neighbor)) {
    place = find(s.new_val_neighbor);
    if (place == labels.size()) {
      return Error(sqlstate::kInvalidParameterValue, quoted(s.new_val_neighbor) + " is not an existing enum label");
    }
    if (s.new_val_is_after) place++;
  }
  const std::vector<float> orders = sort_orders(c, *type);
  const Oid oid = label_oid_at(c, type->enum_label_oids, orders, place);
  if (oid == kInvalidOid) return unsupported("ALTER TYPE ... ADD VALUE between labels without a number between theirs");
  INDIGO_ASSIGN(const float order, sort_order_at(c, *type, orders, place));
  INDIGO_TRY(insert_label(c, type->oid, oid, order, s.new_val));
  c.catalog.added_label(type->oid, oid);
  return {};
}

// ---- composite types

Status execute_create_composite(DdlContext& c, const PgQuery__CompositeTypeStmt& s) {
  TableSpec spec;
  spec.kind = RelationKind::kComposite;
  spec.name = truncated_name(s.typevar->relname);
  INDIGO_ASSIGN(spec.schema, creation_schema(c, *s.typevar, false));
  if (const Oid taken = c.catalog.relation_oid(spec.schema, spec.name); taken != kInvalidOid) {
    const RelationPtr other = current(c, taken);
    if (other != nullptr && other->row_type != kInvalidOid)
      return Error(sqlstate::kDuplicateObject, "type " + quoted(spec.name) + " already exists");
    return Error(sqlstate::kDuplicateTable, "relation " + quoted(spec.name) + " already exists");
  }
  for (const PgQuery__Node* node : nodes(s.n_coldeflist, s.coldeflist)) {
    auto column = column_spec(c, *node->column_def, spec.name);
    if (!column.ok()) {
      auto error = column.take_error();
      error->position = 0;  // PostgreSQL does not say where
      return error;
    }
    spec.columns.push_back(std::move(column->column));
  }
  INDIGO_TRY(create_table(c, spec));
  return {};
}

// ---- DROP

Result<std::optional<Address>> find_dropped_type(DdlContext& c, const PgQuery__TypeName* name, bool domain,
                                                 bool missing_ok) {
  const NodeList parts = nodes(name->n_names, name->names);
  const auto q = sql::qualified_name(parts);
  INDIGO_TRY(check_schema_usage(c, q.schema, missing_ok));
  auto type = q.valid ? c.catalog.find_type(q.schema, q.name) : nullptr;
  if (type != nullptr && name->n_array_bounds > 0) type = c.catalog.type(type->array);
  if (type == nullptr) {
    const bool no_schema = !q.schema.empty() && c.catalog.schema_named(q.schema) == kInvalidOid;
    const std::string message = no_schema ? "schema " + quoted(q.schema) + " does not exist"
                                          : "type " + quoted(sql::name_list_text(parts)) + " does not exist";
    if (!missing_ok) return Error(sqlstate::kUndefinedObject, message);
    notice(c, message + ", skipping");
    return std::optional<Address>();
  }
  if (domain && type->kind != 'd') return Error(sqlstate::kWrongObjectType, quoted(type->name) + " is not a domain");
  INDIGO_TRY(check_right(c, Right::kOwnerOrSchemaOwner, type->schema, type->owner, "type", type->name));
  if (type->oid < oid::kFirstUserOid) {
    return Error(sqlstate::kDependentObjectsStillExist, "cannot drop type " +
                                                            type_text(c, {type->oid, -1, kInvalidOid}) +
                                                            " because it is required by the database system");
  }
  if (type->relation != kInvalidOid) {
    const RelationPtr r = current(c, type->relation);
    if (r != nullptr && r->kind == RelationKind::kComposite)
      return std::optional<Address>(Address{pg_class::kOid, r->oid, 0});
  }
  return std::optional<Address>(Address{pg_type::kOid, type->oid, 0});
}

}  // namespace indigo::engine::ddl
