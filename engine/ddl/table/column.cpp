// Columns of CREATE TABLE and ALTER TABLE ADD COLUMN.
#include <algorithm>

#include "engine/ddl/table/create_table.h"
#include "engine/ddl/table/foreign_key.h"
#include "engine/ddl/table/identity_column.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

// serial and the like: the integer type behind the name.
std::optional<Oid> serial_type(const PgQuery__TypeName* name) {
  const NodeList parts = nodes(name->n_names, name->names);
  if (parts.size() != 1) return std::nullopt;
  const std::string_view n = string_of(parts[0]);
  if (n == "smallserial" || n == "serial2") return oid::kInt2;
  if (n == "serial" || n == "serial4") return oid::kInt4;
  if (n == "bigserial" || n == "serial8") return oid::kInt8;
  return std::nullopt;
}

Error at(DdlContext& c, const PgQuery__Constraint* k, std::string message, SqlState state = sqlstate::kSyntaxError) {
  return Error(state, std::move(message)).at(position(c, k->location));
}

// What is wrong with a default's type is said of the column.
Error of_default(DdlContext& c, const NewColumn& column, std::unique_ptr<Error> error) {
  constexpr std::string_view kBegin = "expression is of type ", kEnd = " but type ";
  const size_t end = error->message.find(kEnd);
  if (!error->message.starts_with(kBegin) || end == std::string::npos) return std::move(*error);
  Error out(error->state, "column " + quoted(column.name) + " is of type " +
                              type_text(c, {column.type.oid, -1, kInvalidOid}) + " but default expression is of type " +
                              error->message.substr(kBegin.size(), end - kBegin.size()));
  out.hint = error->hint;
  return out;
}

// serial and the like: an integer column that is not null, and a sequence.
Status read_serial(DdlContext& c, const PgQuery__ColumnDef& d, Oid integer, const std::string& where, ColumnSpec& out) {
  if (d.type_name->n_array_bounds > 0) {
    return Error(sqlstate::kFeatureNotSupported, "array of serial is not implemented")
        .at(position(c, d.type_name->location));
  }
  for (const PgQuery__Node* node : nodes(d.n_constraints, d.constraints)) {
    if (node->constraint->contype == PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT) {
      return Error(sqlstate::kSyntaxError, "multiple default values specified for " + where);
    }
    if (node->constraint->contype == PG_QUERY__CONSTR_TYPE__CONSTR_NULL) {
      return Error(sqlstate::kSyntaxError, "conflicting NULL/NOT NULL declarations for " + where);
    }
  }
  out.serial = true;
  out.column.type.oid = integer;
  out.column.not_null = true;
  return {};
}

Status read_type(DdlContext& c, const PgQuery__ColumnDef& d, ColumnSpec& out) {
  INDIGO_ASSIGN(out.column.type, usable_type(c, d.type_name));
  out.column.dimensions = static_cast<int>(d.type_name->n_array_bounds);
  const TypePtr type = c.catalog.type(out.column.type.oid);
  if (type->kind == 'p') {
    return Error(sqlstate::kInvalidTableDefinition, "column " + quoted(out.column.name) + " has pseudo-type " +
                                                        type_text(c, {type->oid, -1, kInvalidOid}));
  }
  return {};
}

Status read_collation(DdlContext& c, const PgQuery__CollateClause& clause, TypeRef& type) {
  INDIGO_ASSIGN(const Oid collation, resolve_collation(c, nodes(clause.n_collname, clause.collname), clause.location));
  if (TypePtr(c.catalog.type(type.oid))->collation == kInvalidOid) {
    return Error(sqlstate::kDatatypeMismatch,
                 "collations are not supported by type " + type_text(c, {type.oid, -1, kInvalidOid}))
        .at(position(c, clause.location));
  }
  type.collation = collation;
  return {};
}

// [NOT] DEFERRABLE, INITIALLY DEFERRED | IMMEDIATE: of the constraint before it, which is const here: the tree is ours alone
// while the statement runs. `never`: the constraint that has been said to be NOT DEFERRABLE.
Status read_deferrability(DdlContext& c, const PgQuery__Constraint* k, const ColumnSpec& spec,
                          const PgQuery__Constraint*& never) {
  PgQuery__Constraint* target = nullptr;
  for (const auto* list : {&spec.keys, &spec.foreign_keys}) {
    for (const PgQuery__Constraint* other : *list) {
      if (target == nullptr || other->location > target->location) target = const_cast<PgQuery__Constraint*>(other);
    }
  }
  const bool deferrable = k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRABLE;
  const bool deferred = k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRED;
  if (target == nullptr) {
    return at(c, k,
              deferrable ? "misplaced DEFERRABLE clause"
              : deferred ? "misplaced INITIALLY DEFERRED clause"
                         : "misplaced INITIALLY IMMEDIATE clause");
  }
  if (deferred && target->deferrable == 0 && never == target) {
    return at(c, k, "constraint declared INITIALLY DEFERRED must be DEFERRABLE");
  }
  if (k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_NOT_DEFERRABLE) never = target;
  if (deferrable || deferred) target->deferrable = 1;
  if (deferred) target->initdeferred = 1;
  return {};
}

// Two of default, identity and generation expression: told at the second.
Status check_one_value(DdlContext& c, const PgQuery__Constraint* k, const ColumnSpec& spec, const std::string& where) {
  const bool has_default = spec.default_node != nullptr, identity = spec.identity != nullptr,
             generated = spec.generated_node != nullptr;
  const char* both = has_default && identity    ? "default and identity"
                     : has_default && generated ? "default and generation expression"
                     : identity && generated    ? "identity and generation expression"
                                                : nullptr;
  return both == nullptr ? Status() : Status(at(c, k, std::string("both ") + both + " specified for " + where));
}

}  // namespace

Result<ColumnSpec> column_spec(DdlContext& c, const PgQuery__ColumnDef& d, std::string_view table_name) {
  ColumnSpec out;
  out.column.name = truncated_name(d.colname);
  out.location = d.location;
  out.foreign_options = nodes(d.n_fdwoptions, d.fdwoptions);
  const std::string where = "column " + quoted(out.column.name) + " of table " + quoted(table_name);
  if (d.type_name != nullptr) {  // else options of a partition's column
    const auto serial = serial_type(d.type_name);
    INDIGO_TRY(serial ? read_serial(c, d, *serial, where, out) : read_type(c, d, out));
  }
  if (d.type_name != nullptr && sql::has_text(d.compression)) {
    INDIGO_ASSIGN(out.compression, column_compression(c, out.column.type, d.compression));
  }
  if (d.coll_clause != nullptr && d.type_name != nullptr)
    INDIGO_TRY(read_collation(c, *d.coll_clause, out.column.type));
  bool null_seen = false, not_null_seen = false;
  const PgQuery__Constraint* never_deferrable = nullptr;
  const std::string conflict = "conflicting NULL/NOT NULL declarations for " + where;
  for (const PgQuery__Node* node : nodes(d.n_constraints, d.constraints)) {
    const PgQuery__Constraint* k = node->constraint;
    switch (k->contype) {
      case PG_QUERY__CONSTR_TYPE__CONSTR_NULL:
        if (not_null_seen || out.serial || out.identity != nullptr) return at(c, k, conflict);
        null_seen = true;
        break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL:
        if (null_seen) return at(c, k, conflict);
        not_null_seen = true;
        out.column.not_null = true;
        break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT:
        if (out.default_node != nullptr || out.serial)
          return at(c, k, "multiple default values specified for " + where);
        out.default_node = k->raw_expr;
        INDIGO_TRY(check_one_value(c, k, out, where));
        break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_IDENTITY:
        if (out.identity != nullptr) return at(c, k, "multiple identity specifications for " + where);
        if (out.serial) return Error(sqlstate::kSyntaxError, "both default and identity specified for " + where);
        if (null_seen) return at(c, k, conflict);
        out.identity = k;
        out.column.identity = k->generated_when[0];
        out.column.not_null = true;
        INDIGO_TRY(check_one_value(c, k, out, where));
        break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_GENERATED:
        if (out.generated_node != nullptr) return at(c, k, "multiple generation clauses specified for " + where);
        out.generated_node = k->raw_expr;
        out.column.generated = 's';
        INDIGO_TRY(check_one_value(c, k, out, where));
        break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK: out.checks.push_back(k); break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
      case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE: out.keys.push_back(k); break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN: out.foreign_keys.push_back(k); break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_EXCLUSION: return unsupported("an exclusion constraint");
      case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRABLE:
      case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_NOT_DEFERRABLE:
      case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRED:
      case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_IMMEDIATE:
        INDIGO_TRY(read_deferrability(c, k, out, never_deferrable));
        break;
      default: return unsupported("this column constraint");
    }
  }
  if (out.identity != nullptr && d.type_name != nullptr) INDIGO_TRY(check_identity_type(out.column.type.oid));
  return out;
}

namespace {

char letter_of_column(DdlContext& c, Oid relation, int16_t column, int attribute) {
  std::string image;
  const SystemTable& t = table(c, pg_attribute::kOid);
  return t.find(c.txn, {Datum::of_oid(relation), Datum::of(column)}, image) ? t.reader(image).chr(attribute) : '\0';
}

}  // namespace

char storage_of(DdlContext& c, Oid relation, int16_t column) {
  return letter_of_column(c, relation, column, pg_attribute::c_attstorage);
}
char compression_of(DdlContext& c, Oid relation, int16_t column) {
  return letter_of_column(c, relation, column, pg_attribute::c_attcompression);
}

Result<char> column_compression(DdlContext& c, const TypeRef& type, std::string_view method) {
  if (method.empty() || method == "default") return '\0';
  const TypePtr info = c.catalog.type(type.oid);
  if (info == nullptr || info->storage == 'p') {
    return Error(sqlstate::kFeatureNotSupported,
                 "column data type " + type_text(c, {type.oid, -1, kInvalidOid}) + " does not support compression");
  }
  if (method == "pglz" || method == "lz4") return method[0];
  return Error(sqlstate::kInvalidParameterValue, "invalid compression method " + quoted(method));
}

Result<Oid> make_serial_sequence(DdlContext& c, std::string_view statement, std::string_view table_name,
                                 const ColumnSpec& spec, Oid schema, char persistence) {
  SequenceDefinition d;
  std::string name;
  if (spec.identity != nullptr) {
    INDIGO_ASSIGN(d, sequence_definition(c, nodes(spec.identity->n_options, spec.identity->options), nullptr,
                                         spec.column.type.oid));
    if (d.name != nullptr) {
      const NodeList parts = nodes(d.name->n_items, d.name->items);
      name = std::string(string_of(parts.back()));
    }
  } else if (spec.identity_like) {
    d = *spec.identity_like;
  } else {
    INDIGO_ASSIGN(d, sequence_definition(c, {}, nullptr, spec.column.type.oid));
  }
  if (name.empty()) name = choose_relation_name(c, table_name, spec.column.name, "seq", schema);
  debug(c, std::string(statement) + " will create implicit sequence " + quoted(name) + " for serial column " +
               quoted(std::string(table_name) + "." + spec.column.name));
  return create_sequence(c, name, schema, persistence, c.catalog.user(), d);
}

Status adopt_sequence(DdlContext& c, Oid sequence, Oid relation, int16_t column, bool serial) {
  const Address owner{pg_class::kOid, relation, column}, self{pg_class::kOid, sequence, 0};
  INDIGO_TRY(record_dependency(c, self, owner, serial ? 'a' : 'i'));
  if (serial) {
    for (const Dependent& d : dependents_of(c, owner)) {
      if (d.address.class_id == pg_attrdef::kOid) INDIGO_TRY(record_dependency(c, d.address, self, 'n'));
    }
  }
  c.catalog.changed({relation}, RelationParts::kDefaults);
  return {};
}

Status finish_column(DdlContext& c, const RelationPtr& relation, int16_t number, const ColumnSpec& spec) {
  std::optional<StoredExpression> stored;
  if (spec.default_node != nullptr) {
    const PgQuery__Node* node = spec.default_node;
    // DEFAULT NULL is no default, but hides a domain's; under a modifier it is a call of its function.
    const TypePtr type = c.catalog.type(spec.column.type.oid);
    const bool null_constant = is(node, PG_QUERY__NODE__NODE_A_CONST) && node->a_const->isnull &&
                               spec.column.type.typmod < 0 && (type == nullptr || type->kind != 'd');
    if (!null_constant) {
      auto e = store_expression(c, node, ExpressionUse::kDefault, nullptr, spec.column.type);
      if (!e.ok()) return of_default(c, spec.column, e.take_error());
      stored = std::move(*e);
    }
  } else if (spec.generated_node != nullptr) {
    auto made = store_expression(c, spec.generated_node, ExpressionUse::kGenerated, relation, spec.column.type);
    if (!made.ok()) return of_default(c, spec.column, made.take_error());
    StoredExpression& e = *made;
    if (!e.immutable) return Error(sqlstate::kInvalidObjectDefinition, "generation expression is not immutable");
    for (const int16_t used : e.columns) {
      const ColumnInfo& other = relation->columns[static_cast<size_t>(used) - 1];
      if (other.generated == 0) continue;
      const int at = position(c, sql::location_of(spec.generated_node));
      return Error(sqlstate::kInvalidObjectDefinition,
                   "cannot use generated column " + quoted(other.name) + " in column generation expression")
          .with_detail("A generated column cannot reference another generated column.")
          .at(at);
    }
    stored = std::move(e);
  }
  if (!stored && spec.default_tree) {
    INDIGO_ASSIGN(stored, copy_expression(c, *spec.default_tree, *spec.default_source, relation));
  } else if (!stored && spec.default_text) {
    INDIGO_ASSIGN(stored, store_expression(c, *spec.default_text, ExpressionUse::kDefault, nullptr, spec.column.type));
  }
  if (!stored) return {};
  INDIGO_ASSIGN(const Oid oid, insert_default(c, relation->oid, number, stored->tree));
  const Address self{pg_attrdef::kOid, oid, 0};
  // A generated column goes with what its expression reads, a default alone.
  const bool generated = spec.column.generated != 0;
  INDIGO_TRY(record_dependency(c, self, {pg_class::kOid, relation->oid, number}, generated ? 'i' : 'a'));
  return record_expression(c, self, *stored, relation->oid, generated ? 'n' : 'a');
}

Status add_column_constraints(DdlContext& c, ConstraintTarget& target, const ColumnSpec& spec) {
  // The grammar leaves the column's name out of its own constraints: put it in for the time of the call.
  PgQuery__String name = PG_QUERY__STRING__INIT;
  name.sval = const_cast<char*>(spec.column.name.c_str());
  PgQuery__Node node = PG_QUERY__NODE__INIT;
  node.node_case = PG_QUERY__NODE__NODE_STRING;
  node.string = &name;
  PgQuery__Node* list[] = {&node};
  for (const PgQuery__Constraint* k : spec.keys) {
    PgQuery__Constraint with_column = *k;
    with_column.n_keys = 1;
    with_column.keys = list;
    INDIGO_TRY(add_key_constraint(c, target, with_column));
  }
  for (const PgQuery__Constraint* k : spec.checks) INDIGO_TRY(add_check_constraint(c, target, *k));
  for (const PgQuery__Constraint* k : spec.foreign_keys) {
    PgQuery__Constraint with_column = *k;
    with_column.n_fk_attrs = 1;
    with_column.fk_attrs = list;
    INDIGO_TRY(add_foreign_key(c, target, with_column));
  }
  return {};
}

}  // namespace indigo::engine::ddl
