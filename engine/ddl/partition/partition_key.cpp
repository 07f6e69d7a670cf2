#include "engine/ddl/partition/partition_key.h"

#include <algorithm>

#include "catalog/access_method.h"
#include "catalog/catalog.h"
#include "catalog/descriptor/class_order.h"
#include "catalog/descriptor/info_builder.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_columns.h"
#include "engine/ddl/expression.h"
#include "engine/ddl/operator/operator_class.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "sql/parse/parser.h"
#include "types/builtin/builtins.h"
#include "types/builtin/index_methods.h"
#include "types/text/ascii.h"
#include "types/value/collator.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_partitioned_table = catalog::pg_partitioned_table;

struct KeyParts {
  std::vector<int16_t> columns;
  std::vector<Oid> classes, collations;
  std::string expressions;
  std::vector<StoredExpression> stored;
};

Error not_in_key(std::string message, int at, SqlState state = sqlstate::kInvalidObjectDefinition) {
  return Error(state, std::move(message)).at(at);
}

// Rows find their partition by a hash class's support function 2, without which there is nothing to go by.
Status check_seeded_hash(DdlContext& c, Oid opclass) {
  namespace pg_opclass = catalog::pg_opclass;
  std::string image;
  const SystemTable& classes = table(c, pg_opclass::kOid);
  if (!classes.find_oid(c.txn, opclass, image)) return {};
  const RowReader of = classes.reader(image);
  const Oid type = of.oid(pg_opclass::c_opcintype);
  const Datum input = Datum::of_oid(type);
  bool has = false;
  table(c, catalog::pg_amproc::kOid)
      .scan_index(c.txn, system_index::kAmprocFamily, {Datum::of_oid(of.oid(pg_opclass::c_opcfamily)), input, input},
                  [&](RowReader row) {
                    has = has || row.i16(catalog::pg_amproc::c_amprocnum) == 2;
                    return !has;
                  });
  if (has) return {};
  return Error(sqlstate::kInvalidObjectDefinition,
               "operator class " + quoted(std::string(of.str(pg_opclass::c_opcname))) +
                   " of access method hash is missing support function 2 for type " +
                   type_text(c, {type, -1, kInvalidOid}));
}

// The class a column is compared or hashed by; 42704 when its type has none.
Result<Oid> class_of(DdlContext& c, const PgQuery__PartitionElem& e, Oid type, char strategy) {
  const bool hash = strategy == 'h';
  const catalog::AccessMethod& classes =
      hash ? *catalog::access_method(oid::kHashMethod) : catalog::default_access_method();
  const std::string method(classes.name);
  if (e.n_opclass > 0) {
    INDIGO_ASSIGN(const Oid found, find_class(c, nodes(e.n_opclass, e.opclass), type, classes.oid));
    if (hash && found >= oid::kFirstUserOid) INDIGO_TRY(check_seeded_hash(c, found));
    return found;
  }
  Oid found = c.catalog.default_opclass(type);
  if (hash) {
    const TypePtr info = c.catalog.type(type);
    Oid base = info != nullptr && info->kind == 'd' ? info->base : type;
    if (info != nullptr && info->kind == 'e') base = oid::kAnyEnum;
    if (info != nullptr && info->is_array()) base = oid::kAnyArray;
    const Oid of_hash =
        c.catalog.catalog().builtins().default_opclass(classes.oid, base == oid::kVarchar ? oid::kText : base);
    if (of_hash != kInvalidOid) {
      found = of_hash;
    } else if (found == kInvalidOid || found >= oid::kFirstUserOid) {
      found = c.catalog.own_default_opclass(base, classes.oid);
    }
  }
  if (found != kInvalidOid) return found;
  return Error(sqlstate::kUndefinedObject, "data type " + type_text(c, {type, -1, kInvalidOid}) +
                                               " has no default operator class for access method " + quoted(method))
      .with_hint("You must specify a " + method + " operator class or define a default " + method +
                 " operator class for the data type.");
}

Status add_column(DdlContext& c, const RelationInfo& relation, const PgQuery__PartitionElem& e, TypeRef& type,
                  KeyParts& out) {
  const int at = position(c, e.location);
  const ColumnInfo* column = relation.find_column(e.name);
  if (column == nullptr) {
    if (catalog::find_system_column(std::string_view(e.name)) != nullptr)
      return not_in_key("cannot use system column " + quoted(e.name) + " in partition key", at);
    return not_in_key("column " + quoted(e.name) + " named in partition key does not exist", at,
                      sqlstate::kUndefinedColumn);
  }
  if (column->generated != 0) {
    return Error(not_in_key("cannot use generated column in partition key", at))
        .with_detail("Column " + quoted(column->name) + " is a generated column.");
  }
  type = column->type;
  out.columns.push_back(column->number);
  return {};
}

Status add_expression(DdlContext& c, const RelationPtr& relation, const PgQuery__PartitionElem& e, TypeRef& type,
                      KeyParts& out) {
  const int at = position(c, e.location);
  if (is(e.expr, PG_QUERY__NODE__NODE_COLUMN_REF)) {
    const PgQuery__ColumnRef& ref = *e.expr->column_ref;
    if (ref.n_fields == 1 && is(ref.fields[0], PG_QUERY__NODE__NODE_STRING)) {
      PgQuery__PartitionElem plain = e;
      plain.name = ref.fields[0]->string->sval;
      return add_column(c, *relation, plain, type, out);
    }
  }
  INDIGO_ASSIGN(StoredExpression stored, store_expression(c, e.expr, ExpressionUse::kPartitionKey, relation,
                                                          TypeRef{oid::kUnknown, -1, kInvalidOid}));
  if (const TypePtr info = c.catalog.type(stored.type.oid); info != nullptr && info->kind == 'p') {
    type = stored.type;
    out.columns.push_back(0);
    return {};  // told by the caller, with the column's number
  }
  if (!stored.immutable) return not_in_key("functions in partition key expression must be marked IMMUTABLE", 0);
  if (stored.columns.empty()) return not_in_key("cannot use constant expression as partition key", 0);
  for (const int16_t number : stored.columns) {
    const ColumnInfo& column = relation->columns[static_cast<size_t>(number) - 1];
    if (column.generated == 0) continue;
    return Error(not_in_key("cannot use generated column in partition key", at))
        .with_detail("Column " + quoted(column.name) + " is a generated column.");
  }
  type = stored.type;
  out.columns.push_back(0);
  if (!out.expressions.empty()) out.expressions += ", ";
  out.expressions += std::to_string(stored.type.oid) + " " + stored.tree;
  out.stored.push_back(std::move(stored));
  return {};
}

}  // namespace

Result<char> partition_strategy(const PgQuery__PartitionSpec& spec) {
  const std::string name = types::to_lower(spec.strategy);
  if (name == "range" || name == "r") return 'r';
  if (name == "hash" || name == "h") return 'h';
  if (name != "list" && name != "l") {
    return Error(sqlstate::kInvalidParameterValue, "unrecognized partitioning strategy " + quoted(spec.strategy));
  }
  if (spec.n_part_params > 1) {
    return Error(sqlstate::kInvalidObjectDefinition,
                 "cannot use \"list\" partition strategy with more than one column");
  }
  return 'l';
}

Status add_partition_key(DdlContext& c, const RelationPtr& relation, const PgQuery__PartitionSpec& spec) {
  INDIGO_ASSIGN(const char strategy, partition_strategy(spec));
  if (spec.n_part_params > 32) {
    return Error(sqlstate::kTooManyColumns, "cannot partition using more than 32 columns");
  }
  KeyParts parts;
  for (const PgQuery__Node* node : nodes(spec.n_part_params, spec.part_params)) {
    const PgQuery__PartitionElem& e = *node->partition_elem;
    TypeRef type;
    INDIGO_TRY(sql::has_text(e.name) ? add_column(c, *relation, e, type, parts)
                                     : add_expression(c, relation, e, type, parts));
    if (const TypePtr info = c.catalog.type(type.oid); info != nullptr && info->kind == 'p') {
      return Error(sqlstate::kInvalidTableDefinition,
                   "partition key column " + std::to_string(parts.columns.size()) + " has pseudo-type " + info->name);
    }
    if (e.n_collation > 0) {
      const TypePtr info = c.catalog.type(type.oid);
      if (info == nullptr || info->collation == kInvalidOid) {
        return Error(sqlstate::kDatatypeMismatch,
                     "collations are not supported by type " + type_text(c, {type.oid, -1, kInvalidOid}));
      }
      INDIGO_ASSIGN(type.collation, resolve_collation(c, nodes(e.n_collation, e.collation), e.location));
    }
    INDIGO_ASSIGN(const Oid opclass, class_of(c, e, type.oid, strategy));
    const types::KeyColumn key = catalog::key_column_of(type, c.catalog);
    const bool defined = catalog::keys_of_class(c.catalog, opclass) != nullptr;
    if (strategy != 'h' && !defined && !types::KeyLayout::encodable(key.type, key.phys)) {
      return unsupported("a partition key of type " + type_text(c, {type.oid, -1, kInvalidOid}));
    }
    parts.classes.push_back(opclass);
    parts.collations.push_back(type.collation);
  }
  SystemTable& t = table(c, pg_partitioned_table::kOid);
  RowValues row(t.definition());
  row.oid(pg_partitioned_table::c_partrelid, relation->oid)
      .chr(pg_partitioned_table::c_partstrat, strategy)
      .i16(pg_partitioned_table::c_partnatts, static_cast<int16_t>(parts.columns.size()))
      .oid(pg_partitioned_table::c_partdefid, kInvalidOid)
      .i16_vector(pg_partitioned_table::c_partattrs, parts.columns)
      .oid_vector(pg_partitioned_table::c_partclass, parts.classes)
      .oid_vector(pg_partitioned_table::c_partcollation, parts.collations);
  if (!parts.expressions.empty()) row.str(pg_partitioned_table::c_partexprs, parts.expressions);
  INDIGO_TRY(check(t.insert(c.txn, row)));
  c.catalog.changed({relation->oid});
  const Address self{pg_class::kOid, relation->oid, 0};
  for (size_t i = 0; i < parts.columns.size(); i++) {
    if (parts.columns[i] > 0) {
      INDIGO_TRY(record_dependency(c, {pg_class::kOid, relation->oid, parts.columns[i]}, self, 'i'));
    }
    INDIGO_TRY(record_dependency(c, self, {pg_collation::kOid, parts.collations[i], 0}, 'n'));
    INDIGO_TRY(record_dependency(c, self, {catalog::pg_opclass::kOid, parts.classes[i], 0}, 'n'));
  }
  for (const StoredExpression& e : parts.stored) {
    for (const int16_t column : e.columns) {
      INDIGO_TRY(record_dependency(c, {pg_class::kOid, relation->oid, column}, self, 'i'));
    }
    for (const Address& a : e.references) INDIGO_TRY(record_dependency(c, self, a, 'n'));
  }
  return {};
}

Status set_default_partition(DdlContext& c, Oid parent, Oid partition) {
  c.catalog.changed({parent});
  return update_row(c, pg_partitioned_table::kOid, {Datum::of_oid(parent)},
                    [&](RowValues& v) { v.oid(pg_partitioned_table::c_partdefid, partition); });
}

Status check_not_in_partition_key(DdlContext& c, const RelationInfo& relation, int16_t column, std::string_view verb) {
  if (relation.partition_key == nullptr) return {};
  for (const catalog::PartitionKeyColumn& k : relation.partition_key->columns) {
    if (k.column == column) {
      return Error(sqlstate::kInvalidTableDefinition,
                   "cannot " + std::string(verb) + " column " +
                       quoted(relation.columns[static_cast<size_t>(column) - 1].name) +
                       " because it is part of the partition key of relation " + quoted(relation.name));
    }
    if (k.column != 0) continue;
    INDIGO_ASSIGN(const StoredExpression e, copy_expression(c, k.expression, relation, nullptr));
    if (std::find(e.columns.begin(), e.columns.end(), column) != e.columns.end()) {
      return Error(sqlstate::kInvalidTableDefinition,
                   "cannot " + std::string(verb) + " column " +
                       quoted(relation.columns[static_cast<size_t>(column) - 1].name) +
                       " because it is part of the partition key of relation " + quoted(relation.name));
    }
  }
  return {};
}

Status remove_partition_key(DdlContext& c, Oid relation) {
  SystemTable& t = table(c, pg_partitioned_table::kOid);
  std::string image;
  if (!t.find_oid(c.txn, relation, image)) return {};
  return check_erased(t.erase(c.txn, {Datum::of_oid(relation)}));
}

}  // namespace indigo::engine::ddl
