#include "sql/plan/key_match.h"

#include <algorithm>
#include <limits>

#include "catalog/oids.h"
#include "sql/analyze/make.h"
#include "sql/plan/fold.h"
#include "sql/plan/selectivity.h"

namespace indigo::sql::planning {
namespace {

bool is_text(Oid t) { return t == oid::kText || t == oid::kVarchar || t == oid::kName; }
int integer_width(Oid t) { return t == oid::kInt2 ? 2 : t == oid::kInt4 ? 4 : t == oid::kInt8 ? 8 : 0; }

int64_t integer_of(const Datum& d) { return d.phys == Phys::kI16 ? d.i16 : d.phys == Phys::kI32 ? d.i32 : d.i64; }

ExprPtr integer_const(Oid type, int64_t v) {
  const TypeRef t{type, -1, kInvalidOid};
  if (type == oid::kInt2) return make_const(t, Datum::of(static_cast<int16_t>(v)));
  if (type == oid::kInt4) return make_const(t, Datum::of(static_cast<int32_t>(v)));
  return make_const(t, Datum::of(v));
}

int64_t least(Oid t) {
  return t == oid::kInt2   ? std::numeric_limits<int16_t>::min()
         : t == oid::kInt4 ? std::numeric_limits<int32_t>::min()
                           : std::numeric_limits<int64_t>::min();
}
int64_t greatest(Oid t) {
  return t == oid::kInt2   ? std::numeric_limits<int16_t>::max()
         : t == oid::kInt4 ? std::numeric_limits<int32_t>::max()
                           : std::numeric_limits<int64_t>::max();
}

class Matcher {
 public:
  Matcher(Level& level, const Rel& rel) : level_(level), rel_(rel) {}

  // The value that a clause compares the key column with, turned so that the column is on the left.
  struct Comparison {
    int strategy = 0;
    ExprPtr value;  // of the column's type
    bool exact = true;
  };

  bool is_part(const ExprPtr& e, const KeyPart& part) const {
    ExprPtr at = e;
    while (const auto* r = try_as<RelabelExpr>(at)) {
      if (!is_text(r->type.oid) || !is_text(r->argument->type.oid)) break;
      at = r->argument;
    }
    return equal(at, part.expr);
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
    if (!usable_value(value)) return out;
    int strategy = level_.s.catalog().btree_strategy(call->op);
    if (strategy == 0) return out;
    if (flipped) strategy = 6 - strategy;
    return converted(strategy, value, part.expr->type);
  }

  Comparison converted(int strategy, const ExprPtr& value, const TypeRef& type) {
    const Oid to = type.oid, from = value->type.oid;
    if (to == from || (is_text(to) && is_text(from))) return {strategy, value, true};
    const int wide = integer_width(to), given = integer_width(from);
    if (wide == 0 || given == 0) {
      // A domain's value, or a type that is the same but for its name, has been relabelled by the analyzer.
      return {};
    }
    if (const auto* k = try_as<ConstExpr>(value)) {
      const Datum& d = k->value.get();
      if (d.null) return {strategy, make_null(level_.s.catalog(), type), true};
      const int64_t v = integer_of(d);
      if (v >= least(to) && v <= greatest(to)) return {strategy, integer_const(to, v), true};
      return strategy == 3 ? Comparison{3, make_null(level_.s.catalog(), type), true} : Comparison{};
    }
    ExprPtr casted = cast(value, to);
    if (!casted) return {};
    if (given < wide) return {strategy, casted, true};
    // Out of the column's range: equal to nothing.
    if (strategy != 3) return {};
    auto inside = std::make_shared<CaseExpr>();
    inside->type = type;
    ExprPtr low = comparison(value, 4, least(to)), high = comparison(value, 2, greatest(to));
    if (!low || !high) return {};
    inside->whens.push_back({make_and({low, high}), casted});
    inside->otherwise = make_null(level_.s.catalog(), type);
    return {3, inside, true};
  }

  // value >= bound or value <= bound, in the value's type.
  ExprPtr comparison(const ExprPtr& value, int strategy, int64_t bound) {
    const Oid op = level_.s.catalog().btree_operator(value->type.oid, strategy);
    const auto* info = op == kInvalidOid ? nullptr : level_.s.catalog().operator_by_oid(op);
    if (!info) return nullptr;
    auto call = std::make_shared<CallExpr>();
    call->type.oid = oid::kBool;
    call->op = op;
    call->function = info->function;
    call->form = CallExpr::Form::kOperator;
    call->arguments = {value, integer_const(value->type.oid, bound)};
    return call;
  }

  ExprPtr cast(const ExprPtr& value, Oid to) {
    const auto* info = level_.s.catalog().cast(value->type.oid, to);
    if (!info || info->function == kInvalidOid) return nullptr;
    auto call = std::make_shared<CallExpr>();
    call->type.oid = to;
    call->function = info->function;
    call->form = CallExpr::Form::kImplicitCast;
    call->arguments = {value};
    return fold_node(level_.s.session, call);
  }

  // x = ANY (array)
  ExprPtr array_of(const Clause& c, const KeyPart& part) {
    const auto* compare = try_as<ArrayCompareExpr>(c.expr);
    if (!compare || !compare->any || !is_part(compare->left, part) || !usable_value(compare->array)) return nullptr;
    if (level_.s.catalog().btree_strategy(compare->op) != 3) return nullptr;
    const auto type = level_.s.catalog().type(compare->array->type.oid);
    const Oid element = type ? type->element : kInvalidOid;
    const Oid to = part.expr->type.oid;
    return element == to || (is_text(element) && is_text(to)) ? compare->array : nullptr;
  }

  // x LIKE 'abc%': the bounds of the fixed prefix.
  bool prefix_of(const Clause& c, const KeyPart& part, ExprPtr& low, ExprPtr& high, bool& exact, bool& point) {
    const auto* call = try_as<CallExpr>(c.expr);
    if (!call || call->op == kInvalidOid || call->arguments.size() != 2 || !is_text(part.expr->type.oid)) return false;
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
    if (!usable_value(value)) return {};
    int strategy = flipped ? 6 - row->strategy : row->strategy;
    strategy = strategy < 3 ? 2 : 4;
    Comparison out = converted(strategy, value, part.expr->type);
    out.exact = false;
    return out;
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
    break;
  }
  return clauses_selectivity(level, matched);
}

}  // namespace indigo::sql::planning
