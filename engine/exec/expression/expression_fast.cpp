// Inlined kernels for the comparisons and the arithmetic that most statements spend their time in. They answer exactly what
// types/'s kernels answer; comparisons also narrow a selection without making a boolean vector.
#include <cmath>
#include <concepts>

#include "base/sqlstate.h"
#include "engine/exec/expression/expression_nodes.h"
#include "types/oids.h"
#include "types/value/collator.h"

namespace indigo::engine::exec {
namespace {

// ---- comparison. Floats order NaN above everything and equal to itself, as PostgreSQL does.
template <class L, class R>
bool less(const L& a, const R& b) {
  if constexpr (std::floating_point<L>) {
    return std::isnan(b) ? !std::isnan(a) : a < b;
  } else {
    return a < b;
  }
}
template <class L, class R>
bool same(const L& a, const R& b) {
  if constexpr (std::floating_point<L>) {
    return a == b || (std::isnan(a) && std::isnan(b));
  } else {
    return a == b;
  }
}
struct Equal {
  template <class L, class R>
  static bool test(const L& a, const R& b) {
    return same(a, b);
  }
};
struct NotEqual {
  template <class L, class R>
  static bool test(const L& a, const R& b) {
    return !same(a, b);
  }
};
struct Less {
  template <class L, class R>
  static bool test(const L& a, const R& b) {
    return less(a, b);
  }
};
struct LessEqual {
  template <class L, class R>
  static bool test(const L& a, const R& b) {
    return !less(b, a);
  }
};
struct Greater {
  template <class L, class R>
  static bool test(const L& a, const R& b) {
    return less(b, a);
  }
};
struct GreaterEqual {
  template <class L, class R>
  static bool test(const L& a, const R& b) {
    return !less(a, b);
  }
};

template <class L, class R, class Op>
class CompareNode final : public Node {
 public:
  CompareNode(QueryState& state, NodePtr left, NodePtr right)
      : Node(state), left_(std::move(left)), right_(std::move(right)) {}

  const Vector& evaluate(const Frame& frame, Selection selection) override {
    const Vector& a = left_->evaluate(frame, selection);
    if (failed()) return out_;
    const Vector& b = right_->evaluate(frame, selection);
    if (failed()) return out_;
    out_.init(Phys::kBool, frame.extent);
    bool* out = out_.data<bool>();
    const L* x = a.data<L>();
    const R* y = b.data<R>();
    bool nulls = !a.all_valid() || !b.all_valid();
    for (uint32_t i = 0; i < selection.count; i++) {
      uint32_t r = selection[i];
      if (nulls && (a.is_null(r) || b.is_null(r))) {
        out_.set_null(r);
        out[r] = false;
      } else {
        out[r] = Op::test(x[a.at(r)], y[b.at(r)]);
      }
    }
    return out_;
  }

  uint32_t filter(const Frame& frame, Selection selection, uint16_t* passed) override {
    const Vector& a = left_->evaluate(frame, selection);
    if (failed()) return 0;
    const Vector& b = right_->evaluate(frame, selection);
    if (failed()) return 0;
    const L* x = a.data<L>();
    const R* y = b.data<R>();
    uint32_t n = 0;
    if (!a.is_constant() && b.is_constant() && a.all_valid()) {
      if (b.is_null(0)) return 0;
      const R bound = y[0];
      if (selection.rows == nullptr) {
        for (uint32_t r = 0; r < selection.count; r++) {
          passed[n] = static_cast<uint16_t>(r);
          n += Op::test(x[r], bound);
        }
      } else {
        for (uint32_t i = 0; i < selection.count; i++) {
          uint16_t r = selection.rows[i];
          passed[n] = r;
          n += Op::test(x[r], bound);
        }
      }
      return n;
    }
    bool nulls = !a.all_valid() || !b.all_valid();
    for (uint32_t i = 0; i < selection.count; i++) {
      uint32_t r = selection[i];
      if (nulls && (a.is_null(r) || b.is_null(r))) continue;
      passed[n] = static_cast<uint16_t>(r);
      n += Op::test(x[a.at(r)], y[b.at(r)]);
    }
    return n;
  }

 private:
  NodePtr left_, right_;
  Vector out_;
};

template <class L, class R>
NodePtr make_compare(QueryState& state, int op, std::vector<NodePtr>& a) {
  auto make = [&]<class Op>(Op) -> NodePtr {
    return std::make_unique<CompareNode<L, R, Op>>(state, std::move(a[0]), std::move(a[1]));
  };
  switch (op) {
    case 0: return make(Equal{});
    case 1: return make(NotEqual{});
    case 2: return make(Less{});
    case 3: return make(LessEqual{});
    case 4: return make(Greater{});
    default: return make(GreaterEqual{});
  }
}

// ---- arithmetic
struct Plus {
  template <class T>
  static bool apply(T a, T b, T& out) {
    return __builtin_add_overflow(a, b, &out);
  }
  static bool apply(double a, double b, double& out) {
    out = a + b;
    return std::isinf(out) && !std::isinf(a) && !std::isinf(b);
  }
};
struct Minus {
  template <class T>
  static bool apply(T a, T b, T& out) {
    return __builtin_sub_overflow(a, b, &out);
  }
  static bool apply(double a, double b, double& out) {
    out = a - b;
    return std::isinf(out) && !std::isinf(a) && !std::isinf(b);
  }
};
struct Times {
  template <class T>
  static bool apply(T a, T b, T& out) {
    return __builtin_mul_overflow(a, b, &out);
  }
};

template <class L, class R, class T, class Op>
class ArithmeticNode final : public Node {
 public:
  ArithmeticNode(QueryState& state, NodePtr left, NodePtr right)
      : Node(state), left_(std::move(left)), right_(std::move(right)) {}

  const Vector& evaluate(const Frame& frame, Selection selection) override {
    const Vector& a = left_->evaluate(frame, selection);
    if (failed()) return out_;
    const Vector& b = right_->evaluate(frame, selection);
    if (failed()) return out_;
    out_.init(phys, frame.extent);
    T* out = out_.data<T>();
    const L* x = a.data<L>();
    const R* y = b.data<R>();
    bool overflow = false;
    if (a.all_valid() && b.all_valid()) {
      for (uint32_t i = 0; i < selection.count; i++) {
        uint32_t r = selection[i];
        overflow |= Op::apply(static_cast<T>(x[a.at(r)]), static_cast<T>(y[b.at(r)]), out[r]);
      }
    } else {
      for (uint32_t i = 0; i < selection.count; i++) {
        uint32_t r = selection[i];
        if (a.is_null(r) || b.is_null(r)) {
          out_.set_null(r);
          out[r] = T{};
        } else {
          overflow |= Op::apply(static_cast<T>(x[a.at(r)]), static_cast<T>(y[b.at(r)]), out[r]);
        }
      }
    }
    if (overflow) {
      functions().fail(sqlstate::kNumericValueOutOfRange, std::floating_point<T>     ? "value out of range: overflow"
                                                          : std::same_as<T, int64_t> ? "bigint out of range"
                                                          : std::same_as<T, int16_t> ? "smallint out of range"
                                                                                     : "integer out of range");
    }
    return out_;
  }

 private:
  NodePtr left_, right_;
  Vector out_;
};

template <class L, class R, class T>
NodePtr make_arithmetic(QueryState& state, char op, std::vector<NodePtr>& a) {
  if (op == '+') return std::make_unique<ArithmeticNode<L, R, T, Plus>>(state, std::move(a[0]), std::move(a[1]));
  if (op == '-') return std::make_unique<ArithmeticNode<L, R, T, Minus>>(state, std::move(a[0]), std::move(a[1]));
  if constexpr (std::integral<T>) {
    return std::make_unique<ArithmeticNode<L, R, T, Times>>(state, std::move(a[0]), std::move(a[1]));
  }
  return nullptr;
}

// pg_proc OIDs of a family, in the order = <> < <= > >=.
struct CompareFamily {
  Oid functions[6];
  NodePtr (*make)(QueryState&, int, std::vector<NodePtr>&);
};
constexpr CompareFamily kCompareFamilies[] = {
    {{65, 144, 66, 149, 147, 150}, make_compare<int32_t, int32_t>},          // int4
    {{467, 468, 469, 471, 470, 472}, make_compare<int64_t, int64_t>},        // int8
    {{63, 145, 64, 148, 146, 151}, make_compare<int16_t, int16_t>},          // int2
    {{474, 475, 476, 478, 477, 479}, make_compare<int64_t, int32_t>},        // int84
    {{852, 853, 854, 856, 855, 857}, make_compare<int32_t, int64_t>},        // int48
    {{158, 164, 160, 166, 162, 168}, make_compare<int16_t, int32_t>},        // int24
    {{159, 165, 161, 167, 163, 169}, make_compare<int32_t, int16_t>},        // int42
    {{184, 185, 716, 717, 1638, 1639}, make_compare<uint32_t, uint32_t>},    // oid
    {{293, 294, 295, 296, 297, 298}, make_compare<double, double>},          // float8
    {{1086, 1091, 1087, 1088, 1089, 1090}, make_compare<int32_t, int32_t>},  // date
    {{2052, 2053, 2054, 2055, 2057, 2056}, make_compare<int64_t, int64_t>},  // timestamp
    {{1152, 1153, 1154, 1155, 1157, 1156}, make_compare<int64_t, int64_t>},  // timestamptz
    {{67, 157, 740, 741, 742, 743}, make_compare<Str, Str>},                 // text in C order
};
struct ArithmeticFamily {
  Oid plus, minus, times;
  NodePtr (*make)(QueryState&, char, std::vector<NodePtr>&);
};
constexpr ArithmeticFamily kArithmeticFamilies[] = {
    {177, 181, 141, make_arithmetic<int32_t, int32_t, int32_t>},  // int4
    {463, 464, 465, make_arithmetic<int64_t, int64_t, int64_t>},  // int8
    {176, 180, 152, make_arithmetic<int16_t, int16_t, int16_t>},  // int2
    {1274, 1275, 1276, make_arithmetic<int64_t, int32_t, int64_t>},
    {1278, 1279, 1280, make_arithmetic<int32_t, int64_t, int64_t>},
    {178, 182, 170, make_arithmetic<int16_t, int32_t, int32_t>},
    {179, 183, 171, make_arithmetic<int32_t, int16_t, int32_t>},
    {218, 219, kInvalidOid, make_arithmetic<double, double, double>},  // float8; times stays with types/ (underflow)
};
}  // namespace

NodePtr compile_fast_call(QueryState& state, const sql::CallExpr& e, std::vector<NodePtr>& arguments) {
  if (arguments.size() != 2) return nullptr;
  if (e.collation != kInvalidOid && !state.session().catalog().orders_by_bytes(e.collation)) return nullptr;
  for (const CompareFamily& f : kCompareFamilies) {
    for (int op = 0; op < 6; op++) {
      if (f.functions[op] == e.function) return f.make(state, op, arguments);
    }
  }
  for (const ArithmeticFamily& f : kArithmeticFamilies) {
    char op = f.plus == e.function ? '+' : f.minus == e.function ? '-' : f.times == e.function ? '*' : 0;
    if (op != 0 && e.function != kInvalidOid) return f.make(state, op, arguments);
  }
  return nullptr;
}

}  // namespace indigo::engine::exec
