// count, sum, avg, the boolean and bit aggregates.
#include <cmath>

#include "base/sqlstate.h"
#include "types/aggregate/aggregate.h"
#include "types/aggregate/numeric_sum.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/numeric/numeric.h"

namespace indigo::types {

namespace {

struct CountRows {
  struct State {
    int64_t n;
  };
  static void add(FuncContext&, State& s) { s.n++; }
  static void remove(FuncContext&, State& s) { s.n--; }
  static void finish(FuncContext&, const CallInfo&, State& s, Vector& out, uint32_t row) { put(out, row, s.n); }
};

// count(x): only nulls matter, so no value is read.
void count_update(FuncContext&, const CallInfo&, std::span<const Vector* const> arguments, Selection selection,
                  void* const* states) {
  const Vector& v = *arguments[0];
  for (uint32_t i = 0; i < selection.count; i++)
    static_cast<CountRows::State*>(states[i])->n += !v.is_null(selection[i]);
}
bool count_retract(FuncContext&, const CallInfo&, std::span<const Vector* const> arguments, uint32_t row, void* state) {
  static_cast<CountRows::State*>(state)->n -= !arguments[0]->is_null(row);
  return true;
}
constexpr AggregateFunction kCountValues{
    0, sizeof(CountRows::State), count_update, aggregate_detail::finalize<CountRows>, nullptr, count_retract};

// sum(int2), sum(int4): bigint
template <class T>
struct SumSmall {
  struct State {
    int64_t sum, n;
  };
  static void add(FuncContext&, State& s, T v) {
    s.sum += v;
    s.n++;
  }
  static void remove(FuncContext&, State& s, T v) {
    s.sum -= v;
    s.n--;
  }
  static void finish(FuncContext&, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.n == 0 ? put_null(out, row) : put(out, row, s.sum);
  }
};

// sum(int8) and avg of integers: numeric, exact
template <class T>
struct WideState {
  struct State {
    Int128 sum;
    int64_t n;
  };
  static void add(FuncContext&, State& s, T v) {
    s.sum += v;
    s.n++;
  }
  static void remove(FuncContext&, State& s, T v) {
    s.sum -= v;
    s.n--;
  }
};
struct SumInt8 : WideState<int64_t> {
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.n == 0 ? put_null(out, row) : put(out, row, small_numeric_image(context, s.sum, 0));
  }
};
template <class T>
struct AverageInteger : WideState<T> {
  using State = typename WideState<T>::State;
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    if (s.n == 0) return put_null(out, row);
    put(out, row, numeric_divide(context, small_numeric_image(context, s.sum, 0), numeric_image(context, s.n)));
  }
};

struct SumNumeric {
  using State = NumericSum;
  static void add(FuncContext&, State& s, Str v) { s.add(v); }
  static void remove(FuncContext&, State& s, Str v) { s.remove(v); }
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.count == 0 ? put_null(out, row) : put(out, row, s.total(context));
  }
  static void destroy(State& s) { s.destroy(); }
};
struct AverageNumeric : SumNumeric {
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    if (s.count == 0) return put_null(out, row);
    put(out, row, numeric_divide(context, s.total(context), numeric_image(context, s.count)));
  }
};

template <class T>
struct SumFloat {
  struct State {
    T sum;
    bool any;
  };
  static void add(FuncContext& context, State& s, T v) {
    const T sum = s.any ? s.sum + v : v;
    if (std::isinf(sum) && !std::isinf(s.sum) && !std::isinf(v)) fail_float_overflow(context);
    s.sum = sum;
    s.any = true;
  }
  static void finish(FuncContext&, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.any ? put(out, row, s.sum) : put_null(out, row);
  }
};
struct SumMoney {
  struct State {
    int64_t sum;
    bool any;
  };
  static void add(FuncContext& context, State& s, int64_t v) {
    if (__builtin_add_overflow(s.sum, v, &s.sum)) context.fail(sqlstate::kNumericValueOutOfRange, "money out of range");
    s.any = true;
  }
  static void finish(FuncContext&, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.any ? put(out, row, s.sum) : put_null(out, row);
  }
};

template <bool kAnd>
struct BoolAggregate {
  struct State {
    int64_t n, matching;
  };
  static void add(FuncContext&, State& s, bool v) {
    s.n++;
    s.matching += v;
  }
  static void remove(FuncContext&, State& s, bool v) {
    s.n--;
    s.matching -= v;
  }
  static void finish(FuncContext&, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.n == 0 ? put_null(out, row) : put(out, row, kAnd ? s.matching == s.n : s.matching > 0);
  }
};

enum class BitOp : uint8_t { kAnd, kOr, kXor };
template <class T, BitOp kOp>
struct BitAggregate {
  struct State {
    T bits;
    bool any;
  };
  static void add(FuncContext&, State& s, T v) {
    if (!s.any) {
      s.bits = v;
    } else if constexpr (kOp == BitOp::kAnd) {
      s.bits = static_cast<T>(s.bits & v);
    } else if constexpr (kOp == BitOp::kOr) {
      s.bits = static_cast<T>(s.bits | v);
    } else {
      s.bits = static_cast<T>(s.bits ^ v);
    }
    s.any = true;
  }
  static void finish(FuncContext&, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.any ? put(out, row, s.bits) : put_null(out, row);
  }
};

const AggregateEntry kSumsEntries[] = {
    {"count()", aggregate<CountRows>()},
    {"count(any)", kCountValues},
    {"sum(int2)", aggregate<SumSmall<int16_t>>()},
    {"sum(int4)", aggregate<SumSmall<int32_t>>()},
    {"sum(int8)", aggregate<SumInt8>()},
    {"sum(numeric)", aggregate<SumNumeric>()},
    {"sum(float4)", aggregate<SumFloat<float>>()},
    {"sum(float8)", aggregate<SumFloat<double>>()},
    {"sum(money)", aggregate<SumMoney>()},
    {"avg(int2)", aggregate<AverageInteger<int16_t>>()},
    {"avg(int4)", aggregate<AverageInteger<int32_t>>()},
    {"avg(int8)", aggregate<AverageInteger<int64_t>>()},
    {"avg(numeric)", aggregate<AverageNumeric>()},
    {"bool_and(bool)", aggregate<BoolAggregate<true>>()},
    {"every(bool)", aggregate<BoolAggregate<true>>()},
    {"bool_or(bool)", aggregate<BoolAggregate<false>>()},
    {"bit_and(int2)", aggregate<BitAggregate<int16_t, BitOp::kAnd>>()},
    {"bit_and(int4)", aggregate<BitAggregate<int32_t, BitOp::kAnd>>()},
    {"bit_and(int8)", aggregate<BitAggregate<int64_t, BitOp::kAnd>>()},
    {"bit_or(int2)", aggregate<BitAggregate<int16_t, BitOp::kOr>>()},
    {"bit_or(int4)", aggregate<BitAggregate<int32_t, BitOp::kOr>>()},
    {"bit_or(int8)", aggregate<BitAggregate<int64_t, BitOp::kOr>>()},
    {"bit_xor(int2)", aggregate<BitAggregate<int16_t, BitOp::kXor>>()},
    {"bit_xor(int4)", aggregate<BitAggregate<int32_t, BitOp::kXor>>()},
    {"bit_xor(int8)", aggregate<BitAggregate<int64_t, BitOp::kXor>>()},
};

}  // namespace

std::span<const AggregateEntry> sum_aggregates() { return kSumsEntries; }

}  // namespace indigo::types
