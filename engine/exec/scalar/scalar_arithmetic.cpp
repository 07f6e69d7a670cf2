// Arithmetic, comparisons and conversions of numbers, dates, timestamps and texts in C order, for one row. They answer what
// types/'s kernels answer.
#include <cmath>
#include <concepts>
#include <limits>
#include <unordered_map>

#include "engine/exec/scalar/scalar_compiler.h"
#include "engine/exec/scalar/scalar_fast.h"
#include "types/function/errors.h"
#include "types/value/collator.h"

namespace indigo::engine::exec {
namespace {

using types::FuncContext;

template <class T>
bool out_of_range(FuncContext& c) {
  if constexpr (sizeof(T) == 2) {
    types::fail_int2_range(c);
  } else if constexpr (sizeof(T) == 4) {
    types::fail_int4_range(c);
  } else {
    types::fail_int8_range(c);
  }
  return false;
}

bool float_overflow(FuncContext& c) {
  types::fail_float_overflow(c);
  return false;
}
bool float_underflow(FuncContext& c) {
  types::fail_float_underflow(c);
  return false;
}
bool division_by_zero(FuncContext& c) {
  types::fail_division_by_zero(c);
  return false;
}

// ---- operations: answer false when they have failed. Strict: no operand is null.

struct ScalarPlus {
  template <class A, class B, class R>
  static bool apply(FuncContext& c, A a, B b, R& out) {
    if constexpr (std::floating_point<R>) {
      out = static_cast<R>(a) + static_cast<R>(b);
      if (std::isinf(out) && !std::isinf(a) && !std::isinf(b)) [[unlikely]]
        return float_overflow(c);
    } else if (__builtin_add_overflow(a, b, &out)) [[unlikely]] {
      return out_of_range<R>(c);
    }
    return true;
  }
};
struct ScalarMinus {
  template <class A, class B, class R>
  static bool apply(FuncContext& c, A a, B b, R& out) {
    if constexpr (std::floating_point<R>) {
      out = static_cast<R>(a) - static_cast<R>(b);
      if (std::isinf(out) && !std::isinf(a) && !std::isinf(b)) [[unlikely]]
        return float_overflow(c);
    } else if (__builtin_sub_overflow(a, b, &out)) [[unlikely]] {
      return out_of_range<R>(c);
    }
    return true;
  }
};
struct ScalarTimes {
  template <class A, class B, class R>
  static bool apply(FuncContext& c, A a, B b, R& out) {
    if constexpr (std::floating_point<R>) {
      out = static_cast<R>(a) * static_cast<R>(b);
      if (std::isinf(out) && !std::isinf(a) && !std::isinf(b)) [[unlikely]]
        return float_overflow(c);
      if (out == 0 && a != 0 && b != 0) [[unlikely]]
        return float_underflow(c);
    } else if (__builtin_mul_overflow(a, b, &out)) [[unlikely]] {
      return out_of_range<R>(c);
    }
    return true;
  }
};
struct ScalarDivide {
  template <class A, class B, class R>
  static bool apply(FuncContext& c, A a, B b, R& out) {
    if constexpr (std::floating_point<R>) {
      if (b == 0 && !std::isnan(a)) [[unlikely]] {
        return division_by_zero(c);
      }
      out = static_cast<R>(a) / static_cast<R>(b);
      if (std::isinf(out) && !std::isinf(a)) [[unlikely]]
        return float_overflow(c);
      if (out == 0 && a != 0 && !std::isinf(b)) [[unlikely]]
        return float_underflow(c);
    } else {
      if (b == 0) [[unlikely]]
        return division_by_zero(c);
      if (b == -1) return !__builtin_sub_overflow(R{0}, static_cast<R>(a), &out) || out_of_range<R>(c);
      out = static_cast<R>(static_cast<R>(a) / static_cast<R>(b));
    }
    return true;
  }
};
struct ScalarModulo {
  template <class T>
  static bool apply(FuncContext& c, T a, T b, T& out) {
    if (b == 0) [[unlikely]] {
      types::fail_division_by_zero(c);
      return false;
    }
    out = b == -1 ? T{0} : static_cast<T>(a % b);
    return true;
  }
};

template <class L, class R>
bool scalar_less(const L& a, const R& b) {
  if constexpr (std::floating_point<L>) {
    return std::isnan(b) ? !std::isnan(a) : a < b;
  } else {
    return a < b;
  }
}
// Which of less, equal and greater are true: 1, 2, 4.
template <int kWhich>
struct ScalarCompare {
  template <class A, class B>
  static bool apply(FuncContext&, const A& a, const B& b, bool& out) {
    if constexpr (std::floating_point<A> && (kWhich == 2 || kWhich == 5)) {
      const bool same = a == b || (std::isnan(a) && std::isnan(b));
      out = same == (kWhich == 2);
    } else if constexpr (kWhich == 2) {
      out = a == b;
    } else if constexpr (kWhich == 5) {
      out = !(a == b);
    } else if constexpr (kWhich == 1) {
      out = scalar_less(a, b);
    } else if constexpr (kWhich == 3) {
      out = !scalar_less(b, a);
    } else if constexpr (kWhich == 4) {
      out = scalar_less(b, a);
    } else {
      out = !scalar_less(a, b);
    }
    return true;
  }
};

struct ScalarNegate {
  template <class T>
  static bool apply(FuncContext& c, T a, T& out) {
    if constexpr (std::floating_point<T>) {
      out = -a;
      return true;
    } else {
      return !__builtin_sub_overflow(T{0}, a, &out) || out_of_range<T>(c);
    }
  }
};
struct ScalarAbsolute {
  template <class T>
  static bool apply(FuncContext& c, T a, T& out) {
    if constexpr (std::floating_point<T>) {
      out = std::fabs(a);
      return true;
    } else {
      out = a;
      return a >= 0 || ScalarNegate::apply(c, a, out);
    }
  }
};
// Integers to wider or narrower ones, and to floats.
struct ScalarConvert {
  template <class A, class R>
  static bool apply(FuncContext& c, A a, R& out) {
    if constexpr (std::integral<R> && sizeof(R) < sizeof(A)) {
      if (a < std::numeric_limits<R>::min() || a > std::numeric_limits<R>::max()) [[unlikely]]
        return out_of_range<R>(c);
    }
    out = static_cast<R>(a);
    return true;
  }
};

struct ScalarSquareRoot {
  static bool apply(FuncContext& c, double a, double& out) {
    if (a < 0) [[unlikely]] {
      c.fail(SqlState("2201F"), "cannot take square root of a negative number");
      return false;
    }
    out = std::sqrt(a);
    return true;
  }
};

// By pg_proc OID.
class FastFunctions {
 public:
  FastFunctions() {
    arithmetic<int16_t, int16_t, int16_t>(176, 180, 152, 153);
    arithmetic<int16_t, int32_t, int32_t>(178, 182, 170, 172);
    arithmetic<int32_t, int16_t, int32_t>(179, 183, 171, 173);
    arithmetic<int32_t, int32_t, int32_t>(177, 181, 141, 154);
    arithmetic<int32_t, int64_t, int64_t>(1278, 1279, 1280, 1281);
    arithmetic<int64_t, int32_t, int64_t>(1274, 1275, 1276, 1277);
    arithmetic<int64_t, int64_t, int64_t>(463, 464, 465, 466);
    arithmetic<float, float, float>(204, 205, 202, 203);
    arithmetic<float, double, double>(281, 282, 279, 280);
    arithmetic<double, float, double>(285, 286, 283, 284);
    arithmetic<double, double, double>(218, 219, 216, 217);
    for (const Oid mod : {155, 940}) table_[mod] = binary<ScalarModulo, int16_t, int16_t, int16_t>();
    for (const Oid mod : {156, 941}) table_[mod] = binary<ScalarModulo, int32_t, int32_t, int32_t>();
    for (const Oid mod : {945, 947}) table_[mod] = binary<ScalarModulo, int64_t, int64_t, int64_t>();
    signs<int16_t>(213, 1253, 1398);
    signs<int32_t>(212, 1251, 1397);
    signs<int64_t>(462, 1230, 1396);
    signs<float>(206, 207, 1394);
    signs<double>(220, 221, 1395);
    convert<int16_t, int32_t>(313);
    convert<int32_t, int16_t>(314);
    convert<int64_t, int32_t>(480);
    convert<int32_t, int64_t>(481);
    convert<int64_t, int16_t>(714);
    convert<int16_t, int64_t>(754);
    convert<int16_t, double>(235);
    convert<int32_t, double>(316);
    convert<int64_t, double>(482);
    convert<float, double>(311);
    for (const Oid root : {230, 1344}) table_[root] = unary<ScalarSquareRoot, double, double>();

    // In the order = <> < <= > >=.
    compare<bool, bool>({60, 84, 56, 1691, 57, 1692});
    compare<int16_t, int16_t>({63, 145, 64, 148, 146, 151});
    compare<int16_t, int32_t>({158, 164, 160, 166, 162, 168});
    compare<int32_t, int16_t>({159, 165, 161, 167, 163, 169});
    compare<int32_t, int32_t>({65, 144, 66, 149, 147, 150});
    compare<int32_t, int64_t>({852, 853, 854, 856, 855, 857});
    compare<int64_t, int32_t>({474, 475, 476, 478, 477, 479});
    compare<int64_t, int64_t>({467, 468, 469, 471, 470, 472});
    compare<uint32_t, uint32_t>({184, 185, 716, 717, 1638, 1639});  // oid
    compare<float, float>({287, 288, 289, 290, 291, 292});
    compare<double, double>({293, 294, 295, 296, 297, 298});
    compare<int32_t, int32_t>({1086, 1091, 1087, 1088, 1089, 1090});  // date
    compare<int64_t, int64_t>({2052, 2053, 2054, 2055, 2057, 2056});  // timestamp
    compare<int64_t, int64_t>({1152, 1153, 1154, 1155, 1157, 1156});  // timestamptz
    const Oid texts[6] = {67, 157, 740, 741, 742, 743};
    compare<Str, Str>(texts);
    for (const Oid f : texts) table_[f].machine.c_order = true;
    for (const Oid f : {texts[0], texts[1]}) table_[f].machine.texts_equality = true;
    add_typed_functions(table_);
  }

  const FastFunction* find(Oid function) const {
    const auto at = table_.find(function);
    return at == table_.end() ? nullptr : &at->second;
  }

 private:
  template <class A, class B, class R>
  void arithmetic(Oid plus, Oid minus, Oid times, Oid divide) {
    table_[plus] = binary<ScalarPlus, R, A, B>();
    table_[minus] = binary<ScalarMinus, R, A, B>();
    table_[times] = binary<ScalarTimes, R, A, B>();
    table_[divide] = binary<ScalarDivide, R, A, B>();
  }
  template <class T>
  void signs(Oid minus, Oid absolute, Oid absolute_too) {
    table_[minus] = unary<ScalarNegate, T, T>();
    table_[absolute] = unary<ScalarAbsolute, T, T>();
    table_[absolute_too] = unary<ScalarAbsolute, T, T>();
  }
  template <class A, class R>
  void convert(Oid function) {
    table_[function] = unary<ScalarConvert, R, A>();
  }
  template <class A, class B>
  void compare(const Oid (&functions)[6]) {
    table_[functions[0]] = comparison<ScalarCompare<2>, A, B>();
    table_[functions[1]] = comparison<ScalarCompare<5>, A, B>();
    table_[functions[2]] = comparison<ScalarCompare<1>, A, B>();
    table_[functions[3]] = comparison<ScalarCompare<3>, A, B>();
    table_[functions[4]] = comparison<ScalarCompare<4>, A, B>();
    table_[functions[5]] = comparison<ScalarCompare<6>, A, B>();
  }

  FastTable table_;
};

const FastFunctions& fast_functions() {
  static const FastFunctions kFunctions;
  return kFunctions;
}

// Whether texts compare under the collation as a function of `c_order` compares them.
bool compares_bytes(types::CatalogContext& catalog, Oid collation, bool equality) {
  if (catalog.orders_by_bytes(collation)) return true;
  if (!equality || collation == oid::kConflictingCollations) return false;
  const types::Collator* const collator = catalog.collator(collation);
  return collator != nullptr && collator->deterministic();
}

const FastFunction* find_function(types::CatalogContext& catalog, const sql::CallExpr& e) {
  const FastFunction* const found = fast_functions().find(e.function);
  if (found == nullptr || found->machine.arguments != e.arguments.size() || e.returns_set) return nullptr;
  const bool bytes = !found->machine.c_order || compares_bytes(catalog, e.collation, found->machine.texts_equality);
  return bytes ? found : nullptr;
}

}  // namespace

ScalarPtr scalar_fast_call(ScalarCompiler& compiler, const sql::CallExpr& e, std::vector<ScalarOperand>& arguments) {
  const FastFunction* const found = find_function(compiler.catalog(), e);
  if (found == nullptr) return nullptr;
  compiler.needs_functions = compiler.needs_functions || found->machine.uses_arena;
  return found->make(arguments);
}

const MachineFunction* machine_function(types::CatalogContext& catalog, const sql::CallExpr& e) {
  const FastFunction* const found = find_function(catalog, e);
  return found == nullptr ? nullptr : &found->machine;
}

}  // namespace indigo::engine::exec
