#include "sql/plan/condition/key_match.h"

#include <algorithm>

#include "catalog/oids.h"
#include "sql/analyze/make.h"
#include "sql/func/value_place.h"
#include "sql/plan/condition/selectivity.h"

namespace indigo::sql::planning {
namespace {

bool is_text(Oid t) { return t == oid::kText || t == oid::kVarchar || t == oid::kName; }

class Matcher {
 public:
  Matcher(Level& level, const Rel& rel) : level_(level), rel_(rel) {}

  // The value that a clause compares the key column with, turned so that the column is on the left.
  struct Comparison {
    int strategy = 0;
    ExprPtr value;
    bool exact = true;
  };

  // The type that a domain is made of.
  Oid base_type(Oid type) const {
    for (int depth = 0; type >= oid::kFirstUserOid && depth < 32; depth++) {
      const auto info = level_.s.catalog().type(type);
      if (!info || info->kind != 'd') break;
      type = info->base;
    }
    return type;
  }

  // Without what does not change the value: COLLATE, and casts between a domain and its base or between text types.
  ExprPtr bare(const ExprPtr& e) const {
    ExprPtr at = e;
    while (true) {
      if (const auto* c = try_as<CollateExpr>(at)) {
        at = c->argument;
        continue;
      }
      const auto* r = try_as<RelabelExpr>(at);
      if (!r) return at;
      const Oid from = base_type(r->argument->type.oid), to = base_type(r->type.oid);
      if (from != to && !(is_text(from) && is_text(to))) return at;
      at = r->argument;
    }
  }

  // Whether e is the key's column. What compares it must do so under the collation that the key is ordered by (in_order).
  bool is_part(const ExprPtr& e, const KeyPart& part) const { return equal(bare(e), bare(part.expr)); }
  static bool in_order(Oid collation, const KeyPart& part) {
    const Oid own = part.expr->type.collation;
    return collation == own || (catalog::is_c_collation(collation) && catalog::is_c_collation(own));
  }

  bool usable_value(const ExprPtr& e) const { return !level_.rels_of(e).overlaps(rel_.set) && !contains_volatile(*e); }

  Comparison compare(const Clause& c, const KeyPart& part) {
    Comparison out;
    if (part.expr->type.oid == oid::kBool) {
      if (is_part(c.expr, part)) return {3, make_bool(true), true};
      const auto* b = try_as<BoolExpr>(c.expr);
      if (b && b->op == BoolExpr::Op::kNot && is_part(b->arguments[0], part)) return {3, make_bool(false), true};
    }
    const auto* call = try_as<CallExpr>(c.expr);
    if (!call || call->op == kInvalidOid || call->arguments.size() != 2) return out;
    bool flipped = false;
    ExprPtr value;
    if (is_part(call->arguments[0], part)) {
      value = call->arguments[1];
    } else if (is_part(call->arguments[1], part)) {
      value = call->arguments[0];
      flipped = true;
    } else {
      return out;
    }
    if (!usable_value(value) || !in_order(call->collation, part)) return out;
    int strategy = level_.s.catalog().btree_strategy(call->op);
    if (strategy == 0) return out;
    if (flipped) strategy = 6 - strategy;
    return placed(strategy, value, part.expr->type);
  }

  // The executor finds the place of a value of another type.
  Comparison placed(int strategy, const ExprPtr& value, const TypeRef& type) const {
    switch (value_placement(base_type(value->type.oid), base_type(type.oid))) {
      case ValuePlacement::kNone: return {};
      case ValuePlacement::kSame:
      case ValuePlacement::kExact: return {strategy, value, true};
      case ValuePlacement::kNear: return strategy == 3 ? Comparison{} : Comparison{strategy, value, false};
    }
    return {};
  }

  // x = ANY (array)
  ExprPtr array_of(const Clause& c, const KeyPart& part) {
    const auto* compare = try_as<ArrayCompareExpr>(c.expr);
    if (!compare || !compare->any || !is_part(compare->left, part) || !usable_value(compare->array)) return nullptr;
    if (level_.s.catalog().btree_strategy(compare->op) != 3 || !in_order(compare->collation, part)) return nullptr;
    const auto type = level_.s.catalog().type(compare->array->type.oid);
    if (!type) return nullptr;
    const auto placement = value_placement(base_type(type->element), base_type(part.expr->type.oid));
    return placement == ValuePlacement::kSame || placement == ValuePlacement::kExact ? compare->array : nullptr;
  }

  // x LIKE 'abc%': the bounds of the fixed prefix.
  bool prefix_of(const Clause& c, const KeyPart& part, ExprPtr& low, ExprPtr& high, bool& exact, bool& point) {
    const auto* call = try_as<CallExpr>(c.expr);
    if (!call || call->op == kInvalidOid || call->arguments.size() != 2 || !is_text(part.expr->type.oid)) return false;
    if (!catalog::is_c_collation(part.expr->type.collation)) return false;
    const auto* op = level_.s.catalog().operator_by_oid(call->op);
    const auto* pattern = try_as<ConstExpr>(call->arguments[1]);
    if (!op || op->name != "~~" || !pattern || pattern->value.get().null || !is_part(call->arguments[0], part))
      return false;
    std::string prefix;
    const Str text = pattern->value.get().str;
    size_t i = 0;
    for (; i < text.size() && text[i] != '%' && text[i] != '_'; i++) {
      if (text[i] == '\\') {
        if (++i == text.size()) return false;
      }
      prefix += text[i];
    }
    const TypeRef type{oid::kText, -1, part.expr->type.collation};
    point = i == text.size();
    exact = point || (i + 1 == text.size() && text[i] == '%');
    if (prefix.empty()) return false;
    low = make_const(type, Datum::of(Str(prefix)));
    if (point) return true;
    std::string next = prefix;
    while (!next.empty() && static_cast<unsigned char>(next.back()) == 0xFF) next.pop_back();
    if (next.empty()) return false;
    next.back() = static_cast<char>(next.back() + 1);
    high = make_const(type, Datum::of(Str(next)));
    return true;
  }

  // (a, b) < (x, y) bounds a, not exactly.
  Comparison row_bound(const Clause& c, const KeyPart& part) {
    const auto* row = try_as<RowCompareExpr>(c.expr);
    if (!row || row->strategy == 3 || row->strategy == 6 || row->left.empty()) return {};
    const bool flipped = !is_part(row->left[0], part);
    if (flipped && !is_part(row->right[0], part)) return {};
    const ExprPtr& value = flipped ? row->left[0] : row->right[0];
    if (!usable_value(value) || !in_order(row_compare_collation(*row, 0), part)) return {};
    int strategy = flipped ? 6 - row->strategy : row->strategy;
    strategy = strategy < 3 ? 2 : 4;
    Comparison out = placed(strategy, value, part.expr->type);
    out.exact = false;
    return out;
  }

  // x BETWEEN 1 AND 5 OR x = 7 OR (x > 10 AND y = 1): an interval for each alternative. False: an alternative bounds nothing.
  bool intervals_of(const Clause& c, const KeyPart& part, std::vector<KeyInterval>& out, bool& exact) {
    const auto* any = try_as<BoolExpr>(c.expr);
    if (!any || any->op != BoolExpr::Op::kOr) return false;
    exact = true;
    for (const ExprPtr& alternative : any->arguments) {
      KeyInterval interval;
      if (!interval_of(alternative, part, interval)) exact = false;
      if (!interval.low && !interval.high) return false;
      out.push_back(std::move(interval));
    }
    return true;
  }

  // Narrows the interval by the conjuncts of e that it can; false when it holds more values than e does.
  bool interval_of(const ExprPtr& e, const KeyPart& part, KeyInterval& interval) {
    if (const auto* all = try_as<BoolExpr>(e); all && all->op == BoolExpr::Op::kAnd) {
      bool exact = true;
      for (const ExprPtr& conjunct : all->arguments) exact = interval_of(conjunct, part, interval) && exact;
      return exact;
    }
    Clause condition;
    condition.expr = e;
    const Comparison found = compare(condition, part);
    return narrow(interval, found) && found.exact;
  }

  // False: the interval takes nothing of this comparison.
  static bool narrow(KeyInterval& interval, const Comparison& c) {
    const bool high = c.strategy >= 1 && c.strategy <= 3, low = c.strategy >= 3;
    if (c.strategy == 0 || (high && interval.high) || (low && interval.low)) return false;
    if (high) {
      interval.high = c.value;
      interval.high_inclusive = c.strategy != 1;
    }
    if (low) {
      interval.low = c.value;
      interval.low_inclusive = c.strategy != 5;
    }
    return true;
  }

  Level& level_;
  const Rel& rel_;
};

}  // namespace

double match_key(Level& level, const Rel& rel, const std::vector<KeyPart>& parts,
                 const std::vector<const Clause*>& clauses, IndexBounds& bounds) {
  Matcher m(level, rel);
  std::vector<const Clause*> matched;
  for (const KeyPart& part : parts) {
    const Clause* equality = nullptr;
    for (const Clause* c : clauses) {
      const auto found = m.compare(*c, part);
      if (found.strategy != 3) continue;
      bounds.equal.push_back(found.value);
      equality = c;
      break;
    }
    if (equality) {
      matched.push_back(equality);
      bounds.exact.push_back(equality);
      continue;
    }
    for (const Clause* c : clauses) {
      if (ExprPtr array = m.array_of(*c, part)) {
        bounds.in_array = std::move(array);
        bounds.exact.push_back(c);
        matched.push_back(c);
        return clauses_selectivity(level, matched);
      }
    }
    for (const Clause* c : clauses) {
      auto found = m.compare(*c, part);
      if (found.strategy == 0) found = m.row_bound(*c, part);
      const bool high = found.strategy == 1 || found.strategy == 2, low = found.strategy == 4 || found.strategy == 5;
      if (high && !bounds.high) {
        bounds.high = found.value;
        bounds.high_inclusive = found.strategy == 2;
      } else if (low && !bounds.low) {
        bounds.low = found.value;
        bounds.low_inclusive = found.strategy == 4;
      } else {
        ExprPtr first, last;
        bool exact = false, point = false;
        if (found.strategy != 0 || bounds.low || bounds.high || !m.prefix_of(*c, part, first, last, exact, point))
          continue;
        if (point) {
          bounds.equal.push_back(first);
        } else {
          bounds.low = first;
          bounds.high = last;
          bounds.high_inclusive = false;
        }
        if (exact) bounds.exact.push_back(c);
        matched.push_back(c);
        break;
      }
      if (found.exact) bounds.exact.push_back(c);
      matched.push_back(c);
    }
    if (bounds.low || bounds.high) break;
    for (const Clause* c : clauses) {
      bool exact = false;
      std::vector<KeyInterval> intervals;
      if (!m.intervals_of(*c, part, intervals, exact)) continue;
      bounds.any_of = std::move(intervals);
      if (exact) bounds.exact.push_back(c);
      matched.push_back(c);
      break;
    }
    break;
  }
  return clauses_selectivity(level, matched);
}

}  // namespace indigo::sql::planning
