#include "sql/plan/path/remote_conditions.h"

#include <algorithm>

#include "catalog/descriptor/foreign_source.h"
#include "sql/analyze/make.h"
#include "sql/deparse.h"
#include "sql/expr.h"
#include "sql/plan/path/path.h"
#include "types/oids.h"
#include "types/text/strings.h"

namespace indigo::sql::planning {
namespace {

// Functions over text that answer the same under any deterministic collation: equality of texts, bpchars and names, LIKE.
constexpr Oid kOfAnyCollation[] = {Oid{67},  Oid{157}, Oid{1048}, Oid{1053}, Oid{62},
                                   Oid{659}, Oid{850}, Oid{851},  Oid{1631}, Oid{1632}};
// Types whose values are numbers of this server's objects.
constexpr Oid kOfObjects[] = {Oid{24},   Oid{26},   Oid{2202}, Oid{2203}, Oid{2204}, Oid{2205},
                              Oid{2206}, Oid{4096}, Oid{4089}, Oid{3734}, Oid{3769}, Oid{4191}};

// Types whose values have one text, whatever the settings are: boolean, "char", name, int8, int2, int4, text, bpchar, varchar,
// numeric, tid, uuid, and their arrays.
constexpr Oid kOfOneText[] = {Oid{16},   Oid{18},   Oid{19},   Oid{20},   Oid{21},   Oid{23},   Oid{25},   Oid{27},
                              Oid{1042}, Oid{1043}, Oid{1700}, Oid{2950}, Oid{1000}, Oid{1002}, Oid{1003}, Oid{1016},
                              Oid{1005}, Oid{1007}, Oid{1009}, Oid{1014}, Oid{1015}, Oid{1231}, Oid{2951}};
// date, time, timestamp, timestamptz: where this server writes them as the other one reads them.
constexpr Oid kOfTime[] = {Oid{1082}, Oid{1083}, Oid{1114}, Oid{1184}};

template <size_t N>
bool is_one_of(Oid type, const Oid (&all)[N]) {
  return std::find(std::begin(all), std::end(all), type) != std::end(all);
}

class Shipper {
 public:
  Shipper(catalog::CatalogView& catalog, int entry, bool iso_dates)
      : catalog_(catalog), entry_(entry), iso_dates_(iso_dates) {}

  bool ships(const ExprPtr& e) const {
    if (e == nullptr || !same_type_there(e->type.oid)) return false;
    switch (e->kind) {
      case ExprKind::kConst:
        return is_one_of(e->type.oid, kOfOneText) || (iso_dates_ && is_one_of(e->type.oid, kOfTime));
      case ExprKind::kParam: return is_one_of(e->type.oid, kOfOneText) || is_one_of(e->type.oid, kOfTime);
      case ExprKind::kVar: {
        const auto& v = as<VarExpr>(*e);
        return v.entry == entry_ && (v.column >= 0 || v.column == kCtidColumn);
      }
      case ExprKind::kCall: {
        const auto& c = as<CallExpr>(*e);
        return same_function_there(c.function, c.collation) && !c.returns_set && !c.variadic_array &&
               c.form != CallExpr::Form::kSqlSyntax && all(c.arguments);
      }
      case ExprKind::kArrayCompare: {
        const auto& c = as<ArrayCompareExpr>(*e);
        return same_function_there(c.function, c.collation) && ships(c.left) && ships(c.array);
      }
      case ExprKind::kBool: return all(as<BoolExpr>(*e).arguments);
      case ExprKind::kNullTest: {
        const auto& t = as<NullTestExpr>(*e);
        return !t.row && ships(t.argument);
      }
      case ExprKind::kBooleanTest: return ships(as<BooleanTestExpr>(*e).argument);
      case ExprKind::kRelabel: return ships(as<RelabelExpr>(*e).argument);
      default: return false;
    }
  }

 private:
  bool all(const ExprList& list) const {
    return std::all_of(list.begin(), list.end(), [&](const ExprPtr& e) { return ships(e); });
  }
  static bool same_type_there(Oid type) { return type < oid::kFirstUserOid && !is_one_of(type, kOfObjects); }
  bool same_function_there(Oid function, Oid collation) const {
    const auto f = function < oid::kFirstUserOid ? catalog_.function(function) : nullptr;
    if (f == nullptr || f->volatility != types::Volatility::kImmutable) return false;
    return collation == kInvalidOid ||
           std::find(std::begin(kOfAnyCollation), std::end(kOfAnyCollation), function) != std::end(kOfAnyCollation);
  }

  catalog::CatalogView& catalog_;
  const int entry_;
  const bool iso_dates_;
};

// Over entry 0, whose columns a text can name.
ExprPtr over_first(const ExprPtr& e) {
  if (const auto* v = try_as<VarExpr>(e)) {
    auto copy = std::make_shared<VarExpr>(*v);
    copy->entry = 0;
    return copy;
  }
  return map_children(e, over_first);
}

bool is_text(Oid type) { return type == oid::kText || type == oid::kVarchar || type == oid::kBpchar; }

// A text beside a column of its type is written without the type: the column's may be another one there, which it is read as.
void find_plain_texts(const ExprPtr& e, std::vector<const Expr*>& out) {
  if (const auto* call = try_as<CallExpr>(e);
      call != nullptr && call->form == CallExpr::Form::kOperator && call->arguments.size() == 2) {
    for (size_t i = 0; i < 2; i++) {
      const auto* text = try_as<ConstExpr>(call->arguments[i]);
      const ExprPtr& other = call->arguments[1 - i];
      if (text != nullptr && !text->value.get().null && is_text(text->type.oid) && other->kind == ExprKind::kVar &&
          other->type.oid == text->type.oid)
        out.push_back(text);
    }
  }
  for_each_child(*e, [&](const ExprPtr& child) { find_plain_texts(child, out); });
}

// Parameters as marks, which the run puts values for, and columns, whose names it knows.
class Marker final : public QueryNodePrinter {
 public:
  explicit Marker(const ScannedTable* leaf) : leaf_(leaf) {}
  void look_at(const ExprPtr& e) {
    plain_.clear();
    find_plain_texts(e, plain_);
  }
  bool print(const Expr& e, std::string& out) const override {
    if (const auto* v = e.kind == ExprKind::kVar ? static_cast<const VarExpr*>(&e) : nullptr) return column(*v, out);
    if (std::find(plain_.begin(), plain_.end(), &e) != plain_.end()) {
      out += types::quote_literal(std::string(static_cast<const ConstExpr&>(e).value.get().str));
      return true;
    }
    if (e.kind != ExprKind::kParam) return false;
    out += catalog::kForeignValueMark + std::to_string(parameters.size()) + catalog::kForeignValueMark;
    auto parameter = std::make_shared<ParamExpr>(static_cast<const ParamExpr&>(e));
    parameters.push_back(std::move(parameter));
    marks += 2;
    return true;
  }
  mutable ExprList parameters;
  mutable std::ptrdiff_t marks = 0;  // that were printed

 private:
  bool column(const VarExpr& v, std::string& out) const {
    if (v.column < 0) {
      out += "ctid";
      return true;
    }
    const int own = leaf_ == nullptr ? v.column : leaf_->column_of[static_cast<size_t>(v.column)];
    out += catalog::kForeignColumnMark + std::to_string(own) + catalog::kForeignColumnMark;
    marks += 2;
    return true;
  }

  const ScannedTable* const leaf_;
  std::vector<const Expr*> plain_;
};

bool is_mark(char c) { return c == catalog::kForeignValueMark || c == catalog::kForeignColumnMark; }

}  // namespace

RemoteCondition remote_condition(Level& level, const Rel& rel) {
  // Conditions that row security puts in an order are asked here alone.
  for (const Clause* clause : rel.restrictions)
    if (clause->security != 0 || clause->policy) return {};
  DeparseOptions options;
  options.relation = level.entry(rel.entry).relation.get();
  options.one_line = true;
  std::string dates;
  const bool iso = level.s.session.setting("DateStyle", dates) && dates.starts_with("ISO");
  const Shipper shipper(level.s.catalog(), rel.entry, iso);
  Marker marker(rel.table);
  options.nodes = &marker;
  RemoteCondition out;
  for (const Clause* clause : rel.restrictions) {
    if (!shipper.ships(clause->expr)) continue;
    const size_t before = marker.parameters.size();
    marker.marks = 0;
    const ExprPtr condition = over_first(clause->expr);
    marker.look_at(condition);
    const auto text = deparse(level.s.catalog(), *condition, options);
    const auto marks = text.ok() ? std::count_if(text->begin(), text->end(), is_mark) : -1;
    if (marks != marker.marks) {  // one is in a constant, too
      marker.parameters.resize(before);
      continue;
    }
    out.text.append(out.text.empty() ? "" : " AND ").append("(" + *text + ")");
  }
  out.parameters = std::move(marker.parameters);
  return out;
}

}  // namespace indigo::sql::planning
