#include "engine/ddl/object/statistics.h"

#include <algorithm>

#include "catalog/generated/columns.h"
#include "catalog/tables/system_columns.h"
#include "engine/ddl/expression.h"
#include "engine/ddl/object/comment.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/tree.h"
#include "engine/row_sink.h"
#include "types/builtin/function_text.h"
#include "types/value/acl.h"
#include "types/value/array_format.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_statistic_ext = catalog::pg_statistic_ext;

constexpr size_t kStatisticsColumnsMax = 8;

Oid statistics_in(DdlContext& c, Oid schema, std::string_view name) {
  Oid found = kInvalidOid;
  table(c, pg_statistic_ext::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.str(pg_statistic_ext::c_stxname) == name && row.oid(pg_statistic_ext::c_stxnamespace) == schema) {
      found = row.oid(pg_statistic_ext::c_oid);
    }
    return found == kInvalidOid;
  });
  return found;
}

Result<Oid> find_statistics(DdlContext& c, NodeList name) {
  const auto q = sql::qualified_name(name);
  Oid found = kInvalidOid;
  if (!q.schema.empty()) {
    INDIGO_ASSIGN(const Oid schema, existing_schema(c, q.schema));
    found = statistics_in(c, schema, q.name);
  } else {
    for (const Oid schema : c.catalog.search_path()) {
      if (found == kInvalidOid && schema != c.catalog.temp_schema()) found = statistics_in(c, schema, q.name);
    }
  }
  if (found != kInvalidOid) return found;
  return Error(sqlstate::kUndefinedObject,
               "statistics object " + quoted(sql::name_list_text(name)) + " does not exist");
}

Status check_statistics_name(DdlContext& c, Oid schema, std::string_view name) {
  if (statistics_in(c, schema, name) == kInvalidOid) return {};
  return Error(sqlstate::kDuplicateObject, "statistics object " + quoted(name) + " already exists in schema " +
                                               quoted(c.catalog.schema_name(schema)));
}

struct StatisticsParts {
  std::vector<int16_t> columns;
  std::vector<StoredExpression> expressions;
  std::string names;  // of columns and expressions, for a name that is made up
};

Status check_sortable(DdlContext& c, std::string_view column, Oid type) {
  if (c.catalog.btree_operator(type, 1) != kInvalidOid) return {};
  const std::string what = column.empty() ? "expression" : "column " + quoted(column);
  return Error(sqlstate::kFeatureNotSupported,
               what + " cannot be used in " + (column.empty() ? "multivariate " : "") + "statistics because its type " +
                   type_text(c, {type, -1, kInvalidOid}) + " has no default btree operator class");
}

Status read_statistics_element(DdlContext& c, const RelationPtr& relation, const PgQuery__StatsElem& e, bool alone,
                               StatisticsParts& out) {
  out.names += out.names.empty() ? "" : "_";
  int16_t number = 0;
  if (sql::has_text(e.name)) {
    const ColumnInfo* column = relation->find_column(e.name);
    if (column == nullptr) {
      if (catalog::find_system_column(std::string_view(e.name)) != nullptr) {
        return Error(sqlstate::kFeatureNotSupported, "statistics creation on system columns is not supported");
      }
      return Error(sqlstate::kUndefinedColumn, "column " + quoted(e.name) + " does not exist");
    }
    number = column->number;
  } else {
    INDIGO_ASSIGN(StoredExpression stored,
                  store_expression(c, e.expr, ExpressionUse::kStatistics, relation,
                                   TypeRef{alone ? kInvalidOid : oid::kUnknown, -1, kInvalidOid}));
    if (!is(e.expr, PG_QUERY__NODE__NODE_COLUMN_REF) || stored.columns.size() != 1) {
      if (!alone) INDIGO_TRY(check_sortable(c, "", stored.type.oid));
      out.names += "expr";
      out.expressions.push_back(std::move(stored));
      return {};
    }
    number = stored.columns[0];
  }
  const ColumnInfo& column = relation->columns[static_cast<size_t>(number) - 1];
  INDIGO_TRY(check_sortable(c, column.name, column.type.oid));
  out.names += column.name;
  out.columns.push_back(number);
  return {};
}

Result<StatisticsParts> read_statistics_parts(DdlContext& c, const RelationPtr& relation,
                                              const PgQuery__CreateStatsStmt& s) {
  StatisticsParts out;
  if (s.n_exprs > kStatisticsColumnsMax) {
    return Error(sqlstate::kTooManyColumns,
                 "cannot have more than " + std::to_string(kStatisticsColumnsMax) + " columns in statistics");
  }
  for (const PgQuery__Node* node : nodes(s.n_exprs, s.exprs)) {
    INDIGO_TRY(read_statistics_element(c, relation, *node->stats_elem, s.n_exprs == 1, out));
  }
  std::sort(out.columns.begin(), out.columns.end());
  if (std::adjacent_find(out.columns.begin(), out.columns.end()) != out.columns.end()) {
    return Error(sqlstate::kDuplicateColumn, "duplicate column name in statistics definition");
  }
  for (size_t i = 0; i < out.expressions.size(); i++) {
    for (size_t j = 0; j < i; j++) {
      if (out.expressions[i].tree != out.expressions[j].tree) continue;
      return Error(sqlstate::kDuplicateColumn, "duplicate expression in statistics definition");
    }
  }
  return out;
}

// pg_statistic_ext.stxkind
Result<std::string> read_statistics_kinds(const PgQuery__CreateStatsStmt& s, const StatisticsParts& d) {
  bool distinct = false, dependencies = false, common = false;
  for (const PgQuery__Node* node : nodes(s.n_stat_types, s.stat_types)) {
    const std::string_view kind = string_of(node);
    if (kind == "ndistinct") {
      distinct = true;
    } else if (kind == "dependencies") {
      dependencies = true;
    } else if (kind == "mcv") {
      common = true;
    } else {
      return Error(sqlstate::kSyntaxError, "unrecognized statistics kind " + quoted(kind));
    }
  }
  if (d.columns.empty() && d.expressions.size() == 1) {
    if (s.n_stat_types > 0) {
      return Error(sqlstate::kFeatureNotSupported,
                   "when building statistics on a single expression, statistics kinds may not be specified");
    }
    return std::string("e");
  }
  if (d.columns.size() + d.expressions.size() < 2) {
    return Error(sqlstate::kInvalidObjectDefinition, "extended statistics require at least 2 columns");
  }
  const bool all = s.n_stat_types == 0;
  std::string out;
  if (all || distinct) out += 'd';
  if (all || dependencies) out += 'f';
  if (all || common) out += 'm';
  if (!d.expressions.empty()) out += 'e';
  return out;
}

std::string free_statistics_name(DdlContext& c, const RelationInfo& relation, const std::string& names) {
  constexpr size_t kNameMax = 63;
  for (int pass = 0;; pass++) {
    const std::string suffix = "_stat" + (pass == 0 ? std::string() : std::to_string(pass));
    std::string base = relation.name + "_" + names;
    if (base.size() + suffix.size() > kNameMax) base.resize(kNameMax - suffix.size());
    if (statistics_in(c, relation.schema, base + suffix) == kInvalidOid) return base + suffix;
  }
}

struct NewStatistics {
  std::string name;
  Oid schema = kInvalidOid;
  StatisticsParts parts;
  std::string kinds;  // pg_statistic_ext.stxkind
};
Result<Oid> insert_statistics(DdlContext& c, const RelationInfo& relation, const NewStatistics& n) {
  const StatisticsParts& d = n.parts;
  const Oid oid = next_oid(c);
  SystemTable& t = table(c, pg_statistic_ext::kOid);
  RowValues row(t.definition());
  row.oid(pg_statistic_ext::c_oid, oid)
      .oid(pg_statistic_ext::c_stxrelid, relation.oid)
      .str(pg_statistic_ext::c_stxname, n.name)
      .oid(pg_statistic_ext::c_stxnamespace, n.schema)
      .oid(pg_statistic_ext::c_stxowner, c.catalog.user())
      .i32(pg_statistic_ext::c_stxstattarget, -1)
      .i16_vector(pg_statistic_ext::c_stxkeys, d.columns)
      .chars(pg_statistic_ext::c_stxkind, n.kinds);
  std::string trees;
  for (const StoredExpression& e : d.expressions) trees += (trees.empty() ? "" : ", ") + e.tree;
  if (!trees.empty()) row.str(pg_statistic_ext::c_stxexprs, trees);
  INDIGO_TRY(check(t.insert(c.txn, row)));
  c.host.made(pg_statistic_ext::kOid, oid, c.extension != kInvalidOid);
  const Address self{pg_statistic_ext::kOid, oid, 0};
  INDIGO_TRY(record_column_dependencies(c, self, relation.oid, d.columns, 'a'));
  if (d.columns.empty()) INDIGO_TRY(record_dependency(c, self, {pg_class::kOid, relation.oid, 0}, 'a'));
  for (const StoredExpression& e : d.expressions) INDIGO_TRY(record_expression(c, self, e, relation.oid, 'a'));
  INDIGO_TRY(record_dependency(c, self, {pg_namespace::kOid, n.schema, 0}, 'n'));
  c.catalog.changed({relation.oid});
  return oid;
}

Status update_statistics(DdlContext& c, Oid oid, const std::function<void(RowValues&)>& change) {
  INDIGO_TRY(update_row(c, pg_statistic_ext::kOid, {Datum::of_oid(oid)}, change));
  c.catalog.changed({kInvalidOid});
  return {};
}

}  // namespace

Status execute_create_statistics(DdlContext& c, const PgQuery__CreateStatsStmt& s) {
  if (s.n_relations != 1)
    return Error(sqlstate::kFeatureNotSupported, "only a single relation is allowed in CREATE STATISTICS");
  if (s.relations[0]->node_case != PG_QUERY__NODE__NODE_RANGE_VAR)
    return Error(sqlstate::kFeatureNotSupported, "CREATE STATISTICS only supports relation names in the FROM clause");
  INDIGO_ASSIGN(const RelationPtr relation,
                open_relation(c, s.relations[0]->range_var, TableLockMode::kShareUpdateExclusive));
  if (relation->kind != RelationKind::kTable && relation->kind != RelationKind::kMaterializedView &&
      !relation->is_partitioned() && !relation->is_foreign()) {
    return Error(sqlstate::kWrongObjectType, "cannot define statistics for relation " + quoted(relation->name))
        .with_detail(not_supported_for(relation->kind));
  }
  INDIGO_TRY(check_owner(c, *relation));
  INDIGO_TRY(check_not_system(*relation));
  std::string name;
  Oid schema = relation->schema;
  if (s.n_defnames > 0) {
    const auto q = sql::qualified_name(nodes(s.n_defnames, s.defnames));
    INDIGO_ASSIGN(schema, creation_schema(c, nodes(s.n_defnames, s.defnames)));
    name = truncated_name(q.name);
    if (statistics_in(c, schema, name) != kInvalidOid) {
      if (!s.if_not_exists) {
        return Error(sqlstate::kDuplicateObject, "statistics object " + quoted(name) + " already exists");
      }
      notice(c, "statistics object " + quoted(name) + " already exists, skipping", sqlstate::kDuplicateObject);
      return {};
    }
  }
  INDIGO_ASSIGN(const StatisticsParts d, read_statistics_parts(c, relation, s));
  INDIGO_ASSIGN(const std::string kinds, read_statistics_kinds(s, d));
  if (name.empty()) {
    INDIGO_TRY(check_schema_privilege(c, schema, types::kPrivilegeCreate));
    name = free_statistics_name(c, *relation, d.names);
  }
  INDIGO_TRY(insert_statistics(c, *relation, {std::move(name), schema, d, kinds}));
  return {};
}

Status copy_statistics(DdlContext& c, const RelationInfo& source, const RelationPtr& relation, bool comments) {
  struct Kept {
    Oid oid;
    std::vector<int16_t> columns;
    std::vector<std::string> expressions;
    std::string kinds;
  };
  std::vector<Kept> all;
  table(c, pg_statistic_ext::kOid)
      .scan_index(c.txn, system_index::kStatisticsTable, {Datum::of_oid(source.oid)}, [&](RowReader row) {
        Kept kept{row.oid(pg_statistic_ext::c_oid), {}, {}, {}};
        const ArrayView keys(row.str(pg_statistic_ext::c_stxkeys)), kinds(row.str(pg_statistic_ext::c_stxkind));
        for (int32_t i = 0; i < keys.count(); i++) kept.columns.push_back(keys.element(i).i16);
        for (int32_t i = 0; i < kinds.count(); i++) kept.kinds += kinds.element(i).str;
        if (!row.is_null(pg_statistic_ext::c_stxexprs))
          kept.expressions = types::split_default_texts(row.str(pg_statistic_ext::c_stxexprs));
        all.push_back(std::move(kept));
        return true;
      });
  std::sort(all.begin(), all.end(), [](const Kept& a, const Kept& b) { return a.oid < b.oid; });
  for (const Kept& kept : all) {
    StatisticsParts parts;
    const auto called = [&](std::string_view name) {
      parts.names += (parts.names.empty() ? "" : "_") + std::string(name);
    };
    for (const int16_t number : kept.columns) {
      const ColumnInfo* column = relation->find_column(source.columns[static_cast<size_t>(number) - 1].name);
      parts.columns.push_back(column->number);
      called(column->name);
    }
    std::sort(parts.columns.begin(), parts.columns.end());
    for (const std::string& tree : kept.expressions) {
      INDIGO_ASSIGN(StoredExpression e, copy_expression(c, tree, source, relation));
      parts.expressions.push_back(std::move(e));
      called("expr");
    }
    const std::string name = free_statistics_name(c, *relation, parts.names);
    INDIGO_ASSIGN(const Oid made,
                  insert_statistics(c, *relation, {name, relation->schema, std::move(parts), kept.kinds}));
    const auto text = comments ? comment_on(c, {pg_statistic_ext::kOid, kept.oid, 0}) : std::nullopt;
    if (text) INDIGO_TRY(set_comment(c, {pg_statistic_ext::kOid, made, 0}, *text));
  }
  return {};
}

Status execute_alter_statistics(DdlContext& c, const PgQuery__AlterStatsStmt& s) {
  constexpr int32_t kTargetMax = 10000;
  int32_t target = s.stxstattarget;
  if (target < -1) {
    return Error(sqlstate::kInvalidParameterValue, "statistics target " + std::to_string(target) + " is too low");
  }
  if (target > kTargetMax) {
    target = kTargetMax;
    c.host.notice(Severity::kWarning,
                  Error(sqlstate::kInvalidParameterValue, "lowering statistics target to " + std::to_string(target)));
  }
  INDIGO_ASSIGN(const auto found, find_own_statistics(c, nodes(s.n_defnames, s.defnames), s.missing_ok));
  if (!found) return {};
  return update_statistics(c, found->object, [&](RowValues& v) { v.i32(pg_statistic_ext::c_stxstattarget, target); });
}

Result<std::optional<Address>> find_own_statistics(DdlContext& c, NodeList name, bool missing_ok, Right right) {
  const auto found = find_statistics(c, name);
  if (!found.ok()) {
    if (!missing_ok) return found.error();
    notice(c, found.error().message + ", skipping");
    return std::optional<Address>();
  }
  std::string image;
  const SystemTable& t = table(c, pg_statistic_ext::kOid);
  if (!t.find_oid(c.txn, *found, image)) return std::optional<Address>();
  const RowReader row = t.reader(image);
  INDIGO_TRY(check_right(c, right, row.oid(pg_statistic_ext::c_stxnamespace), row.oid(pg_statistic_ext::c_stxowner),
                         "statistics object", row.str(pg_statistic_ext::c_stxname)));
  return std::optional<Address>(Address{pg_statistic_ext::kOid, *found, 0});
}

Status rename_statistics(DdlContext& c, NodeList name, std::string_view to) {
  INDIGO_ASSIGN(const auto found, find_own_statistics(c, name, false));
  std::string image;
  const SystemTable& t = table(c, pg_statistic_ext::kOid);
  if (!t.find_oid(c.txn, found->object, image)) return {};
  const std::string wanted = truncated_name(to);
  INDIGO_TRY(check_schema_privilege(c, t.reader(image).oid(pg_statistic_ext::c_stxnamespace), types::kPrivilegeCreate));
  INDIGO_TRY(check_statistics_name(c, t.reader(image).oid(pg_statistic_ext::c_stxnamespace), wanted));
  return update_statistics(c, found->object, [&](RowValues& v) { v.str(pg_statistic_ext::c_stxname, wanted); });
}

Status move_statistics(DdlContext& c, NodeList name, std::string_view new_schema) {
  INDIGO_TRY(find_own_statistics(c, name, false, Right::kNobody));
  INDIGO_ASSIGN(const Oid schema, schema_to_move_to(c, new_schema));
  INDIGO_ASSIGN(const auto found, find_own_statistics(c, name, false));
  std::string image;
  const SystemTable& t = table(c, pg_statistic_ext::kOid);
  if (!t.find_oid(c.txn, found->object, image)) return {};
  const Oid old = t.reader(image).oid(pg_statistic_ext::c_stxnamespace);
  INDIGO_TRY(check_may_move(c, old, schema));
  if (old == schema) return {};
  INDIGO_TRY(check_statistics_name(c, schema, t.reader(image).str(pg_statistic_ext::c_stxname)));
  INDIGO_TRY(change_dependency(c, *found, {pg_namespace::kOid, old, 0}, {pg_namespace::kOid, schema, 0}));
  return update_statistics(c, found->object, [&](RowValues& v) { v.oid(pg_statistic_ext::c_stxnamespace, schema); });
}

Status change_statistics_owner(DdlContext& c, NodeList name, Oid owner) {
  INDIGO_ASSIGN(const auto found, find_own_statistics(c, name, false, Right::kNobody));
  std::string image;
  const SystemTable& t = table(c, pg_statistic_ext::kOid);
  if (!t.find_oid(c.txn, found->object, image)) return {};
  if (t.reader(image).oid(pg_statistic_ext::c_stxowner) == owner) return {};
  INDIGO_TRY(find_own_statistics(c, name, false));
  INDIGO_TRY(check_new_owner(c, owner, t.reader(image).oid(pg_statistic_ext::c_stxnamespace)));
  return update_statistics(c, found->object, [&](RowValues& v) { v.oid(pg_statistic_ext::c_stxowner, owner); });
}

}  // namespace indigo::engine::ddl
