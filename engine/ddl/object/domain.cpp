#include "engine/ddl/object/domain.h"

#include <algorithm>

#include "catalog/tables/system_table.h"
#include "engine/ddl/drop/remove_object.h"
#include "engine/ddl/expression.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/object/type.h"
#include "engine/ddl/table/create_table.h"
#include "engine/ddl/table/rewrite.h"
#include "engine/ddl/tree.h"
#include "engine/row_sink.h"
#include "sql/analyze/analyzer.h"
#include "types/value/vector.h"

namespace indigo::engine::ddl {

namespace {

// Errors do not say where in the statement they are, as in PostgreSQL.
Result<StoredExpression> store_of_domain(DdlContext& c, const PgQuery__Node* node, ExpressionUse use,
                                         const std::shared_ptr<const RelationInfo>& relation, const TypeRef& target) {
  auto stored = store_expression(c, node, use, relation, target);
  if (stored.ok()) return stored;
  Error error = std::move(*stored.take_error());
  error.position = 0;
  return error;
}

// CHECK of a domain: VALUE stands for the value. It is analyzed as the one column of a made-up relation.
Result<StoredExpression> domain_check(DdlContext& c, const PgQuery__Node* expression, const TypeRef& base) {
  auto relation = std::make_shared<RelationInfo>();
  ColumnInfo value;
  value.name = "value";
  value.number = 1;
  value.type = base;
  relation->columns.push_back(value);
  return store_of_domain(c, expression, ExpressionUse::kDomainCheck, relation, {oid::kBool, -1, kInvalidOid});
}

// What was stored.
Result<std::string> add_domain_check(DdlContext& c, Oid domain, std::string_view domain_name, Oid schema,
                                     const TypeRef& base, const PgQuery__Constraint& k) {
  INDIGO_ASSIGN(const StoredExpression e, domain_check(c, k.raw_expr, base));
  NewConstraint n;
  n.oid = next_oid(c);
  n.name = sql::has_text(k.conname) ? truncated_name(k.conname)
                                    : choose_constraint_name(c, domain_name, "", "check", schema);
  n.schema = schema;
  n.type = domain;
  n.expression = e.tree;
  n.validated = !k.skip_validation;
  INDIGO_TRY(insert_constraint(c, n));
  const Address self{pg_constraint::kOid, n.oid, 0};
  INDIGO_TRY(record_dependency(c, self, {pg_type::kOid, domain, 0}, 'a'));
  for (const Address& a : e.references) INDIGO_TRY(record_dependency(c, self, a, 'n'));
  return e.tree;
}

struct DomainConstraint {
  Oid oid = kInvalidOid;
  std::string expression;
};

std::optional<DomainConstraint> find_constraint(DdlContext& c, Oid domain, std::string_view name) {
  std::optional<DomainConstraint> out;
  table(c, pg_constraint::kOid)
      .scan_index(c.txn, system_index::kConstraintType, {Datum::of_oid(domain)}, [&](RowReader row) {
        if (row.str(pg_constraint::c_conname) == name) {
          out = DomainConstraint{row.oid(pg_constraint::c_oid), std::string(row.str(pg_constraint::c_conbin))};
        }
        return !out;
      });
  return out;
}

// The type itself (an array or composite type over a domain) as some column's type: its values are not looked into.
Status refuse_container(DdlContext& c, Oid container, std::string_view domain) {
  for (const Dependent& d : dependents_of(c, {pg_type::kOid, container, 0})) {
    if (d.address.class_id == pg_type::kOid) {
      INDIGO_TRY(refuse_container(c, d.address.object, domain));
      continue;
    }
    if (d.address.class_id != pg_class::kOid || d.address.sub == 0) continue;
    const RelationPtr relation = current(c, d.address.object);
    if (relation->kind == RelationKind::kTable || relation->kind == RelationKind::kMaterializedView) {
      const std::string& column = relation->columns[static_cast<size_t>(d.address.sub) - 1].name;
      return Error(sqlstate::kFeatureNotSupported, "cannot alter type " + quoted(domain) + " because column " +
                                                       quoted(relation->name + "." + column) + " uses it");
    }
    if (relation->row_type != kInvalidOid) INDIGO_TRY(refuse_container(c, relation->row_type, domain));
  }
  return {};
}

struct DomainColumn {
  RelationPtr relation;
  int16_t number = 0;
};

// Columns of the domain's type, or of a domain over it, in tables (locked against writers).
Status find_columns(DdlContext& c, Oid domain, std::string_view name, std::vector<DomainColumn>& out) {
  for (const Dependent& d : dependents_of(c, {pg_type::kOid, domain, 0})) {
    if (d.address.class_id == pg_type::kOid) {
      const TypePtr type = c.catalog.type(d.address.object);
      INDIGO_TRY(type->kind == 'd' ? find_columns(c, type->oid, name, out) : refuse_container(c, type->oid, name));
      continue;
    }
    if (d.address.class_id != pg_class::kOid || d.address.sub == 0) continue;
    INDIGO_TRY(lock_object(c, d.address.object, TableLockMode::kShare));
    const RelationPtr relation = current(c, d.address.object);
    if (relation == nullptr) continue;
    if (relation->row_type != kInvalidOid) INDIGO_TRY(refuse_container(c, relation->row_type, name));
    if (relation->kind != RelationKind::kTable && relation->kind != RelationKind::kMaterializedView) continue;
    out.push_back({relation, static_cast<int16_t>(d.address.sub)});
  }
  return {};
}

Error at_column(SqlState state, const DomainColumn& where, std::string_view what) {
  const std::string& column = where.relation->columns[static_cast<size_t>(where.number) - 1].name;
  Error error(state, "column " + quoted(column) + " of table " + quoted(where.relation->name) + " contains " +
                         std::string(what));
  error.schema = where.relation->schema_name;
  error.table = where.relation->name;
  error.column = column;
  return error;
}

Status validate_stored(DdlContext& c, const TypePtr& type, std::string_view check) {
  std::vector<DomainColumn> columns;
  INDIGO_TRY(find_columns(c, type->oid, type->name, columns));
  for (const DomainColumn& at : columns) {
    auto value = std::make_shared<RelationInfo>();  // VALUE by the column's name
    value->columns.push_back(at.relation->columns[static_cast<size_t>(at.number) - 1]);
    INDIGO_ASSIGN(const std::string condition, expression_text(c, check, value));
    bool violated = false;
    INDIGO_TRY(
        c.host.run_query("SELECT 1 FROM ONLY " + qualified(*at.relation) + " WHERE NOT (" + condition + ") LIMIT 1",
                         [&](const ResultShape&, const Chunk& chunk) -> Status {
                           violated |= chunk.rows() > 0;
                           return {};
                         }));
    if (violated) return at_column(sqlstate::kCheckViolation, at, "values that violate the new constraint");
  }
  return {};
}

Status validate_not_null(DdlContext& c, const TypePtr& type) {
  std::vector<DomainColumn> columns;
  INDIGO_TRY(find_columns(c, type->oid, type->name, columns));
  for (const DomainColumn& at : columns) {
    INDIGO_TRY(for_each_row(c, *at.relation, [&](Bytes, Bytes row) -> Status {
      if (!at.relation->layout.column(row, static_cast<size_t>(at.number) - 1).null) return {};
      return at_column(sqlstate::kNotNullViolation, at, "null values");
    }));
  }
  return {};
}

Error no_constraint(std::string_view constraint, const TypePtr& type) {
  return Error(sqlstate::kUndefinedObject,
               "constraint " + quoted(constraint) + " of domain " + quoted(type->name) + " does not exist");
}

// Locked: what tables come to have columns of it is known from here on.
Result<TypePtr> find_domain(DdlContext& c, NodeList parts) {
  INDIGO_ASSIGN(const TypePtr type,
                find_and_lock(c, TableLockMode::kAccessExclusive, [&] { return existing_type(c, parts); }));
  if (type->kind != 'd') {
    return Error(sqlstate::kWrongObjectType, type_text(c, {type->oid, -1, kInvalidOid}) + " is not a domain");
  }
  INDIGO_TRY(check_owner(c, type->owner, "type", type->name));
  return type;
}

}  // namespace

Status execute_create_domain(DdlContext& c, const PgQuery__CreateDomainStmt& s) {
  INDIGO_ASSIGN(const NewTypeName name, new_type_name(c, nodes(s.n_domainname, s.domainname)));
  INDIGO_ASSIGN(TypeRef base, usable_type(c, s.type_name));
  const TypePtr info = c.catalog.type(base.oid);
  if (info->kind == 'p') {
    return Error(sqlstate::kDatatypeMismatch,
                 quoted(type_text(c, {base.oid, -1, kInvalidOid})) + " is not a valid base type for a domain")
        .at(position(c, s.type_name->location));
  }
  if (s.coll_clause != nullptr) {
    INDIGO_ASSIGN(const Oid collation,
                  resolve_collation(c, nodes(s.coll_clause->n_collname, s.coll_clause->collname), -1));
    if (info->collation == kInvalidOid) {
      return Error(sqlstate::kDatatypeMismatch,
                   "collations are not supported by type " + type_text(c, {base.oid, -1, kInvalidOid}));
    }
    base.collation = collation;
  }
  NewType t;
  t.name = name.name;
  t.schema = name.schema;
  t.owner = c.catalog.user();
  t.kind = 'd';
  t.length = info->length;
  t.by_value = info->by_value;
  t.category = info->category;
  t.alignment = info->alignment;
  t.storage = info->storage;
  t.base = base.oid;
  t.typmod = base.typmod;
  t.dimensions = static_cast<int32_t>(s.type_name->n_array_bounds);
  t.collation = base.collation;
  t.input = "domain_in";
  t.receive = "domain_recv";
  const auto output = c.catalog.function(info->output), send = c.catalog.function(info->send);
  const std::string output_name = output != nullptr ? output->name : "", send_name = send != nullptr ? send->name : "";
  t.output = output_name;
  t.send = send_name;
  bool null_seen = false, default_seen = false;
  std::vector<Address> default_references;
  for (const PgQuery__Node* node : nodes(s.n_constraints, s.constraints)) {
    const PgQuery__Constraint* k = node->constraint;
    switch (k->contype) {
      case PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT: {
        if (default_seen) return Error(sqlstate::kSyntaxError, "multiple default expressions");
        default_seen = true;
        INDIGO_ASSIGN(const StoredExpression e,
                      store_of_domain(c, k->raw_expr, ExpressionUse::kDefault, nullptr, base));
        if (e.null) break;  // as if there were none
        t.default_expr = e.tree;
        INDIGO_ASSIGN(t.default_text, expression_text(c, e.tree, nullptr, false));
        default_references = e.references;
        break;
      }
      case PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL:
        if (null_seen) return Error(sqlstate::kSyntaxError, "conflicting NULL/NOT NULL constraints");
        t.not_null = true;
        break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_NULL:
        if (t.not_null) return Error(sqlstate::kSyntaxError, "conflicting NULL/NOT NULL constraints");
        null_seen = true;
        break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK: break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
        return Error(sqlstate::kSyntaxError, "unique constraints not possible for domains");
      case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
        return Error(sqlstate::kSyntaxError, "primary key constraints not possible for domains");
      case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN:
        return Error(sqlstate::kSyntaxError, "foreign key constraints not possible for domains");
      default: return unsupported("this constraint of a domain");
    }
  }
  INDIGO_TRY(insert_with_array(c, t));
  INDIGO_TRY(record_dependency(c, {pg_type::kOid, t.oid, 0}, {pg_type::kOid, base.oid, 0}, 'n'));
  for (const Address& a : default_references) INDIGO_TRY(record_dependency(c, {pg_type::kOid, t.oid, 0}, a, 'n'));
  INDIGO_TRY(record_dependency(c, {pg_type::kOid, t.oid, 0}, {pg_collation::kOid, t.collation, 0}, 'n'));
  for (const PgQuery__Node* node : nodes(s.n_constraints, s.constraints)) {
    if (node->constraint->contype != PG_QUERY__CONSTR_TYPE__CONSTR_CHECK) continue;
    auto added = add_domain_check(c, t.oid, t.name, t.schema, base, *node->constraint);
    if (!added.ok()) return added.take_error();
  }
  c.catalog.changed({t.oid});
  return {};
}

namespace {

Status set_default(DdlContext& c, const TypePtr& type, const PgQuery__Node* value) {
  std::optional<StoredExpression> stored;
  std::string text;
  if (!sql::absent(value)) {
    const TypeRef base{type->base, type->base_typmod, type->collation};
    INDIGO_ASSIGN(stored, store_of_domain(c, value, ExpressionUse::kDefault, nullptr, base));
    if (stored->null) stored.reset();
  }
  if (stored) {
    INDIGO_ASSIGN(text, expression_text(c, stored->tree, nullptr, false));
    for (const Address& a : stored->references) {
      INDIGO_TRY(record_dependency(c, {pg_type::kOid, type->oid, 0}, a, 'n'));
    }
  }
  return update_row(c, pg_type::kOid, {Datum::of_oid(type->oid)}, [&](RowValues& v) {
    if (stored) {
      v.str(pg_type::c_typdefaultbin, stored->tree).str(pg_type::c_typdefault, text);
    } else {
      v.set_null(pg_type::c_typdefaultbin);
      v.set_null(pg_type::c_typdefault);
    }
  });
}

Status set_not_null(DdlContext& c, const TypePtr& type, bool wanted) {
  if (type->not_null == wanted) return {};
  if (wanted) INDIGO_TRY(validate_not_null(c, type));
  return update_row(c, pg_type::kOid, {Datum::of_oid(type->oid)},
                    [&](RowValues& v) { v.flag(pg_type::c_typnotnull, wanted); });
}

Status add_constraint(DdlContext& c, const TypePtr& type, const PgQuery__Constraint& k) {
  if (k.contype != PG_QUERY__CONSTR_TYPE__CONSTR_CHECK) return unsupported("this constraint of a domain");
  if (sql::has_text(k.conname) && find_constraint(c, type->oid, truncated_name(k.conname))) {
    return Error(sqlstate::kDuplicateObject, "constraint " + quoted(truncated_name(k.conname)) + " for domain " +
                                                 quoted(type->name) + " already exists");
  }
  const TypeRef base{type->base, type->base_typmod, type->collation};
  INDIGO_ASSIGN(const std::string expression, add_domain_check(c, type->oid, type->name, type->schema, base, k));
  return k.skip_validation ? Status() : validate_stored(c, type, expression);
}

Status drop_constraint(DdlContext& c, const TypePtr& type, const PgQuery__AlterDomainStmt& s) {
  const auto found = find_constraint(c, type->oid, s.name);
  if (found) {
    return drop_objects(c, {{pg_constraint::kOid, found->oid, 0}}, s.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE);
  }
  const Error error = no_constraint(s.name, type);
  if (!s.missing_ok) return error;
  notice(c, error.message + ", skipping");
  return {};
}

Status validate_constraint(DdlContext& c, const TypePtr& type, std::string_view name) {
  const auto found = find_constraint(c, type->oid, name);
  if (!found) return no_constraint(name, type);
  INDIGO_TRY(validate_stored(c, type, found->expression));
  return update_row(c, pg_constraint::kOid, {Datum::of_oid(found->oid)},
                    [](RowValues& v) { v.flag(pg_constraint::c_convalidated, true); });
}

}  // namespace

Status execute_alter_domain(DdlContext& c, const PgQuery__AlterDomainStmt& s) {
  INDIGO_ASSIGN(const TypePtr type, find_domain(c, nodes(s.n_type_name, s.type_name)));
  c.catalog.changed({type->oid});
  switch (s.subtype[0]) {
    case 'T': INDIGO_TRY(set_default(c, type, s.def)); break;
    case 'N': INDIGO_TRY(set_not_null(c, type, false)); break;
    case 'O': INDIGO_TRY(set_not_null(c, type, true)); break;
    case 'C': INDIGO_TRY(add_constraint(c, type, *s.def->constraint)); break;
    case 'X': INDIGO_TRY(drop_constraint(c, type, s)); break;
    case 'V': INDIGO_TRY(validate_constraint(c, type, s.name)); break;
    default: return unsupported("this form of ALTER DOMAIN");
  }
  c.catalog.changed({type->oid});
  return {};
}

Status rename_domain_constraint(DdlContext& c, NodeList domain, std::string_view from, std::string_view wanted) {
  INDIGO_ASSIGN(const TypePtr type, find_domain(c, domain));
  const std::string to = truncated_name(wanted), name = type_text(c, {type->oid, -1, kInvalidOid});
  const auto found = find_constraint(c, type->oid, from);
  if (!found) {
    return Error(sqlstate::kUndefinedObject, "constraint " + quoted(from) + " for domain " + name + " does not exist");
  }
  if (find_constraint(c, type->oid, to)) {
    return Error(sqlstate::kDuplicateObject, "constraint " + quoted(to) + " for domain " + name + " already exists");
  }
  INDIGO_TRY(update_row(c, pg_constraint::kOid, {Datum::of_oid(found->oid)},
                        [&](RowValues& v) { v.str(pg_constraint::c_conname, to); }));
  c.catalog.changed({type->oid});
  return {};
}

}  // namespace indigo::engine::ddl
