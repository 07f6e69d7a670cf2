// Ordered-set aggregates (percentile_cont, percentile_disc, mode) and hypothetical-set ones (rank, dense_rank,
// percent_rank, cume_dist). Rows come in the WITHIN GROUP order; a row's arguments are the aggregated columns, then the
// direct arguments.
#include <algorithm>
#include <cmath>

#include "types/aggregate/aggregate.h"
#include "types/array/element_collator.h"
#include "types/datetime/arithmetic.h"
#include "types/function/collation.h"
#include "types/function/families.h"
#include "types/io/order_of.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

// The group's values in order, and the direct argument, in memory of their own.
struct Sorted {
  Arena arena;
  std::vector<Datum> values;
  Datum direct;
  Datum keep(Datum d) {
    if (!d.null && d.phys == Phys::kStr) d.str = arena.copy(d.str);
    return d;
  }
};
struct SortedState {
  Sorted* rows;
};
void collect(SortedState& s, const std::optional<Datum>& value, const std::optional<Datum>& direct) {
  if (s.rows == nullptr) {
    s.rows = new Sorted();
    s.rows->direct = s.rows->keep(direct.value_or(Datum()));
  }
  if (!value) return;
  s.rows->values.push_back(s.rows->keep(*value));
}

bool check_fraction(FuncContext& context, double p) {
  if (p >= 0 && p <= 1) return true;
  char text[40];
  std::snprintf(text, sizeof text, "%g", p);
  const std::string value = std::isnan(p) ? "NaN" : std::isinf(p) ? (p > 0 ? "Infinity" : "-Infinity") : text;
  context.fail(sqlstate::kNumericValueOutOfRange, "percentile value " + value + " is not between 0 and 1");
  return false;
}

// How a percentile is read off the sorted values.
Datum discrete(FuncContext&, const std::vector<Datum>& v, double p) {
  const auto at = static_cast<size_t>(std::max(std::ceil(p * static_cast<double>(v.size())), 1.0)) - 1;
  return v[std::min(at, v.size() - 1)];
}
template <class Blend>
Datum continuous(const std::vector<Datum>& v, double p, const Blend& blend) {
  const double place = p * static_cast<double>(v.size() - 1);
  const auto low = static_cast<size_t>(std::floor(place)), high = static_cast<size_t>(std::ceil(place));
  return low == high ? v[low] : blend(v[low], v[high], place - static_cast<double>(low));
}
Datum continuous_float(FuncContext&, const std::vector<Datum>& v, double p) {
  return continuous(v, p,
                    [](const Datum& a, const Datum& b, double f) { return Datum::of(a.f64 + f * (b.f64 - a.f64)); });
}
Datum continuous_interval(FuncContext& context, const std::vector<Datum>& v, double p) {
  return continuous(v, p, [&](const Datum& a, const Datum& b, double f) {
    const Interval difference = interval_add(context, b.interval, interval_negate(context, a.interval));
    return Datum::of(interval_add(context, interval_times(context, difference, f), a.interval));
  });
}

using Pick = Datum (*)(FuncContext&, const std::vector<Datum>&, double);
template <Pick kPick>
struct Percentile {
  using State = SortedState;
  static void add(FuncContext&, State& s, std::optional<Datum> value, std::optional<Datum> fraction) {
    collect(s, value, fraction);
  }
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    if (s.rows == nullptr || s.rows->direct.null) return put_null(out, row);
    if (!check_fraction(context, s.rows->direct.f64)) return;
    if (s.rows->values.empty()) return put_null(out, row);
    set(context, out, row, kPick(context, s.rows->values, s.rows->direct.f64));
  }
  static void set(FuncContext& context, Vector& out, uint32_t row, Datum d) {
    if (!d.null && d.phys == Phys::kStr) d.str = context.arena().copy(d.str);
    out.set_datum(row, d);
  }
  static void destroy(State& s) { delete s.rows; }
};
// An array of fractions gives an array of percentiles.
template <Pick kPick>
struct Percentiles : Percentile<kPick> {
  using State = SortedState;
  static void finish(FuncContext& context, const CallInfo& call, State& s, Vector& out, uint32_t row) {
    if (s.rows == nullptr || s.rows->values.empty() || s.rows->direct.null) return put_null(out, row);
    const ArrayView fractions(s.rows->direct.str);
    std::vector<Datum> picked;
    std::vector<ArrayDimension> dimensions;
    for (int d = 0; d < fractions.dimensions(); d++) dimensions.push_back(fractions.dimension(d));
    const Phys phys = s.rows->values[0].phys;
    for (int32_t i = 0; i < fractions.count(); i++) {
      if (fractions.is_null(i)) {
        picked.push_back(Datum::make_null(phys));
        continue;
      }
      if (!check_fraction(context, fractions.element(i).f64)) return;
      picked.push_back(kPick(context, s.rows->values, fractions.element(i).f64));
    }
    put(out, row, context.arena().copy(make_array(call.arguments[0].oid, phys, dimensions, picked)));
  }
};

struct Mode {
  using State = SortedState;
  static void add(FuncContext&, State& s, std::optional<Datum> value) { collect(s, value, {}); }
  static void finish(FuncContext& context, const CallInfo& call, State& s, Vector& out, uint32_t row) {
    if (s.rows == nullptr || s.rows->values.empty()) return put_null(out, row);
    const TypeOrder* order = order_of(context, call.arguments[0].oid);
    if (order == nullptr) return fail_no_comparison(context, call.arguments[0].oid);
    const std::vector<Datum>& v = s.rows->values;
    const Collator* collator = element_collator(context, call);
    size_t best = 0, best_length = 0;
    for (size_t i = 0; i < v.size();) {
      size_t end = i + 1;
      while (end < v.size() && order->equal(v[i], v[end], collator)) end++;
      if (end - i > best_length) {
        best = i;
        best_length = end - i;
      }
      i = end;
    }
    Percentile<discrete>::set(context, out, row, v[best]);
  }
  static void destroy(State& s) { delete s.rows; }
};

// ---- hypothetical sets: where the direct row would stand
struct HypotheticalState {
  int64_t rows, before, peers, distinct_before;
  Sorted* previous;  // the last row that stands before
};

// -1: a before b in the WITHIN GROUP order.
int compare_keys(FuncContext& context, const CallInfo& call, size_t column, const Datum& a, const Datum& b) {
  const CallInfo::SortDirection direction =
      column < call.within_group.size() ? call.within_group[column] : CallInfo::SortDirection{false, false};
  if (a.null || b.null) {
    if (a.null && b.null) return 0;
    return a.null == direction.nulls_first ? -1 : 1;
  }
  const TypeOrder* order = order_of(context, call.arguments[column].oid);
  if (order == nullptr) {
    fail_no_comparison(context, call.arguments[column].oid);
    return 0;
  }
  const int c = order->compare(a, b, element_collator(context, call));
  return direction.descending ? -c : c;
}

void hypothetical_update(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                         Selection selection, void* const* states) {
  const size_t columns = arguments.size() / 2;
  for (uint32_t i = 0; i < selection.count && !context.failed(); i++) {
    auto& s = *static_cast<HypotheticalState*>(states[i]);
    const uint32_t r = selection[i];
    int c = 0;
    for (size_t k = 0; k < columns && c == 0; k++)
      c = compare_keys(context, call, k, arguments[k]->datum(r), arguments[columns + k]->datum(r));
    s.rows++;
    if (c == 0) s.peers++;
    if (c >= 0) continue;
    s.before++;
    bool same = s.previous != nullptr;
    for (size_t k = 0; k < columns && same; k++)
      same = compare_keys(context, call, k, s.previous->values[k], arguments[k]->datum(r)) == 0;
    if (same) continue;
    s.distinct_before++;
    delete s.previous;
    s.previous = new Sorted();
    for (size_t k = 0; k < columns; k++) s.previous->values.push_back(s.previous->keep(arguments[k]->datum(r)));
  }
}
void hypothetical_destroy(void* state) { delete static_cast<HypotheticalState*>(state)->previous; }
void finish_rank(FuncContext&, const CallInfo&, void* state, Vector& out, uint32_t row) {
  put(out, row, static_cast<HypotheticalState*>(state)->before + 1);
}
void finish_dense_rank(FuncContext&, const CallInfo&, void* state, Vector& out, uint32_t row) {
  put(out, row, static_cast<HypotheticalState*>(state)->distinct_before + 1);
}
void finish_percent_rank(FuncContext&, const CallInfo&, void* state, Vector& out, uint32_t row) {
  const auto& s = *static_cast<HypotheticalState*>(state);
  put(out, row, s.rows == 0 ? 0.0 : static_cast<double>(s.before) / static_cast<double>(s.rows));
}
void finish_cume_dist(FuncContext&, const CallInfo&, void* state, Vector& out, uint32_t row) {
  const auto& s = *static_cast<HypotheticalState*>(state);
  put(out, row, static_cast<double>(s.before + s.peers + 1) / static_cast<double>(s.rows + 1));
}
constexpr AggregateFunction hypothetical(void (*finish)(FuncContext&, const CallInfo&, void*, Vector&, uint32_t)) {
  return {0, sizeof(HypotheticalState), hypothetical_update, finish, hypothetical_destroy, nullptr};
}

const AggregateEntry kOrderedSetEntries[] = {
    {"percentile_disc(float8,anyelement)", aggregate<Percentile<discrete>>()},
    {"percentile_disc(_float8,anyelement)", aggregate<Percentiles<discrete>>()},
    {"percentile_cont(float8,float8)", aggregate<Percentile<continuous_float>>()},
    {"percentile_cont(_float8,float8)", aggregate<Percentiles<continuous_float>>()},
    {"percentile_cont(float8,interval)", aggregate<Percentile<continuous_interval>>()},
    {"percentile_cont(_float8,interval)", aggregate<Percentiles<continuous_interval>>()},
    {"mode(anyelement)", aggregate<Mode>()},
    {"rank(any)", hypothetical(finish_rank)},
    {"dense_rank(any)", hypothetical(finish_dense_rank)},
    {"percent_rank(any)", hypothetical(finish_percent_rank)},
    {"cume_dist(any)", hypothetical(finish_cume_dist)},
};

}  // namespace

std::span<const AggregateEntry> ordered_set_aggregates() { return kOrderedSetEntries; }

}  // namespace indigo::types
