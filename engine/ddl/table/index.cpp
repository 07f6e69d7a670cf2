#include "engine/ddl/table/index.h"

#include <algorithm>

#include "catalog/catalog.h"
#include "catalog/descriptor/class_order.h"
#include "catalog/descriptor/info_builder.h"
#include "catalog/tables/row_key_extractor.h"
#include "catalog/tables/system_columns.h"
#include "engine/ddl/drop/remove_object.h"
#include "engine/ddl/expression.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/object/tablespace.h"
#include "engine/ddl/operator/class_members.h"
#include "engine/ddl/operator/operator_class.h"
#include "engine/ddl/partition/partition_index.h"
#include "engine/ddl/table/index_class.h"
#include "engine/ddl/table/nearest_index.h"
#include "engine/ddl/table/rewrite.h"
#include "engine/ddl/table/size_statistics.h"
#include "engine/ddl/table/storage_options.h"
#include "engine/ddl/tree.h"
#include "engine/exec/row_text.h"
#include "engine/exec/scan/index_key.h"
#include "engine/session/progress.h"
#include "sql/analyze/select/targets.h"
#include "storage/image/table_image.h"
#include "storage/index_build_watch.h"
#include "storage/table.h"
#include "types/builtin/builtins.h"
#include "types/builtin/index_methods.h"
#include "types/value/acl.h"
#include "types/value/collator.h"

namespace indigo::engine::ddl {

using catalog::AccessMethod;

Result<IndexColumnSpec> plain_index_column(DdlContext& c, const ColumnInfo& column) {
  IndexColumnSpec out;
  out.column = column.number;
  out.name = column.name;
  out.type = column.type;
  INDIGO_ASSIGN(out.opclass, default_class(c, catalog::default_access_method(), column.type.oid));
  return out;
}

Result<std::vector<IndexColumnSpec>> plain_index_columns(DdlContext& c, const RelationInfo& relation, NodeList names) {
  std::vector<IndexColumnSpec> out;
  for (const PgQuery__Node* node : names) {
    const ColumnInfo* column = relation.find_column(string_of(node));
    if (column == nullptr) {
      return Error(sqlstate::kUndefinedColumn, "column " + quoted(string_of(node)) + " named in key does not exist");
    }
    for (const IndexColumnSpec& other : out) {
      if (other.column == column->number) {
        return Error(sqlstate::kDuplicateColumn,
                     "column " + quoted(column->name) + " appears twice in unique constraint");
      }
    }
    INDIGO_ASSIGN(IndexColumnSpec spec, plain_index_column(c, *column));
    out.push_back(std::move(spec));
  }
  return out;
}

namespace {

Result<std::shared_ptr<const storage::KeyExtractor>> make_extractor(DdlContext& c, const RelationPtr& relation,
                                                                    const IndexInfo& index, types::KeyLayout key) {
  if (exec::has_computed_key(index)) {
    return exec::make_index_key_extractor(c.host.session(), c.store(), relation, index, key);
  }
  std::vector<uint16_t> columns;
  for (const catalog::IndexColumn& column : index.columns) columns.push_back(static_cast<uint16_t>(column.column - 1));
  return std::shared_ptr<const storage::KeyExtractor>(
      std::make_shared<catalog::RowKeyExtractor>(relation->layout, std::move(key), std::move(columns)));
}

// What stands in the way of building an index: two rows with one key, or a row whose key cannot be computed.
Error duplicated_key(DdlContext& c, const RelationPtr& relation, const IndexInfo& index,
                     const std::shared_ptr<storage::Table>& storage_table, const storage::Duplicate& duplicate) {
  Error error(sqlstate::kUniqueViolation, "could not create unique index " + quoted(index.name));
  error.schema = relation->schema_name;
  error.table = relation->name;
  error.constraint = index.name;
  std::string row;
  if (storage_table->get(c.txn, c.txn.newest_view(), duplicate.primary_key, row) == StorageStatus::kOk) {
    const auto key = exec::index_entry_text(c.host.session(), c.store(), relation, index, row);
    if (key) error.detail = "Key " + *key + " is duplicated.";
  }
  return error;
}

Error failing_key(DdlContext& c, const RelationPtr& relation, const storage::KeyExtractor& extractor,
                  const std::shared_ptr<storage::Table>& storage_table) {
  if (auto failure = exec::noted_key_error(c.host.session())) return *std::move(failure);
  auto cursor = storage_table->scan(c.txn, c.txn.newest_view(), storage::KeyRange::all());
  storage::RowRef refs[64];
  std::string key;
  bool has_null = false;
  size_t count = 0;
  while (cursor->next(refs, count) == StorageStatus::kOk && count > 0) {
    for (size_t i = 0; i < count; i++) {
      if (extractor.extract(refs[i].key, refs[i].row, key, has_null) != storage::KeyExtractor::Outcome::kError)
        continue;
      return exec::index_key_error(c.host.session(), c.store(), relation, refs[i].row);
    }
  }
  return storage_failure(StorageStatus::kKeyError, relation.get());
}

}  // namespace

namespace {

namespace building = progress::index;

// What pg_stat_progress_create_index shows of an index that is being built.
class IndexProgress final : public storage::IndexBuildWatch {
 public:
  IndexProgress(Progress* progress, const IndexInfo& index, uint64_t leaves)
      : progress_(running(progress, ProgressCommand::kCreateIndex)), leaves_(leaves) {
    if (progress_ == nullptr) return;
    progress_->set(building::kPhase, building::kBuilding);
    progress_->set(building::kMethod, catalog::access_method(index.method)->oid);
    if (progress_->get(building::kCommand) != building::kCreate) progress_->set(building::kIndex, index.oid);
  }

  void began(Step step, uint64_t total) override {
    if (progress_ == nullptr) return;
    scans_ = step == Step::kScan;
    total_ = total;
    progress_->set(building::kStep, scans_ ? building::kScan : step == Step::kSort ? building::kSort : building::kLoad);
    progress_->set(building::kTuplesTotal, static_cast<int64_t>(total));
    progress_->set(building::kTuplesDone, 0);
    progress_->set(building::kBlocksTotal, static_cast<int64_t>(scans_ ? leaves_ : 0));
    progress_->set(building::kBlocksDone, 0);
  }
  void advanced(uint64_t done) override {
    if (progress_ == nullptr) return;
    progress_->set(building::kTuplesDone, static_cast<int64_t>(done));
    if (scans_ && total_ > 0)
      progress_->set(building::kBlocksDone, static_cast<int64_t>(std::min(leaves_, leaves_ * done / total_)));
  }

 private:
  Progress* const progress_;
  const uint64_t leaves_;
  uint64_t total_ = 0;
  bool scans_ = false;
};

}  // namespace

Status build_index(DdlContext& c, const RelationPtr& relation, const IndexInfo& index, Oid filenode,
                   const std::shared_ptr<storage::Table>& storage_table) {
  // The descriptor was read before the index had a place of its own, when it looked like the table's own tree.
  std::vector<types::KeyColumn> key;
  std::vector<std::shared_ptr<const types::Collator>> orders;  // new ones: labels belong to the entries
  for (size_t i = 0; i < index.key.column_count(); i++) {
    key.push_back(index.key.column(i));
    key.back().nullable = true;
    const types::Collator* order = key.back().collator;
    if (order != nullptr && order->values() != nullptr) key.back().keep(order->renewed());
    orders.push_back(key.back().kept);
  }
  if (std::all_of(orders.begin(), orders.end(), [](const auto& order) { return order == nullptr; })) orders.clear();
  const auto owner = exec::has_computed_key(index) ? c.host.act_as(relation->owner) : nullptr;
  INDIGO_ASSIGN(const auto extractor, make_extractor(c, relation, index, types::KeyLayout(std::move(key))));
  storage::IndexOptions options{.file = orders.empty() ? filenode : 0};  // else its entries have labels of this life
  const bool once = index.unique && !index.immediate && !storage::index_is_mapped(*storage_table, options.file);
  options.unique = index.unique && (index.immediate || once);
  options.nulls_not_distinct = index.nulls_not_distinct;
  options.fill_percent = index_fill(c, index.oid);
  options.graph = index_graph(c, index.oid);
  const storage::IndexFactory make = catalog::access_method(index.method)->make;
  IndexId id(c.store().next_id().value);
  storage::Duplicate duplicate;
  IndexProgress watch(c.host.progress(), index, storage_table->statistics().leaf_count);
  StorageStatus status = storage::create_index(*storage_table, c.txn, id, make, options, extractor, &duplicate, &watch);
  if (status == StorageStatus::kOk && once) {
    // The rows that are there obey it now; from here on duplicates may stand until they are looked at.
    storage_table->drop_index(id);
    options.unique = false;
    id = IndexId(c.store().next_id().value);
    status = storage::create_index(*storage_table, c.txn, id, make, options, extractor, &duplicate, &watch);
  }
  if (status == StorageStatus::kDuplicateKey) return duplicated_key(c, relation, index, storage_table, duplicate);
  if (status == StorageStatus::kKeyError) return failing_key(c, relation, *extractor, storage_table);
  INDIGO_TRY(check(status, relation.get()));
  catalog::PhysicalRelation physical;
  physical.index = id;
  physical.orders = std::move(orders);
  const auto database = c.catalog.database_pointer();
  database->add_physical(filenode, std::move(physical));
  c.store().on_end(
      c.txn, [] {},
      [database, filenode, storage_table, id] {
        database->remove_physical(filenode);
        storage_table->drop_index(id);
      });
  return {};
}

Result<Oid> create_index(DdlContext& c, const RelationPtr& relation, const IndexSpec& spec) {
  if (spec.columns.size() + spec.included.size() > kMaxIndexColumns)
    return Error(sqlstate::kTooManyColumns, "cannot use more than 32 columns in an index");
  const Oid oid = next_oid(c);
  ProgressOf shown(c.host.progress(), ProgressCommand::kCreateIndex, relation->oid);
  shown.set(progress::index::kCommand, progress::index::kCreate);
  std::string class_image;
  if (!table(c, pg_class::kOid).find_oid(c.txn, relation->oid, class_image)) return gone_error(true);
  const Oid table_filenode = table(c, pg_class::kOid).reader(class_image).oid(pg_class::c_relfilenode);
  for (const IndexColumnSpec& column : spec.columns) {
    const types::KeyColumn key = catalog::key_column_of(column.type, c.catalog);
    if (catalog::keys_of_class(c.catalog, column.opclass) != nullptr) continue;
    if (catalog::access_method(spec.method)->searchable() && !types::KeyLayout::encodable(key.type, key.phys)) {
      return unsupported("an index on a column of type " + type_text(c, {column.type.oid, -1, kInvalidOid}));
    }
  }
  NewRelation r;
  r.oid = oid;
  r.name = spec.name;
  r.schema = relation->schema;
  r.kind = relation->is_partitioned() ? RelationKind::kPartitionedIndex : RelationKind::kIndex;
  r.persistence = relation->persistence;
  r.owner = relation->owner;
  r.access_method = spec.method;
  r.filenode = relation->is_partitioned() ? kInvalidOid : spec.is_tree ? table_filenode : oid;
  r.column_count = static_cast<int16_t>(spec.columns.size() + spec.included.size());
  r.options = spec.options;
  if (spec.tablespace) {
    r.tablespace = *spec.tablespace;
  } else {
    INDIGO_ASSIGN(r.tablespace, new_relation_tablespace(c, "", relation->persistence, relation->is_partitioned()));
  }
  INDIGO_TRY(insert_class(c, r));

  std::vector<int16_t> keys, options;
  std::vector<Oid> collations, classes;
  std::string expressions;
  int16_t number = 0;
  for (const IndexColumnSpec& column : spec.columns) {
    NewColumn attribute;
    attribute.name = column.name;
    attribute.type = column.type;
    attribute.options = column.class_options;
    INDIGO_TRY(insert_attribute(c, oid, ++number, attribute));
    keys.push_back(column.column);
    collations.push_back(column.type.collation);
    INDIGO_TRY(record_dependency(c, {pg_class::kOid, oid, 0}, {pg_collation::kOid, column.type.collation, 0}, 'n'));
    if (std::find(classes.begin(), classes.end(), column.opclass) == classes.end()) {
      INDIGO_TRY(record_dependency(c, {pg_class::kOid, oid, 0}, {catalog::pg_opclass::kOid, column.opclass, 0}, 'n'));
    }
    classes.push_back(column.opclass);
    options.push_back(static_cast<int16_t>((column.descending ? 1 : 0) | (column.nulls_first ? 2 : 0)));
    if (column.column == 0) {
      if (!expressions.empty()) expressions += ", ";
      expressions += column.expression;
    }
  }
  for (const int16_t included : spec.included) {
    const ColumnInfo& column = relation->columns[static_cast<size_t>(included) - 1];
    NewColumn attribute;
    attribute.name = column.name;
    attribute.type = column.type;
    INDIGO_TRY(insert_attribute(c, oid, ++number, attribute));
    keys.push_back(included);
  }
  SystemTable& indexes = table(c, pg_index::kOid);
  RowValues row(indexes.definition());
  row.oid(pg_index::c_indexrelid, oid)
      .oid(pg_index::c_indrelid, relation->oid)
      .i16(pg_index::c_indnatts, number)
      .i16(pg_index::c_indnkeyatts, static_cast<int16_t>(spec.columns.size()))
      .flag(pg_index::c_indisunique, spec.unique)
      .flag(pg_index::c_indnullsnotdistinct, spec.nulls_not_distinct)
      .flag(pg_index::c_indisprimary, spec.primary)
      .flag(pg_index::c_indisexclusion, spec.exclusion)
      .flag(pg_index::c_indimmediate, spec.immediate)
      .flag(pg_index::c_indisclustered, false)
      .flag(pg_index::c_indisvalid, spec.built)
      .flag(pg_index::c_indcheckxmin, false)
      .flag(pg_index::c_indisready, spec.built)
      .flag(pg_index::c_indislive, true)
      .flag(pg_index::c_indisreplident, false)
      .i16_vector(pg_index::c_indkey, keys)
      .oid_vector(pg_index::c_indcollation, collations)
      .oid_vector(pg_index::c_indclass, classes)
      .i16_vector(pg_index::c_indoption, options);
  if (!expressions.empty()) row.str(pg_index::c_indexprs, expressions);
  if (!spec.predicate.empty()) row.str(pg_index::c_indpred, spec.predicate);
  INDIGO_TRY(check(indexes.insert(c.txn, row)));
  INDIGO_TRY(update_class(c, relation->oid, [](RowValues& v) { v.flag(pg_class::c_relhasindex, true); }));
  c.catalog.changed({oid, relation->oid}, RelationParts::kIndexes);

  if (spec.built && !spec.is_tree && !relation->is_partitioned()) {
    // What the new rows say, read back, is what is built. (A primary key that is no tree is looked at with the whole table.)
    const RelationPtr now = spec.primary ? current(c, relation->oid) : c.catalog.with_index(*relation, oid);
    for (const IndexInfo& index : now->indexes) {
      if (index.oid == oid) INDIGO_TRY(build_index(c, now, index, oid, now->table));
    }
    c.catalog.changed({relation->oid}, RelationParts::kIndexes);
    if (now->table != nullptr) {
      const auto built = std::make_shared<catalog::RelationInfo>(*now);
      for (IndexInfo& index : built->indexes) {
        if (index.oid == oid) index.storage = c.catalog.database_object().physical(oid).index;
      }
      INDIGO_TRY(update_size_statistics(c, built, static_cast<float>(now->table->statistics().rows), oid));
    }
  }
  return oid;
}

// ---- CREATE INDEX

namespace {

// The expression of a key, which may turn out to be a column in parentheses.
Result<IndexColumnSpec> expression_element(DdlContext& c, const RelationPtr& relation, const PgQuery__IndexElem& e,
                                           std::vector<StoredExpression>& expressions) {
  // COLLATE at the top says the key's collation and is no part of what the key is.
  const PgQuery__Node* expression = e.expr;
  while (is(expression, PG_QUERY__NODE__NODE_COLLATE_CLAUSE)) expression = expression->collate_clause->arg;
  const TypeRef any{oid::kUnknown, -1, kInvalidOid};
  INDIGO_ASSIGN(StoredExpression stored, store_expression(c, expression, ExpressionUse::kIndex, relation, any));
  IndexColumnSpec spec;
  spec.type = stored.type;
  if (expression != e.expr) {
    INDIGO_ASSIGN(const StoredExpression whole, store_expression(c, e.expr, ExpressionUse::kIndex, relation, any));
    spec.type.collation = whole.type.collation;
  }
  if (is(expression, PG_QUERY__NODE__NODE_COLUMN_REF) && stored.columns.size() == 1) {
    const ColumnInfo& column = relation->columns[static_cast<size_t>(stored.columns[0]) - 1];
    spec.column = column.number;
    spec.name = column.name;
    return spec;
  }
  if (!stored.immutable)
    return Error(sqlstate::kInvalidObjectDefinition, "functions in index expression must be marked IMMUTABLE");
  spec.name = sql::has_text(e.indexcolname) ? std::string(e.indexcolname) : sql::output_name(e.expr);
  if (spec.name == "?column?") spec.name = "expr";
  if (spec.type.oid == oid::kUnknown && expression != e.expr)
    return Error(sqlstate::kDatatypeMismatch, "collations are not supported by type unknown");
  // A literal's type has no operator class, which is told by who asks for one.
  const TypePtr type = c.catalog.type(spec.type.oid);
  if (type != nullptr && type->kind == 'p' && type->oid != oid::kUnknown)
    return Error(sqlstate::kInvalidTableDefinition,
                 "column " + quoted(spec.name) + " has pseudo-type " + type_text(c, {type->oid, -1, kInvalidOid}));
  spec.expression = stored.tree;
  expressions.push_back(std::move(stored));
  return spec;
}

// Is the class's input type the column's, or one that it stands for as it is (varchar as text)?
bool class_accepts(DdlContext& c, const AccessMethod& method, std::string_view name, Oid type) {
  const TypePtr info = c.catalog.type(type);
  const Oid base = info->kind == 'd' ? info->base : type;
  const bool text = base == oid::kText || base == oid::kVarchar;
  if (name.starts_with("text_") || name.starts_with("varchar_")) return text;
  if (name.starts_with("bpchar_")) return text || base == oid::kBpchar;
  const TypePtr actual = base == type ? info : TypePtr(c.catalog.type(base));
  const Oid family = actual->is_array()    ? oid::kAnyArray
                     : actual->kind == 'e' ? oid::kAnyEnum
                     : actual->kind == 'c' ? oid::kRecord
                     : actual->kind == 'r' ? oid::kAnyRange
                     : actual->kind == 'm' ? oid::kAnyMultirange
                                           : kInvalidOid;
  bool accepts = false;
  table(c, catalog::pg_opclass::kOid).scan(c.txn, {}, [&](RowReader row) {
    const Oid input = row.oid(catalog::pg_opclass::c_opcintype);
    accepts |= row.str(catalog::pg_opclass::c_opcname) == name &&
               row.oid(catalog::pg_opclass::c_opcmethod) == method.classes &&
               (input == base || input == family || (text && input == oid::kText) ||
                (base == oid::kCidr && input == oid::kInet));
    return !accepts;
  });
  return accepts;
}

}  // namespace

Result<Oid> retyped_class(DdlContext& c, const AccessMethod& method, Oid opclass, Oid from, Oid to) {
  const auto by_default = default_class(c, method, from);
  if (by_default.ok() && *by_default == opclass) return default_class(c, method, to);
  const std::string name = class_name(c, opclass);
  const bool extension = opclass >= oid::kFirstUserOid && catalog::keys_of_class(c.catalog, opclass) == nullptr;
  if (extension || class_accepts(c, method, name, to)) return opclass;
  return Error(sqlstate::kDatatypeMismatch,
               "operator class " + quoted(name) + " does not accept data type " + type_text(c, {to, -1, kInvalidOid}));
}

Result<IndexColumnSpec> index_element(DdlContext& c, const RelationPtr& relation, const AccessMethod& method,
                                      const PgQuery__IndexElem& e, std::vector<StoredExpression>& expressions) {
  IndexColumnSpec spec;
  if (!sql::absent(e.expr)) {
    INDIGO_ASSIGN(spec, expression_element(c, relation, e, expressions));
  } else {
    const ColumnInfo* column = relation->find_column(e.name);
    if (column == nullptr) {
      if (catalog::find_system_column(std::string_view(e.name)) != nullptr) {
        return Error(sqlstate::kFeatureNotSupported, "index creation on system columns is not supported");
      }
      return Error(sqlstate::kUndefinedColumn, "column " + quoted(e.name) + " does not exist");
    }
    spec.column = column->number;
    spec.name = sql::has_text(e.indexcolname) ? e.indexcolname : column->name;
    spec.type = column->type;
  }
  if (e.n_collation > 0) {
    const TypePtr type = c.catalog.type(spec.type.oid);
    INDIGO_ASSIGN(const Oid collation, resolve_collation(c, nodes(e.n_collation, e.collation), -1));
    if (type->collation == kInvalidOid) {
      return Error(sqlstate::kDatatypeMismatch,
                   "collations are not supported by type " + type_text(c, {type->oid, -1, kInvalidOid}));
    }
    spec.type.collation = collation;
  }
  if (e.n_opclass > 0) {
    const auto q = sql::qualified_name(nodes(e.n_opclass, e.opclass));
    bool defined = false;
    spec.opclass = c.catalog.catalog().builtins().opclass_named(method.classes, q.name);
    if (spec.opclass == kInvalidOid) {
      spec.opclass = operator_class_named(c, method.classes, q);
      defined = catalog::keys_of_class(c.catalog, spec.opclass) != nullptr;  // its function makes the keys
      if (spec.opclass != kInvalidOid && method.searchable() && !defined)
        return unsupported("an index of method \"" + std::string(method.name) + "\" by operator class " +
                           quoted(q.name));
    }
    if (spec.opclass == kInvalidOid) {
      return Error(sqlstate::kUndefinedObject,
                   "operator class " + quoted(q.name) + " does not exist for access method " + quoted(method.name));
    }
    const auto by_default = default_class(c, method, spec.type.oid);
    if (!by_default.ok() || spec.opclass != *by_default) {
      // With collation C the pattern classes order as the default ones do; and so does a class of the default one's family.
      const std::string_view name = q.name;
      const types::Builtins& builtins = c.catalog.catalog().builtins();
      const Oid family = builtins.opclass_family(spec.opclass);
      const bool related = by_default.ok() && family != kInvalidOid && family == builtins.opclass_family(*by_default);
      const bool pattern = related || defined || name == "text_pattern_ops" || name == "varchar_pattern_ops" ||
                           name == "bpchar_pattern_ops" || name == "varchar_ops" || name == "text_ops";
      if (!class_accepts(c, method, name, spec.type.oid)) {
        return Error(sqlstate::kDatatypeMismatch, "operator class " + quoted(name) + " does not accept data type " +
                                                      type_text(c, {spec.type.oid, -1, kInvalidOid}));
      }
      if (const types::Collator* collator = c.catalog.collator(spec.type.collation);
          name.ends_with("_pattern_ops") && collator != nullptr && !collator->deterministic()) {
        return Error(sqlstate::kFeatureNotSupported,
                     "nondeterministic collations are not supported for operator class " + quoted(name));
      }
      if (!pattern && method.searchable()) return unsupported("operator class " + quoted(name));
    }
  } else {
    INDIGO_ASSIGN(spec.opclass, default_class(c, method, spec.type.oid));
  }
  if (e.n_opclassopts > 0) {
    INDIGO_ASSIGN(spec.class_options, storage_options(OptionsOf::kClass, nodes(e.n_opclassopts, e.opclassopts),
                                                      class_name(c, spec.opclass)));
  }
  if (!sql::absent(e.expr) && spec.column == 0 && expressions.back().system_columns)
    return Error(sqlstate::kFeatureNotSupported, "index creation on system columns is not supported");
  spec.descending = e.ordering == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
  spec.nulls_first = e.nulls_ordering == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT
                         ? spec.descending
                         : e.nulls_ordering == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST;
  return spec;
}

namespace {

// The method that is asked for, if it can do what is asked of it.
Result<const AccessMethod*> method_for(DdlContext& c, const PgQuery__IndexStmt& s) {
  const std::string_view name = s.access_method;
  const AccessMethod* method = catalog::access_method(name);
  if (method == nullptr || (!method->handler.empty() && !find_index_method(c, name).ok()))
    return Error(sqlstate::kUndefinedObject, "access method " + quoted(name) + " does not exist");
  const auto refuse = [&](std::string_view what) {
    return Error(sqlstate::kFeatureNotSupported,
                 "access method " + quoted(method->name) + " does not support " + std::string(what));
  };
  if (s.unique && !method->unique) return refuse("unique indexes");
  for (const PgQuery__Node* node : nodes(s.n_index_params, s.index_params)) {
    if (method->ordered) break;
    if (node->index_elem->ordering != PG_QUERY__SORT_BY_DIR__SORTBY_DEFAULT) return refuse("ASC/DESC options");
    if (node->index_elem->nulls_ordering != PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT) {
      return refuse("NULLS FIRST/LAST options");
    }
  }
  if (s.n_index_including_params > 0 && !method->included) return refuse("included columns");
  if (s.n_index_params > 1 && !method->multicolumn) return refuse("multicolumn indexes");
  return method;
}

Result<Oid> create_with_dependencies(DdlContext& c, const RelationPtr& relation, const IndexSpec& spec,
                                     const std::vector<StoredExpression>& expressions) {
  INDIGO_ASSIGN(const Oid oid, create_index(c, relation, spec));
  std::vector<int16_t> columns;
  for (const IndexColumnSpec& column : spec.columns) {
    if (column.column != 0) columns.push_back(column.column);
  }
  columns.insert(columns.end(), spec.included.begin(), spec.included.end());
  const Address self{pg_class::kOid, oid, 0};
  if (columns.empty()) INDIGO_TRY(record_dependency(c, self, {pg_class::kOid, relation->oid, 0}, 'a'));
  INDIGO_TRY(record_column_dependencies(c, self, relation->oid, columns, 'a'));
  for (const StoredExpression& e : expressions) INDIGO_TRY(record_expression(c, self, e, relation->oid, 'a'));
  return oid;
}

// What CREATE INDEX CONCURRENTLY leaves when it fails, as in PostgreSQL: the index by name, which nobody reads or writes.
Status leave_unbuilt(DdlContext& c, Oid table, IndexSpec spec, const std::vector<StoredExpression>& expressions) {
  INDIGO_TRY(lock_object(c, table, TableLockMode::kShareUpdateExclusive));
  const RelationPtr relation = current(c, table);
  if (relation == nullptr || c.catalog.relation_oid(relation->schema, spec.name) != kInvalidOid) return {};
  spec.built = false;
  const auto made = create_with_dependencies(c, relation, spec, expressions);
  return made.ok() ? Status() : made.error();
}

// The owner's, of a kind that has indexes, and no system catalog.
Status check_indexable(DdlContext& c, const RelationInfo& relation) {
  INDIGO_TRY(check_owner(c, relation));
  if (relation.kind != RelationKind::kTable && relation.kind != RelationKind::kMaterializedView &&
      !relation.is_partitioned()) {
    return Error(sqlstate::kWrongObjectType, "cannot create index on relation " + quoted(relation.name))
        .with_detail(not_supported_for(relation.kind));
  }
  return check_not_system(relation);
}

}  // namespace

Status execute_create_index(DdlContext& c, const PgQuery__IndexStmt& s) {
  INDIGO_ASSIGN(const RelationPtr relation,
                open_relation(c, s.relation, TableLockMode::kShare, false, check_indexable));
  INDIGO_TRY(check_schema_privilege(c, relation->schema, types::kPrivilegeCreate));
  INDIGO_TRY(check_not_in_use(c, *relation, "CREATE INDEX"));
  if (s.n_exclude_op_names > 0) return unsupported("an exclusion constraint");
  if (s.concurrent && relation->is_partitioned()) {
    return Error(sqlstate::kFeatureNotSupported,
                 "cannot create index on partitioned table " + quoted(relation->name) + " concurrently");
  }
  IndexSpec spec;
  INDIGO_ASSIGN(const AccessMethod* method, method_for(c, s));
  spec.method = method->oid;
  spec.unique = s.unique;
  spec.nulls_not_distinct = s.nulls_not_distinct;
  INDIGO_ASSIGN(spec.options, storage_options(OptionsOf::kIndex, nodes(s.n_options, s.options), method->name));
  if (sql::has_text(s.table_space)) {
    INDIGO_ASSIGN(spec.tablespace,
                  new_relation_tablespace(c, s.table_space, relation->persistence, relation->is_partitioned()));
  }
  std::vector<StoredExpression> expressions;
  if (!sql::absent(s.where_clause)) {
    INDIGO_ASSIGN(StoredExpression predicate, store_expression(c, s.where_clause, ExpressionUse::kIndexPredicate,
                                                               relation, {oid::kBool, -1, kInvalidOid}));
    if (!predicate.immutable) {
      return Error(sqlstate::kInvalidObjectDefinition, "functions in index predicate must be marked IMMUTABLE");
    }
    spec.predicate = predicate.tree;
    expressions.push_back(std::move(predicate));
  }
  std::string columns_part;
  for (const PgQuery__Node* node : nodes(s.n_index_params, s.index_params)) {
    INDIGO_ASSIGN(IndexColumnSpec column, index_element(c, relation, *method, *node->index_elem, expressions));
    if (method->nearest) INDIGO_TRY(check_nearest_column(c, *method, column, spec.options));
    // Index column names are unique within the index.
    int suffix = 0;
    const std::string base = column.name;
    while (
        std::any_of(spec.columns.begin(), spec.columns.end(), [&](const auto& o) { return o.name == column.name; })) {
      column.name = base + std::to_string(++suffix);
    }
    if (!columns_part.empty()) columns_part += "_";
    columns_part += column.name;
    spec.columns.push_back(std::move(column));
  }
  for (const PgQuery__Node* node : nodes(s.n_index_including_params, s.index_including_params)) {
    const PgQuery__IndexElem& e = *node->index_elem;
    const auto refuse = [](std::string_view what) {
      return Error(sqlstate::kInvalidObjectDefinition, "including column does not support " + std::string(what));
    };
    if (e.n_collation > 0) return refuse("a collation");
    if (e.n_opclass > 0) return refuse("an operator class");
    if (e.ordering != PG_QUERY__SORT_BY_DIR__SORTBY_DEFAULT) return refuse("ASC/DESC options");
    if (e.nulls_ordering != PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT) return refuse("NULLS FIRST/LAST options");
    if (!sql::absent(e.expr)) {
      return Error(sqlstate::kFeatureNotSupported, "expressions are not supported in included columns");
    }
    const ColumnInfo* column = relation->find_column(e.name);
    if (column == nullptr) {
      return Error(sqlstate::kUndefinedColumn, "column " + quoted(node->index_elem->name) + " does not exist");
    }
    columns_part += "_" + column->name;
    spec.included.push_back(column->number);
  }
  spec.name = truncated_name(s.idxname);
  if (spec.name.empty()) {
    spec.name = choose_relation_name(c, relation->name, columns_part, "idx", relation->schema);
  } else if (c.catalog.relation_oid(relation->schema, spec.name) != kInvalidOid) {
    if (s.if_not_exists) {
      notice(c, "relation " + quoted(spec.name) + " already exists, skipping", sqlstate::kDuplicateTable);
      return {};
    }
    return Error(sqlstate::kDuplicateTable, "relation " + quoted(spec.name) + " already exists");
  }
  if (spec.unique && relation->is_partitioned() && s.relation->inh)
    INDIGO_TRY(check_no_foreign_partition(c, *relation));
  INDIGO_TRY(check_partitioned_key(c, *relation, spec));
  ProgressOf shown(c.host.progress(), ProgressCommand::kCreateIndex, relation->oid);
  shown.set(progress::index::kCommand, s.concurrent ? progress::index::kCreateConcurrently : progress::index::kCreate);
  if (s.concurrent) {
    c.after_failure = [table = relation->oid, spec, expressions](DdlContext& again) {
      return leave_unbuilt(again, table, spec, expressions);
    };
  }
  INDIGO_ASSIGN(const Oid oid, create_with_dependencies(c, relation, spec, expressions));
  if (!relation->is_partitioned()) return {};
  if (s.relation->inh) {
    INDIGO_TRY(add_partition_indexes(c, current(c, relation->oid), oid));
  } else if (!relation->children.empty()) {  // until its parts are attached
    c.catalog.changed({relation->oid, oid});
    INDIGO_TRY(update_row(c, pg_index::kOid, {Datum::of_oid(oid)},
                          [](RowValues& v) { v.flag(pg_index::c_indisvalid, false); }));
  }
  return {};
}

}  // namespace indigo::engine::ddl
