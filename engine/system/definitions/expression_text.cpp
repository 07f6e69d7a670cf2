#include "engine/system/definitions/expression_text.h"

#include "catalog/generated/columns.h"
#include "catalog/tables/system_table.h"
#include "engine/system/catalog_rows.h"
#include "sql/analyze/analyzer.h"
#include "sql/deparse.h"
#include "sql/deparse_query.h"
#include "sql/partition/bound.h"
#include "sql/query_walk.h"
#include "sql/stored/stored_tree.h"
#include "types/builtin/function_text.h"

namespace indigo::engine {

std::string expression_text(SessionParts& session, std::string_view stored,
                            const std::shared_ptr<const catalog::RelationInfo>& relation, bool pretty) {
  const auto expression = sql::analyze_to_print(session.context(), stored, relation, types::TypeRef{});
  if (!expression) return std::string(stored);
  bool subquery = false;
  sql::visit_expressions(*expression, [&](const sql::Expr& e, int) {
    subquery = subquery || e.kind == sql::ExprKind::kSubLink;
    return !subquery;
  });
  if (subquery && relation != nullptr) {
    auto text = sql::deparse_over(session.session_catalog(), *expression, relation, pretty);
    return text.ok() ? *std::move(text) : std::string(stored);
  }
  sql::DeparseOptions options;
  options.relation = relation.get();
  options.always_qualify = false;
  options.pretty = pretty;
  auto text = sql::deparse(session.session_catalog(), **expression, options);
  return text.ok() ? *std::move(text) : std::string(stored);
}

std::string key_expression_text(SessionParts& session, std::string_view stored,
                                const std::shared_ptr<const catalog::RelationInfo>& relation, bool pretty) {
  std::string text = expression_text(session, stored, relation, pretty);
  const auto expression = sql::analyze_to_print(session.context(), stored, relation, types::TypeRef{});
  return expression.ok() && sql::looks_like_function(**expression) ? text : "(" + text + ")";
}

std::string domain_check_text(SessionParts& session, std::string_view stored, Oid domain, bool pretty) {
  const auto info = session.session_catalog().type(domain);
  if (info == nullptr) return std::string(stored);
  auto made_up = std::make_shared<catalog::RelationInfo>();
  types::ColumnInfo value;
  value.name = "value";
  value.number = 1;
  value.type = {info->base, info->base_typmod, info->collation};
  made_up->columns.push_back(value);
  const auto expression = sql::analyze_to_print(session.context(), stored, made_up, types::TypeRef{});
  if (!expression) return std::string(stored);
  struct Value final : sql::QueryNodePrinter {
    bool print(const sql::Expr& e, std::string& out) const override {
      if (e.kind != sql::ExprKind::kVar) return false;
      out += "VALUE";
      return true;
    }
    bool names_columns() const override { return false; }
  } const value_printer;
  sql::DeparseOptions options;
  options.always_qualify = false;
  options.pretty = pretty;
  options.nodes = &value_printer;
  auto text = sql::deparse(session.session_catalog(), **expression, options);
  return text.ok() ? *std::move(text) : std::string(stored);
}

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers

// The domain with that check; 0: none.
Oid domain_checked_by(SessionParts& session, std::string_view stored) {
  Oid domain = kInvalidOid;
  CatalogRows(session).scan(pg_constraint::kOid, {}, [&](RowReader row) {
    if (row.oid(pg_constraint::c_contypid) == kInvalidOid || row.is_null(pg_constraint::c_conbin) ||
        row.str(pg_constraint::c_conbin) != stored)
      return true;
    domain = row.oid(pg_constraint::c_contypid);
    return false;
  });
  return domain;
}

Result<OwnedDatum> get_expression(SessionParts& session, std::span<const Datum> arguments) {
  const Oid relation = arguments[1].oid();
  const auto info = relation == kInvalidOid ? nullptr : session.session_catalog().relation(relation);
  if (relation != kInvalidOid && info == nullptr) return text_null();
  if (info != nullptr && info->is_partition && arguments[0].str == info->partition_bound && !info->parents.empty()) {
    const auto parent = session.session_catalog().relation(info->parents[0]);
    if (parent == nullptr || parent->partition_key == nullptr) return text_null();
    types::FuncContext context(session.context());
    Arena arena;
    context.set_arena(&arena);
    INDIGO_ASSIGN(const auto bound, sql::partition::read_bound(context, *parent->partition_key, arguments[0].str));
    return text_value(sql::partition::bound_text(context, *parent->partition_key, bound));
  }
  const bool pretty = arguments.size() > 2 && arguments[2].b;
  if (info == nullptr && sql::is_stored_tree(arguments[0].str)) {
    const Oid domain = domain_checked_by(session, arguments[0].str);
    if (domain != kInvalidOid) return text_value(domain_check_text(session, arguments[0].str, domain, pretty));
  }
  if (!sql::is_stored_tree(arguments[0].str)) {
    return text_value(expression_text(session, arguments[0].str, info, pretty));
  }
  std::string out;  // a list, of an index's keys
  for (const std::string& tree : types::split_default_texts(arguments[0].str)) {
    out += (out.empty() ? "" : ", ") + expression_text(session, tree, info, pretty);
  }
  return text_value(out);
}

constexpr SystemValue kExpressionTextValues[] = {{"pg_get_expr", get_expression}, {"pg_get_expr_ext", get_expression}};

}  // namespace

std::span<const SystemValue> expression_values() { return kExpressionTextValues; }

}  // namespace indigo::engine
