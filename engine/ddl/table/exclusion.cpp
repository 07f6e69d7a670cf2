#include "engine/ddl/table/exclusion.h"

#include <algorithm>

#include "catalog/access_method.h"
#include "catalog/descriptor/exclusion_info.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/object/tablespace.h"
#include "engine/ddl/table/storage_options.h"
#include "engine/ddl/tree.h"
#include "engine/ddl/trigger/trigger_rows.h"
#include "engine/row_sink.h"
#include "sql/analyze/expression/overloads.h"
#include "types/value/acl.h"
#include "types/value/vector.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_amop = catalog::pg_amop;
namespace pg_opclass = catalog::pg_opclass;
namespace pg_opfamily = catalog::pg_opfamily;

std::string operator_text(DdlContext& c, const types::OperatorInfo& op) {
  return op.name + "(" + type_text(c, {op.left, -1, kInvalidOid}) + "," + type_text(c, {op.right, -1, kInvalidOid}) +
         ")";
}

// The operator must be its own commutator and one that the index's class knows.
Result<Oid> exclusion_operator(DdlContext& c, const IndexColumnSpec& column, NodeList name) {
  const auto q = sql::qualified_name(name);
  const types::OperatorInfo* op =
      sql::find_operator_quietly(c.catalog, q.schema, q.name, column.type.oid, column.type.oid);
  if (op == nullptr) {
    const std::string type = type_text(c, {column.type.oid, -1, kInvalidOid});
    return Error(sqlstate::kUndefinedFunction,
                 "operator does not exist: " + type + " " + std::string(q.name) + " " + type)
        .with_hint("No operator matches the given name and argument types. You might need to add explicit type casts.");
  }
  if (op->commutator != op->oid) {
    return Error(sqlstate::kWrongObjectType, "operator " + operator_text(c, *op) + " is not commutative")
        .with_detail("Only commutative operators can be used in exclusion constraints.");
  }
  Oid family = kInvalidOid;
  std::string image;
  if (table(c, pg_opclass::kOid).find_oid(c.txn, column.opclass, image)) {
    family = table(c, pg_opclass::kOid).reader(image).oid(pg_opclass::c_opcfamily);
  }
  bool member = false;
  table(c, pg_amop::kOid).scan(c.txn, {}, [&](RowReader row) {
    member = row.oid(pg_amop::c_amopfamily) == family && row.oid(pg_amop::c_amopopr) == op->oid &&
             row.chr(pg_amop::c_amoppurpose) == 's';
    return !member;
  });
  if (!member) {
    std::string family_name;
    if (table(c, pg_opfamily::kOid).find_oid(c.txn, family, image)) {
      family_name = table(c, pg_opfamily::kOid).reader(image).str(pg_opfamily::c_opfname);
    }
    return Error(sqlstate::kWrongObjectType,
                 "operator " + operator_text(c, *op) + " is not a member of operator family " + quoted(family_name))
        .with_detail("The exclusion operator must be related to the index operator class for the constraint.");
  }
  return op->oid;
}

// The index, the constraint, and what they depend on; then the rows that are there.
Status insert_exclusion(DdlContext& c, const ConstraintTarget& target, IndexSpec spec, std::vector<Oid> operators,
                        const std::vector<StoredExpression>& expressions, bool deferrable, bool deferred) {
  const RelationPtr relation = current(c, target.relation);
  spec.exclusion = true;
  spec.immediate = !deferrable;
  NewConstraint n;
  n.oid = next_oid(c);
  n.name = spec.name;
  n.schema = relation->schema;
  n.kind = 'x';
  n.deferrable = deferrable;
  n.deferred = deferred;
  n.relation = relation->oid;
  n.no_inherit = true;
  n.exclusion = std::move(operators);
  INDIGO_ASSIGN(n.index, create_index(c, relation, spec));
  std::vector<int16_t> plain;
  for (const IndexColumnSpec& column : spec.columns) {
    n.columns.push_back(column.column);
    if (column.column != 0) plain.push_back(column.column);
  }
  plain.insert(plain.end(), spec.included.begin(), spec.included.end());
  INDIGO_TRY(insert_constraint(c, n));
  const Address constraint{pg_constraint::kOid, n.oid, 0}, index{pg_class::kOid, n.index, 0};
  INDIGO_TRY(record_column_dependencies(c, constraint, relation->oid, plain, 'a'));
  if (plain.empty()) INDIGO_TRY(record_dependency(c, constraint, {pg_class::kOid, relation->oid, 0}, 'a'));
  for (const Oid op : n.exclusion) {
    INDIGO_TRY(record_dependency(c, constraint, {catalog::pg_operator::kOid, op, 0}, 'n'));
  }
  INDIGO_TRY(record_dependency(c, index, constraint, 'i'));
  for (const StoredExpression& e : expressions) INDIGO_TRY(record_expression(c, index, e, relation->oid, 'a'));
  if (deferrable) INDIGO_TRY(add_key_trigger(c, n.oid, relation->oid, false, deferred));
  c.catalog.changed({relation->oid, n.index});
  if (target.is_new) return {};
  const RelationPtr now = current(c, relation->oid);
  for (const ConstraintInfo& k : now->constraints) {
    if (k.oid == n.oid) INDIGO_TRY(validate_exclusion(c, *now, k));
  }
  return {};
}

// SQL of an index's key over the table under an alias.
Result<std::string> key_of(DdlContext& c, const RelationPtr& relation, const catalog::IndexColumn& column) {
  if (column.column > 0) return identifier(relation->columns[static_cast<size_t>(column.column) - 1].name);
  INDIGO_ASSIGN(const std::string text, expression_text(c, column.expression, relation));
  return "(" + text + ")";
}

}  // namespace

Status add_exclusion_constraint(DdlContext& c, const ConstraintTarget& target, const PgQuery__Constraint& k) {
  const RelationPtr relation = current(c, target.relation);
  if (relation->is_partitioned()) {
    return Error(sqlstate::kFeatureNotSupported, "exclusion constraints are not supported on partitioned tables")
        .at(position(c, k.location));
  }
  if (!target.is_new) INDIGO_TRY(check_schema_privilege(c, relation->schema, types::kPrivilegeCreate));
  const std::string_view method_name = sql::has_text(k.access_method) ? k.access_method : "btree";
  const catalog::AccessMethod* method = catalog::access_method(method_name);
  if (method == nullptr) {
    return Error(sqlstate::kUndefinedObject, "access method " + quoted(method_name) + " does not exist");
  }
  if (!method->exclude) {
    return Error(sqlstate::kFeatureNotSupported,
                 "access method " + quoted(method_name) + " does not support exclusion constraints");
  }
  if (k.n_exclusions > 1 && !method->multicolumn) {
    return Error(sqlstate::kFeatureNotSupported,
                 "access method " + quoted(method_name) + " does not support multicolumn indexes");
  }
  IndexSpec spec;
  spec.method = method->oid;
  std::vector<StoredExpression> expressions;
  std::vector<Oid> operators;
  std::string columns_part;
  for (const PgQuery__Node* node : nodes(k.n_exclusions, k.exclusions)) {
    const NodeList pair = nodes(node->list->n_items, node->list->items);
    const PgQuery__IndexElem& element = *pair[0]->index_elem;
    INDIGO_ASSIGN(IndexColumnSpec column, index_element(c, relation, *method, element, expressions));
    const PgQuery__Node* name = pair[1];
    const NodeList parts = name->node_case == PG_QUERY__NODE__NODE_LIST ? nodes(name->list->n_items, name->list->items)
                                                                        : NodeList(&pair[1], 1);
    INDIGO_ASSIGN(const Oid op, exclusion_operator(c, column, parts));
    operators.push_back(op);
    int suffix = 0;
    const std::string base = column.name;
    while (
        std::any_of(spec.columns.begin(), spec.columns.end(), [&](const auto& o) { return o.name == column.name; })) {
      column.name = base + std::to_string(++suffix);
    }
    columns_part += (columns_part.empty() ? "" : "_") + column.name;
    spec.columns.push_back(std::move(column));
  }
  for (const PgQuery__Node* node : nodes(k.n_including, k.including)) {
    const ColumnInfo* column = relation->find_column(string_of(node));
    if (column == nullptr) {
      return Error(sqlstate::kUndefinedColumn, "column " + quoted(string_of(node)) + " named in key does not exist");
    }
    columns_part += "_" + column->name;
    spec.included.push_back(column->number);
  }
  if (!spec.included.empty() && !method->included) {
    return Error(sqlstate::kFeatureNotSupported,
                 "access method " + quoted(method_name) + " does not support included columns");
  }
  if (!sql::absent(k.where_clause)) {
    INDIGO_ASSIGN(StoredExpression predicate, store_expression(c, k.where_clause, ExpressionUse::kIndexPredicate,
                                                               relation, {oid::kBool, -1, kInvalidOid}));
    if (!predicate.immutable) {
      return Error(sqlstate::kInvalidObjectDefinition, "functions in index predicate must be marked IMMUTABLE");
    }
    spec.predicate = predicate.tree;
    expressions.push_back(std::move(predicate));
  }
  INDIGO_ASSIGN(spec.options, storage_options(OptionsOf::kIndex, nodes(k.n_options, k.options), method->name));
  if (sql::has_text(k.indexspace)) {
    INDIGO_ASSIGN(spec.tablespace,
                  new_relation_tablespace(c, k.indexspace, relation->persistence, relation->is_partitioned()));
  }
  if (sql::has_text(k.conname)) {
    spec.name = truncated_name(k.conname);
    if (c.catalog.relation_oid(relation->schema, spec.name) != kInvalidOid) {
      return Error(sqlstate::kDuplicateTable, "relation " + quoted(spec.name) + " already exists");
    }
    INDIGO_TRY(check_constraint_name_free(*relation, spec.name));
  } else {
    spec.name = choose_relation_name(c, relation->name, columns_part, "excl", relation->schema);
  }
  return insert_exclusion(c, target, std::move(spec), std::move(operators), expressions, k.deferrable, k.initdeferred);
}

Status add_exclusion_like(DdlContext& c, const ConstraintTarget& target, const ConstraintInfo& constraint,
                          const IndexInfo& index, IndexSpec spec, const std::vector<StoredExpression>& expressions) {
  const RelationPtr relation = current(c, target.relation);
  std::string names;
  for (const IndexColumnSpec& column : spec.columns) names += (names.empty() ? "" : "_") + column.name;
  spec.name = choose_relation_name(c, relation->name, names, "excl", relation->schema);
  spec.method = catalog::access_method(index.method)->oid;
  for (size_t i = 0; i < spec.columns.size(); i++) spec.columns[i].opclass = index.columns[i].opclass;
  return insert_exclusion(c, target, std::move(spec), catalog::exclusion_operators(constraint), expressions,
                          constraint.deferrable, constraint.deferred);
}

Status validate_exclusion(DdlContext& c, const RelationInfo& relation, const ConstraintInfo& k) {
  const auto index = std::find_if(relation.indexes.begin(), relation.indexes.end(),
                                  [&](const IndexInfo& i) { return i.oid == k.index; });
  if (index == relation.indexes.end()) return {};
  const RelationPtr shared = std::make_shared<const RelationInfo>(relation);
  const std::vector<Oid> operators = catalog::exclusion_operators(k);
  std::string list, names, from_a, from_b, where = "a.number < b.number";
  for (size_t i = 0; i < operators.size(); i++) {
    const catalog::IndexColumn& column = index->columns[i];
    INDIGO_ASSIGN(const std::string key, key_of(c, shared, column));
    const std::string as = "k" + std::to_string(i);
    list += (i > 0 ? ", " : "") + key + " AS " + as;
    from_a += (i > 0 ? ", a." : "a.") + as;
    from_b += ", b." + as;
    names += (i > 0 ? ", " : "");
    names += key;
    const types::OperatorInfo* op = c.catalog.operator_by_oid(operators[i]);
    if (op == nullptr) continue;
    where +=
        " AND a." + as + " OPERATOR(" + identifier(c.catalog.schema_name(op->schema)) + "." + op->name + ") b." + as;
  }
  std::string rows = "SELECT row_number() OVER () AS number, " + list + " FROM ONLY " + qualified(relation);
  if (!index->predicate.empty()) {
    INDIGO_ASSIGN(const std::string predicate, expression_text(c, index->predicate, shared));
    rows += " WHERE " + predicate;
  }
  const std::string sql = "WITH rows AS MATERIALIZED (" + rows + ") SELECT " + from_a + from_b +
                          " FROM rows a, rows b WHERE " + where + " LIMIT 1";
  std::vector<std::string> values;
  INDIGO_TRY(c.host.run_query(sql, [&](const ResultShape& shape, const Chunk& chunk) -> Status {
    if (chunk.rows() == 0 || !values.empty()) return {};
    for (size_t i = 0; i < chunk.columns.size(); i++) {
      values.push_back(value_text(c, shape.columns[i].type, chunk.columns[i].datum(chunk.selection[0])));
    }
    return {};
  }));
  if (values.empty()) return {};
  const auto part = [&](size_t from) {
    std::string out;
    for (size_t i = 0; i < operators.size(); i++) out += (i > 0 ? ", " : "") + values[from + i];
    return "Key (" + names + ")=(" + out + ")";
  };
  Error error(catalog::kExclusionViolation, "could not create exclusion constraint " + quoted(k.name));
  error.detail = part(0) + " conflicts with key" + part(operators.size()).substr(3) + ".";
  error.schema = relation.schema_name;
  error.table = relation.name;
  error.constraint = k.name;
  return error;
}

}  // namespace indigo::engine::ddl
