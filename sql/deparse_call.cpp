// Calls that only a query gives a meaning: aggregates, window functions, subqueries in expressions.
#include <algorithm>

#include "sql/query_deparser.h"
#include "types/text/strings.h"

namespace indigo::sql {

namespace {

// The values and the operator of a subquery's test; several columns are compared one by one or as a row.
bool read_test(catalog::CatalogView& catalog, const ExprPtr& test, ExprList& left, std::string& op) {
  if (test == nullptr) return false;
  if (const auto* call = try_as<CallExpr>(test)) {
    const auto* found = catalog.operator_by_oid(call->op);
    if (found == nullptr || call->arguments.size() != 2) return false;
    left.push_back(call->arguments[0]);
    op = found->name;
    return true;
  }
  if (const auto* row = try_as<RowCompareExpr>(test)) {
    static constexpr const char* kOperators[] = {"<", "<=", "=", ">=", ">", "<>"};
    left = row->left;
    op = kOperators[row->strategy - 1];
    return true;
  }
  const auto* several = try_as<BoolExpr>(test);
  return several != nullptr && several->op != BoolExpr::Op::kNot &&
         std::all_of(several->arguments.begin(), several->arguments.end(),
                     [&](const ExprPtr& e) { return read_test(catalog, e, left, op); });
}

}  // namespace

std::string QueryDeparser::aggregate(const AggregateExpr& a) const {
  std::string out = function_name(a.function) + "(";
  if (a.kind_of != 'n') {
    out += joined(list(a.direct) + ") WITHIN GROUP (ORDER BY ", sort_keys(a.order, nullptr)) + ")";
  } else {
    if (a.distinct) out += "DISTINCT ";
    out += a.star ? "*" : list(a.arguments);
    if (!a.order.empty()) out += joined(" ORDER BY ", sort_keys(a.order, nullptr));
    out += ")";
  }
  if (a.filter != nullptr) out += joined(" FILTER (WHERE ", value(a.filter)) + ")";
  return out;
}

std::string QueryDeparser::bound(const FrameBound& b) const {
  switch (b.kind) {
    case FrameBound::Kind::kUnboundedPreceding: return "UNBOUNDED PRECEDING";
    case FrameBound::Kind::kPreceding: return value(b.offset) + " PRECEDING";
    case FrameBound::Kind::kCurrentRow: return "CURRENT ROW";
    case FrameBound::Kind::kFollowing: return value(b.offset) + " FOLLOWING";
    case FrameBound::Kind::kUnboundedFollowing: return "UNBOUNDED FOLLOWING";
  }
  return {};
}

std::string QueryDeparser::window_text(const Window& w) const {
  std::string out;
  const auto add = [&](const std::string& part) { out += (out.empty() ? "" : " ") + part; };
  if (!w.partition.empty()) {
    std::string keys;
    for (const ExprPtr& e : w.partition) keys = joined(keys.empty() ? "" : keys + ", ", sort_value(e));
    add(joined("PARTITION BY ", keys));
  }
  if (!w.order.empty()) add(joined("ORDER BY ", sort_keys(w.order, nullptr)));
  const bool usual = w.mode == Window::Mode::kRange && w.start.kind == FrameBound::Kind::kUnboundedPreceding &&
                     w.end.kind == FrameBound::Kind::kCurrentRow && w.exclude == Window::Exclude::kNoOthers;
  if (usual) return out;
  static constexpr const char* kModes[] = {"RANGE", "ROWS", "GROUPS"};
  static constexpr const char* kExcludes[] = {"", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES"};
  add(std::string(kModes[static_cast<int>(w.mode)]) + " BETWEEN " + bound(w.start) + " AND " + bound(w.end) +
      kExcludes[static_cast<int>(w.exclude)]);
  return out;
}

std::string QueryDeparser::window_call(const WindowCallExpr& w) const {
  std::string out = function_name(w.function) + "(" + (w.star ? "*" : list(w.arguments)) + ")";
  if (w.filter != nullptr) out += joined(" FILTER (WHERE ", value(w.filter)) + ")";
  const Window& window = queries_.back()->windows[static_cast<size_t>(w.window)];
  return out + " OVER " +
         (window.name.empty() ? "(" + window_text(window) + ")" : types::quote_identifier(window.name));
}

std::string QueryDeparser::sublink(const SubLinkExpr& s) const {
  std::string query = "(" + text(*s.query, {}, level(), false) + ")";
  switch (s.form) {
    case SubLinkExpr::Form::kExists: return "(EXISTS " + query + ")";
    case SubLinkExpr::Form::kScalar: return query;
    case SubLinkExpr::Form::kArray: return "ARRAY" + query;
    case SubLinkExpr::Form::kAny:
    case SubLinkExpr::Form::kAll:
    case SubLinkExpr::Form::kRowCompare: {
      ExprList left;
      std::string op, values;
      if (!read_test(catalog_, s.test, left, op)) break;
      for (const ExprPtr& e : left) values += (values.empty() ? "" : ", ") + value(e, true);
      if (left.size() > 1) values = "(" + values + ")";
      const bool any = s.form == SubLinkExpr::Form::kAny;
      op = " " + op + (any ? " ANY " : s.form == SubLinkExpr::Form::kAll ? " ALL " : " ");
      if (op == " = ANY ") op = " IN ";
      return "(" + values + op + query + ")";
    }
    default: break;
  }
  return fail();
}
}  // namespace indigo::sql
