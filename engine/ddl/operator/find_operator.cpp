// Operators by name: DROP, ALTER and COMMENT.
#include "engine/ddl/object/schema.h"
#include "engine/ddl/operator/definition.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_operator = catalog::pg_operator;

Result<Oid> operand(DdlContext& c, const PgQuery__Node* n) {
  if (!is(n, PG_QUERY__NODE__NODE_TYPE_NAME)) return kInvalidOid;
  auto type = resolve_type(c, n->type_name);
  if (type.ok()) return type->oid;
  auto error = type.take_error();
  error->position = 0;
  return error;
}

std::string operand_text(DdlContext& c, Oid type) {
  return type == kInvalidOid ? std::string("none") : type_text(c, {type, -1, kInvalidOid});
}

Oid owner_of(DdlContext& c, Oid oid) {
  std::string image;
  const SystemTable& t = table(c, pg_operator::kOid);
  return t.find_oid(c.txn, oid, image) ? t.reader(image).oid(pg_operator::c_oprowner) : oid::kBootstrapSuperuser;
}

}  // namespace

Result<OperatorPtr> find_named_operator(DdlContext& c, const PgQuery__ObjectWithArgs& object, bool missing_ok) {
  const NodeList parts = nodes(object.n_objname, object.objname);
  const auto q = sql::qualified_name(parts);
  const std::string name = sql::name_list_text(parts);
  if (missing_ok && !q.schema.empty() && c.catalog.schema_named(q.schema) == kInvalidOid) {
    notice(c, "schema " + quoted(q.schema) + " does not exist, skipping");
    return OperatorPtr(nullptr);
  }
  const NodeList arguments = nodes(object.n_objargs, object.objargs);
  if (arguments.size() != 2) {
    return Error(sqlstate::kSyntaxError, "missing argument")
        .with_hint("Use NONE to denote the missing argument of a unary operator.");
  }
  Oid sides[2] = {kInvalidOid, kInvalidOid};
  for (size_t i = 0; i < 2; i++) {
    auto type = operand(c, arguments[i]);
    if (!type.ok()) {
      if (!missing_ok) return type.take_error();
      notice(c, type.error().message + ", skipping");
      return OperatorPtr(nullptr);
    }
    sides[i] = *type;
  }
  if (const OperatorPtr found = operator_with(c, parts, sides[0], sides[1]); found != nullptr) return found;
  if (missing_ok) {
    notice(c, "operator " + name + " does not exist, skipping");
    return OperatorPtr(nullptr);
  }
  if (sides[1] == kInvalidOid) return Error(sqlstate::kSyntaxError, "postfix operators are not supported");
  std::string text = name + " " + operand_text(c, sides[1]);
  if (sides[0] != kInvalidOid) text = operand_text(c, sides[0]) + " " + text;
  return Error(sqlstate::kUndefinedFunction, "operator does not exist: " + text);
}

Result<Address> find_own_operator(DdlContext& c, const PgQuery__ObjectWithArgs& object) {
  INDIGO_ASSIGN(const OperatorPtr o, find_named_operator(c, object, false));
  INDIGO_TRY(check_owner(c, owner_of(c, o->oid), "operator", o->name));
  return Address{pg_operator::kOid, o->oid, 0};
}

Result<std::optional<Address>> find_dropped_operator(DdlContext& c, const PgQuery__ObjectWithArgs& object,
                                                     bool missing_ok) {
  INDIGO_ASSIGN(const OperatorPtr o, find_named_operator(c, object, missing_ok));
  if (o == nullptr) return std::optional<Address>();
  INDIGO_TRY(check_right(c, Right::kOwnerOrSchemaOwner, o->schema, owner_of(c, o->oid), "operator", o->name));
  if (o->oid < oid::kFirstUserOid) {
    return Error(sqlstate::kDependentObjectsStillExist, "cannot drop operator " + operator_object_text(c, o->oid) +
                                                            " because it is required by the database system");
  }
  return std::optional<Address>(Address{pg_operator::kOid, o->oid, 0});
}

Status change_operator_owner(DdlContext& c, const PgQuery__ObjectWithArgs& object, Oid owner) {
  INDIGO_ASSIGN(const OperatorPtr o, find_named_operator(c, object, false));
  const Oid before = owner_of(c, o->oid);
  if (before == owner) return {};
  INDIGO_TRY(check_owner(c, before, "operator", o->name));
  INDIGO_TRY(check_new_owner(c, owner, o->schema));
  return update_row(c, pg_operator::kOid, {Datum::of_oid(o->oid)},
                    [&](RowValues& v) { v.oid(pg_operator::c_oprowner, owner); });
}

Status move_operator(DdlContext& c, const PgQuery__ObjectWithArgs& object, std::string_view new_schema) {
  INDIGO_TRY(find_named_operator(c, object, false));
  INDIGO_ASSIGN(const Oid schema, schema_to_move_to(c, new_schema));
  INDIGO_ASSIGN(const Address a, find_own_operator(c, object));
  const types::OperatorInfo o = *c.catalog.operator_by_oid(a.object);
  INDIGO_TRY(check_may_move(c, o.schema, schema));
  if (o.schema == schema) return {};
  for (const OperatorPtr other : c.catalog.operators_named(c.catalog.schema_name(schema), o.name)) {
    if (other->left != o.left || other->right != o.right) continue;
    return Error(sqlstate::kDuplicateFunction,
                 "operator " + o.name + " already exists in schema " + quoted(c.catalog.schema_name(schema)));
  }
  INDIGO_TRY(update_row(c, pg_operator::kOid, {Datum::of_oid(o.oid)},
                        [&](RowValues& v) { v.oid(pg_operator::c_oprnamespace, schema); }));
  INDIGO_TRY(change_dependency(c, a, {pg_namespace::kOid, o.schema, 0}, {pg_namespace::kOid, schema, 0}));
  c.catalog.changed({kInvalidOid});
  return {};
}

Status remove_operator(DdlContext& c, Oid oid) {
  SystemTable& t = table(c, pg_operator::kOid);
  std::string image;
  if (!t.find_oid(c.txn, oid, image)) return {};
  const Oid commutator = t.reader(image).oid(pg_operator::c_oprcom);
  const Oid negator = t.reader(image).oid(pg_operator::c_oprnegate);
  // Its commutator and its negator forget it.
  const std::pair<Oid, int> others[] = {{commutator, pg_operator::c_oprcom}, {negator, pg_operator::c_oprnegate}};
  for (const auto& [other, link] : others) {
    const int column = link;
    if (other == kInvalidOid || other == oid || other < oid::kFirstUserOid) continue;
    if (!t.find_oid(c.txn, other, image)) continue;
    INDIGO_TRY(update_row(c, pg_operator::kOid, {Datum::of_oid(other)}, [&](RowValues& row) {
      if (row.get(column).oid() == oid) row.oid(column, kInvalidOid);
    }));
  }
  c.catalog.changed({kInvalidOid});
  return check_erased(t.erase(c.txn, {Datum::of_oid(oid)}));
}

std::string operator_object_text(DdlContext& c, Oid oid) {
  const OperatorPtr o = c.catalog.operator_by_oid(oid);
  if (o == nullptr) return std::to_string(oid);
  OperatorPtr visible = nullptr;
  for (const OperatorPtr other : c.catalog.operators_named("", o->name)) {
    if (visible == nullptr && other->left == o->left && other->right == o->right) visible = other;
  }
  std::string out = visible == o ? std::string() : identifier(c.catalog.schema_name(o->schema)) + ".";
  out += o->name + "(" + (o->left == kInvalidOid ? "NONE" : type_text(c, {o->left, -1, kInvalidOid})) + ",";
  return out + type_text(c, {o->right, -1, kInvalidOid}) + ")";
}

}  // namespace indigo::engine::ddl
