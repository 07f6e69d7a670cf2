// min and max of every ordered type.
#include "types/aggregate/aggregate.h"
#include "types/array/array_shape.h"
#include "types/array/element_collator.h"
#include "types/function/compare.h"
#include "types/function/families.h"
#include "types/io/order_of.h"
#include "types/number/float.h"

namespace indigo::types {

namespace {

template <class T, bool kMax>
struct Extreme {
  struct State {
    T best;
    bool any;
  };
  static void add(FuncContext&, State& s, T v) {
    bool better = !s.any;
    if (s.any) {
      if constexpr (std::is_floating_point_v<T>) {
        better = kMax ? compare_floats(v, s.best) >= 0 : compare_floats(v, s.best) <= 0;
      } else {
        better = kMax ? v > s.best : v < s.best;
      }
    }
    if (better) {
      s.best = v;
      s.any = true;
    }
  }
  static void finish(FuncContext&, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.any ? put(out, row, s.best) : put_null(out, row);
  }
};

// Any type, by its order; strings are kept in memory of the state's own. Of equal values the last is kept, or the first.
template <bool kMax, bool kKeepsFirst = false>
struct AnyExtreme {
  struct State {
    Datum best;  // null until the first value: zero bytes are not, hence `any`
    std::string* bytes;
    const TypeOrder* order;
    bool any;
  };
  static void add(FuncContext& context, const CallInfo& call, State& s, Datum v) {
    if (!s.any) {
      s.order = order_of(context, call.arguments[0].oid);
      if (s.order == nullptr)
        return context.fail(sqlstate::kUndefinedFunction, "could not identify a comparison function for the type");
    } else {
      if (call.arguments[0].oid == oid::kAnyArray &&
          ArrayView(v.str).element_type() != ArrayView(s.best.str).element_type())
        return fail_different_elements(context);
      const int c = s.order->compare(v, s.best, element_collator(context, call));
      if ((kMax ? c < 0 : c > 0) || (kKeepsFirst && c == 0)) return;
    }
    s.any = true;
    s.best = v;
    if (v.phys == Phys::kStr) {
      if (s.bytes == nullptr) s.bytes = new std::string();
      s.bytes->assign(v.str);
      s.best.str = *s.bytes;
    }
  }
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    if (!s.any) return put_null(out, row);
    if (s.best.phys == Phys::kStr) return put(out, row, context.arena().copy(s.best.str));
    out.set_datum(row, s.best);
  }
  static void destroy(State& s) { delete s.bytes; }
};

const AggregateEntry kExtremesEntries[] = {
    {"max(int2)", aggregate<Extreme<int16_t, true>>()},
    {"min(int2)", aggregate<Extreme<int16_t, false>>()},
    {"max(int4)", aggregate<Extreme<int32_t, true>>()},
    {"min(int4)", aggregate<Extreme<int32_t, false>>()},
    {"max(int8)", aggregate<Extreme<int64_t, true>>()},
    {"min(int8)", aggregate<Extreme<int64_t, false>>()},
    {"max(float4)", aggregate<Extreme<float, true>>()},
    {"min(float4)", aggregate<Extreme<float, false>>()},
    {"max(float8)", aggregate<Extreme<double, true>>()},
    {"min(float8)", aggregate<Extreme<double, false>>()},
    {"max(date)", aggregate<Extreme<int32_t, true>>()},
    {"min(date)", aggregate<Extreme<int32_t, false>>()},
    {"max(time)", aggregate<Extreme<int64_t, true>>()},
    {"min(time)", aggregate<Extreme<int64_t, false>>()},
    {"max(timestamp)", aggregate<Extreme<int64_t, true>>()},
    {"min(timestamp)", aggregate<Extreme<int64_t, false>>()},
    {"max(timestamptz)", aggregate<Extreme<int64_t, true>>()},
    {"min(timestamptz)", aggregate<Extreme<int64_t, false>>()},
    {"max(money)", aggregate<Extreme<int64_t, true>>()},
    {"min(money)", aggregate<Extreme<int64_t, false>>()},
    {"max(oid)", aggregate<AnyExtreme<true>>()},
    {"min(oid)", aggregate<AnyExtreme<false>>()},
    {"max(timetz)", aggregate<AnyExtreme<true>>()},
    {"min(timetz)", aggregate<AnyExtreme<false>>()},
    {"max(interval)", aggregate<AnyExtreme<true>>()},
    {"min(interval)", aggregate<AnyExtreme<false>>()},
    {"max(text)", aggregate<AnyExtreme<true>>()},
    {"min(text)", aggregate<AnyExtreme<false>>()},
    {"max(bpchar)", aggregate<AnyExtreme<true, true>>()},
    {"min(bpchar)", aggregate<AnyExtreme<false, true>>()},
    {"max(numeric)", aggregate<AnyExtreme<true>>()},
    {"min(numeric)", aggregate<AnyExtreme<false>>()},
    {"max(anyarray)", aggregate<AnyExtreme<true>>()},
    {"min(anyarray)", aggregate<AnyExtreme<false>>()},
    {"max(anyenum)", aggregate<AnyExtreme<true>>()},
    {"min(anyenum)", aggregate<AnyExtreme<false>>()},
    {"max(tid)", aggregate<AnyExtreme<true>>()},
    {"min(tid)", aggregate<AnyExtreme<false>>()},
    {"max(pg_lsn)", aggregate<AnyExtreme<true>>()},
    {"min(pg_lsn)", aggregate<AnyExtreme<false>>()},
    {"max(inet)", aggregate<AnyExtreme<true>>()},
    {"min(inet)", aggregate<AnyExtreme<false>>()},
    {"max(xid8)", aggregate<AnyExtreme<true>>()},
    {"min(xid8)", aggregate<AnyExtreme<false>>()},
};

}  // namespace

std::span<const AggregateEntry> extreme_aggregates() { return kExtremesEntries; }

}  // namespace indigo::types
