#include "engine/ddl/rule/select_rule.h"

#include <algorithm>

#include "engine/ddl/drop/remove_object.h"
#include "engine/ddl/object/view.h"
#include "engine/ddl/table/rewrite.h"
#include "engine/ddl/tree.h"
#include "sql/stored/stored_tree.h"

namespace indigo::engine::ddl {

namespace {

Error not_built(std::string message) { return Error(sqlstate::kFeatureNotSupported, std::move(message)); }

Error wrong_target(size_t number, std::string_view what, const ColumnInfo& column, std::string detail) {
  return Error(sqlstate::kInvalidObjectDefinition, "SELECT rule's target entry " + std::to_string(number) +
                                                       " has different " + std::string(what) + " from column " +
                                                       quoted(column.name))
      .with_detail(std::move(detail));
}

// The query must show what the relation has.
Status check_targets(DdlContext& c, const RelationInfo& r, const std::vector<NewColumn>& targets) {
  for (size_t i = 0; i < targets.size(); i++) {
    if (i >= r.columns.size()) {
      return Error(sqlstate::kInvalidObjectDefinition, "SELECT rule's target list has too many entries");
    }
    const ColumnInfo& column = r.columns[i];
    const NewColumn& target = targets[i];
    if (column.dropped) {
      return Error(sqlstate::kFeatureNotSupported, "cannot convert relation containing dropped columns to view");
    }
    if (column.name != target.name) {
      return wrong_target(i + 1, "column name", column, "SELECT target entry is named " + quoted(target.name) + ".");
    }
    const std::string types = "SELECT target entry has type ";
    if (column.type.oid != target.type.oid) {
      return wrong_target(i + 1, "type", column,
                          types + type_text(c, {target.type.oid, -1, kInvalidOid}) + ", but column has type " +
                              type_text(c, {column.type.oid, -1, kInvalidOid}) + ".");
    }
    if (column.type.typmod != target.type.typmod && column.type.typmod != -1 && target.type.typmod != -1) {
      return wrong_target(
          i + 1, "size", column,
          types + type_text(c, target.type) + ", but column has type " + type_text(c, column.type) + ".");
    }
  }
  if (targets.size() < r.columns.size()) {
    return Error(sqlstate::kInvalidObjectDefinition, "SELECT rule's target list has too few entries");
  }
  return {};
}

Status check_convertible(DdlContext& c, const RelationInfo& r) {
  if (r.is_partitioned()) {
    return Error(sqlstate::kWrongObjectType, "cannot convert partitioned table " + quoted(r.name) + " to a view");
  }
  if (r.is_partition) {
    return Error(sqlstate::kWrongObjectType, "cannot convert partition " + quoted(r.name) + " to a view");
  }
  const auto refused = [&](const char* because) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 "could not convert table " + quoted(r.name) + " to a view because it " + because);
  };
  if (has_rows(c, r)) return refused("is not empty");
  const bool has_foreign_keys = !r.referenced_by.empty() || std::any_of(r.constraints.begin(), r.constraints.end(),
                                                                        [](const auto& k) { return k.kind == 'f'; });
  if (r.triggers != nullptr || has_foreign_keys) {
    return refused("has triggers")
        .with_hint("In particular, the table cannot be involved in any foreign key relationships.");
  }
  if (!r.indexes.empty()) return refused("has indexes");
  if (!r.children.empty()) return refused("has child tables");
  if (!r.parents.empty()) return refused("has parent tables");
  if (r.row_security) return refused("has row security enabled");
  if (!r.policies.empty()) return refused("has row security policies");
  return {};
}

Status convert_to_view(DdlContext& c, const RelationInfo& r) {
  INDIGO_TRY(check_convertible(c, r));
  std::string image;
  SystemTable& classes = table(c, pg_class::kOid);
  if (!classes.find_oid(c.txn, r.oid, image)) return {};
  release_physical(c, classes.reader(image).oid(pg_class::c_relfilenode));
  return update_class(c, r.oid, [](RowValues& v) {
    v.chr(pg_class::c_relkind, static_cast<char>(RelationKind::kView))
        .oid(pg_class::c_relam, kInvalidOid)
        .oid(pg_class::c_relfilenode, kInvalidOid)
        .i32(pg_class::c_relpages, 0)
        .f32(pg_class::c_reltuples, 0)
        .flag(pg_class::c_relhasindex, false)
        .flag(pg_class::c_relhasrules, true)
        .i32(pg_class::c_relfrozenxid, 0)
        .i32(pg_class::c_relminmxid, 0);
  });
}

}  // namespace

Status execute_create_select_rule(DdlContext& c, const PgQuery__RuleStmt& s, const RelationPtr& relation) {
  const NodeList actions = nodes(s.n_actions, s.actions);
  if (actions.size() > 1) return not_built("multiple actions for rules on SELECT are not implemented");
  if (actions.empty() || !s.instead || actions[0]->node_case != PG_QUERY__NODE__NODE_SELECT_STMT) {
    return not_built("rules on SELECT must have action INSTEAD SELECT");
  }
  References references(c.catalog);
  INDIGO_ASSIGN(const sql::AnalyzedStatement analyzed, analyze_kept(c, actions[0], references));
  for (const sql::CommonTable& table : analyzed.query->ctes) {
    if (table.query->command != sql::CommandKind::kSelect) {
      return Error(sqlstate::kFeatureNotSupported,
                   "rules on SELECT must not contain data-modifying statements in WITH");
    }
  }
  if (!sql::absent(s.where_clause)) {
    return Error(sqlstate::kFeatureNotSupported, "event qualifications are not implemented for rules on SELECT");
  }
  INDIGO_TRY(check_constants(c, references));
  INDIGO_ASSIGN(const std::vector<NewColumn> targets, query_columns(c, *analyzed.query, {}));
  const RelationPtr r = current(c, relation->oid);
  INDIGO_TRY(check_targets(c, *r, targets));
  const bool is_view = r->kind == RelationKind::kView;
  if (is_view && !s.replace) {
    return Error(sqlstate::kObjectNotInPrerequisiteState, quoted(r->name) + " is already a view");
  }
  if (truncated_name(s.rulename) != "_RETURN") {
    return Error(sqlstate::kInvalidObjectDefinition,
                 "view rule for " + quoted(r->name) + " must be named " + quoted("_RETURN"));
  }
  INDIGO_ASSIGN(const std::string tree, sql::store_tree(analyzed.query));
  if (is_view) {
    for (const Dependent& d : dependents_of(c, {pg_class::kOid, r->oid, 0})) {
      if (d.address.class_id == pg_rewrite::kOid && d.type == 'i') INDIGO_TRY(remove_object(c, d.address));
    }
  } else {
    INDIGO_TRY(convert_to_view(c, *r));
  }
  INDIGO_TRY(store_query(c, r->oid, tree, references));
  c.catalog.changed({r->oid});
  return {};
}

}  // namespace indigo::engine::ddl
