#include "engine/ddl/trigger/trigger_condition.h"

#include <algorithm>
#include <optional>

#include "catalog/descriptor/session_context.h"
#include "catalog/descriptor/settled.h"
#include "sql/analyze/trigger_condition.h"
#include "sql/parse/node.h"
#include "sql/query_walk.h"

namespace indigo::engine::ddl {

namespace {

Error bad_reference(std::string message) { return Error(sqlstate::kInvalidObjectDefinition, std::move(message)); }
Error not_possible(std::string message) { return Error(sqlstate::kFeatureNotSupported, std::move(message)); }

// What the condition reads of OLD (`entry` 0) or NEW, `column` -1 for the row as a whole.
Status check_column(const RelationInfo& relation, int16_t type, int entry, int column) {
  if ((type & catalog::kTriggerRow) == 0) {
    return bad_reference("statement trigger's WHEN condition cannot reference column values");
  }
  if (entry == sql::kOldEntry) {
    if ((type & catalog::kTriggerInsert) != 0) {
      return bad_reference("INSERT trigger's WHEN condition cannot reference OLD values");
    }
    return {};
  }
  if ((type & catalog::kTriggerDelete) != 0) {
    return bad_reference("DELETE trigger's WHEN condition cannot reference NEW values");
  }
  if ((type & catalog::kTriggerBefore) == 0) return {};
  if (column < -1) return not_possible("BEFORE trigger's WHEN condition cannot reference NEW system columns");
  const auto generated = [&](const ColumnInfo& k) { return !k.dropped && k.generated != 0; };
  if (column == -1) {
    if (std::none_of(relation.columns.begin(), relation.columns.end(), generated)) return {};
    return bad_reference("BEFORE trigger's WHEN condition cannot reference NEW generated columns")
        .with_detail("A whole-row reference is used and the table contains generated columns.");
  }
  const ColumnInfo& of = relation.columns[static_cast<size_t>(column)];
  if (!generated(of)) return {};
  return bad_reference("BEFORE trigger's WHEN condition cannot reference NEW generated columns")
      .with_detail("Column " + quoted(of.name) + " is a generated column.");
}

}  // namespace

Result<StoredExpression> store_trigger_condition(DdlContext& c, const PgQuery__Node* node, const RelationPtr& relation,
                                                 int16_t type) {
  INDIGO_ASSIGN(const sql::ExprPtr expr, catalog::settled(c.catalog, [&] {
                  return sql::analyze_trigger_condition(c.host.session(), node, c.text, relation);
                }));
  const int at = position(c, sql::location_of(node));
  std::unique_ptr<Error> refused;
  const auto refuse = [&](Error error, int location = -1) {
    if (refused != nullptr) return;
    refused = std::make_unique<Error>(std::move(error).at(location < 0 ? at : position(c, location)));
  };
  sql::visit_expressions(expr, [&](const sql::Expr& e, int) {
    switch (e.kind) {
      case sql::ExprKind::kAggregate:
        refuse(Error(sqlstate::kGroupingError, "aggregate functions are not allowed in trigger WHEN conditions"));
        break;
      case sql::ExprKind::kWindowCall:
        refuse(Error(sqlstate::kWindowingError, "window functions are not allowed in trigger WHEN conditions"));
        break;
      case sql::ExprKind::kSubLink:
      case sql::ExprKind::kSubPlan: refuse(not_possible("cannot use subquery in trigger WHEN condition")); break;
      case sql::ExprKind::kCall:
        if (sql::as<sql::CallExpr>(e).returns_set) {
          refuse(not_possible("set-returning functions are not allowed in trigger WHEN conditions"));
        }
        break;
      default: break;
    }
    return refused == nullptr;
  });
  if (refused != nullptr) return refused;
  sql::visit_expressions(expr, [&](const sql::Expr& e, int) {
    Status checked;
    if (e.kind == sql::ExprKind::kVar) {
      const auto& v = sql::as<sql::VarExpr>(e);
      checked = check_column(*relation, type, v.entry, v.column < 0 ? -2 : v.column);
    } else if (e.kind == sql::ExprKind::kWholeRow) {
      checked = check_column(*relation, type, sql::as<sql::WholeRowExpr>(e).entry, -1);
    }
    if (!checked.ok()) refuse(std::move(*checked.take_error()), e.location);
    return refused == nullptr;
  });
  if (refused != nullptr) return refused;
  return keep_expression(c, expr);
}

namespace {

sql::ExprPtr of_partition(const sql::ExprPtr& e, const RelationInfo& source, const RelationInfo& relation) {
  if (const auto* v = sql::try_as<sql::VarExpr>(e); v != nullptr && v->column >= 0) {
    auto copy = std::make_shared<sql::VarExpr>(*v);
    copy->column = relation.find_column(source.columns[static_cast<size_t>(v->column)].name)->number - 1;
    return copy;
  }
  if (const auto* w = sql::try_as<sql::WholeRowExpr>(e)) {
    auto copy = std::make_shared<sql::WholeRowExpr>(*w);
    copy->type.oid = relation.row_type;
    return copy;
  }
  return sql::map_children(e, [&](const sql::ExprPtr& child) { return of_partition(child, source, relation); });
}

}  // namespace

Result<StoredExpression> copy_trigger_condition(DdlContext& c, std::string_view stored, const RelationInfo& source,
                                                const RelationPtr& relation) {
  INDIGO_ASSIGN(const sql::ExprPtr expr, sql::load_trigger_condition(c.host.session(), stored, source, true));
  return keep_expression(c, of_partition(expr, source, *relation));
}

}  // namespace indigo::engine::ddl
