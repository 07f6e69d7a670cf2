// Constructors, operators and functions of multiranges, and their aggregates.
#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/aggregate/aggregate.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/range/range.h"
#include "types/set/producer.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

using OptionalStr = std::optional<Str>;

OptionalStr image(FuncContext& context, const MultirangeValue& m) { return context.arena().copy(multirange_image(m)); }

// ---- constructors
OptionalStr construct_empty(FuncContext& context, const CallInfo& call) {
  MultirangeValue m;
  if (!describe_multirange(context, call.result.oid, m)) return {};
  return image(context, m);
}
OptionalStr construct_of_range(FuncContext& context, const CallInfo& call, Str range) {
  MultirangeValue m;
  if (!describe_multirange(context, call.result.oid, m)) return {};
  m.ranges.push_back(read_range(context, range));
  normalize(m);
  return image(context, m);
}
OptionalStr construct_of_array(FuncContext& context, const CallInfo& call, Str ranges) {
  MultirangeValue m;
  if (!describe_multirange(context, call.result.oid, m)) return {};
  const ArrayView array(ranges);
  if (array.dimensions() > 1) {
    context.fail(sqlstate::kCardinalityViolation, "multiranges cannot be constructed from multidimensional arrays");
    return {};
  }
  for (int32_t i = 0; i < array.count(); i++) {
    if (array.is_null(i)) {
      context.fail(sqlstate::kNullValueNotAllowed, "multirange values cannot contain null members");
      return {};
    }
    m.ranges.push_back(read_range(array.element(i).str, m.order));
  }
  normalize(m);
  return image(context, m);
}

// ---- what a multirange is made of
Datum value_of_bound(FuncContext& context, const MultirangeValue& m, const RangeBound* bound) {
  if (bound == nullptr || bound->infinite) return Datum::make_null(m.phys);
  Datum value = bound->value;
  if (value.phys == Phys::kStr) value.str = context.arena().copy(value.str);
  return value;
}
const RangeBound* lower_bound_of(const MultirangeValue& m) { return m.empty() ? nullptr : &m.ranges.front().lower; }
const RangeBound* upper_bound_of(const MultirangeValue& m) { return m.empty() ? nullptr : &m.ranges.back().upper; }
Datum multirange_lower(FuncContext& context, Str a) {
  const MultirangeValue m = read_multirange(a);
  return value_of_bound(context, m, lower_bound_of(m));
}
Datum multirange_upper(FuncContext& context, Str a) {
  const MultirangeValue m = read_multirange(a);
  return value_of_bound(context, m, upper_bound_of(m));
}
template <const RangeBound* (*Bound)(const MultirangeValue&), bool RangeBound::*Member>
bool bound_is(Str a) {
  const MultirangeValue m = read_multirange(a);
  const RangeBound* bound = Bound(m);
  return bound != nullptr && bound->*Member;
}
bool multirange_is_empty(Str a) { return read_multirange(a).empty(); }

// ---- comparisons
int32_t multirange_compare(FuncContext& context, Str a, Str b) {
  return compare_multiranges(read_multirange(context, a), read_multirange(context, b));
}
bool multirange_eq(FuncContext& context, Str a, Str b) { return multirange_compare(context, a, b) == 0; }
bool multirange_ne(FuncContext& context, Str a, Str b) { return multirange_compare(context, a, b) != 0; }
bool multirange_lt(FuncContext& context, Str a, Str b) { return multirange_compare(context, a, b) < 0; }
bool multirange_le(FuncContext& context, Str a, Str b) { return multirange_compare(context, a, b) <= 0; }
bool multirange_gt(FuncContext& context, Str a, Str b) { return multirange_compare(context, a, b) > 0; }
bool multirange_ge(FuncContext& context, Str a, Str b) { return multirange_compare(context, a, b) >= 0; }

// ---- relations. A range is a multirange of one, or of none when it is empty.
MultirangeValue of_range(FuncContext& context, Str a) {
  MultirangeValue m;
  m.ranges.push_back(read_range(context, a));
  m.range = m.ranges[0].type;
  m.element = m.ranges[0].element;
  m.phys = m.ranges[0].phys;
  m.order = m.ranges[0].order;
  normalize(m);
  return m;
}

bool covers(const MultirangeValue& a, const MultirangeValue& b) {
  size_t at = 0;
  for (const RangeValue& range : b.ranges) {
    note_work(16);
    for (; at < a.ranges.size() && range_before(a.ranges[at], range); at++) note_work(16);
    if (at == a.ranges.size() || !range_contains(a.ranges[at], range)) return false;
  }
  return true;
}
bool covered(const MultirangeValue& a, const MultirangeValue& b) { return covers(b, a); }
bool overlap(const MultirangeValue& a, const MultirangeValue& b) {
  size_t at = 0;
  for (const RangeValue& range : b.ranges) {
    note_work(16);
    for (; at < a.ranges.size() && range_before(a.ranges[at], range); at++) note_work(16);
    if (at < a.ranges.size() && range_overlaps(a.ranges[at], range)) return true;
  }
  return false;
}
// Compares one bound of each; false when one has none.
template <class Compare>
bool both(const MultirangeValue& a, const MultirangeValue& b, const Compare& compare) {
  return !a.empty() && !b.empty() && compare(element_order(a.ranges[0]));
}
bool is_before(const MultirangeValue& a, const MultirangeValue& b) {
  return both(a, b,
              [&](const ElementOrder& o) { return compare_bounds(o, *upper_bound_of(a), *lower_bound_of(b)) < 0; });
}
bool is_after(const MultirangeValue& a, const MultirangeValue& b) { return is_before(b, a); }
bool is_overleft(const MultirangeValue& a, const MultirangeValue& b) {
  return both(a, b,
              [&](const ElementOrder& o) { return compare_bounds(o, *upper_bound_of(a), *upper_bound_of(b)) <= 0; });
}
bool is_overright(const MultirangeValue& a, const MultirangeValue& b) {
  return both(a, b,
              [&](const ElementOrder& o) { return compare_bounds(o, *lower_bound_of(a), *lower_bound_of(b)) >= 0; });
}
bool is_adjacent(const MultirangeValue& a, const MultirangeValue& b) {
  return both(a, b, [&](const ElementOrder& o) {
    return bounds_adjacent(o, *upper_bound_of(a), *lower_bound_of(b)) ||
           bounds_adjacent(o, *upper_bound_of(b), *lower_bound_of(a));
  });
}

using Relation = bool (*)(const MultirangeValue&, const MultirangeValue&);
template <Relation R>
bool of_two(FuncContext& context, Str a, Str b) {
  return R(read_multirange(context, a), read_multirange(context, b));
}
template <Relation R>
bool with_range(FuncContext& context, Str a, Str b) {
  return R(read_multirange(context, a), of_range(context, b));
}
template <Relation R>
bool range_with(FuncContext& context, Str a, Str b) {
  return R(of_range(context, a), read_multirange(context, b));
}

bool multirange_contains_element(FuncContext& context, Str a, Datum value) {
  for (const RangeValue& range : read_multirange(context, a).ranges)
    if (range_contains_element(range, value)) return true;
  return false;
}
bool element_in_multirange(FuncContext& context, Datum value, Str a) {
  return multirange_contains_element(context, a, value);
}

// ---- sets
MultirangeValue with_ranges(const MultirangeValue& like, std::vector<RangeValue> ranges) {
  MultirangeValue out;
  out.type = like.type;
  out.range = like.range;
  out.element = like.element;
  out.phys = like.phys;
  out.order = like.order;
  out.ranges = std::move(ranges);
  return out;
}
MultirangeValue intersection(const MultirangeValue& a, const MultirangeValue& b) {
  std::vector<RangeValue> out;
  for (size_t i = 0, j = 0; i < a.ranges.size() && j < b.ranges.size();) {
    const RangeValue common = range_intersection(a.ranges[i], b.ranges[j]);
    if (!common.empty) out.push_back(common);
    // The one that ends first cannot meet another.
    const bool first = compare_bounds(element_order(a.ranges[i]), a.ranges[i].upper, b.ranges[j].upper) < 0;
    (first ? i : j)++;
  }
  return with_ranges(a, std::move(out));
}
OptionalStr multirange_union(FuncContext& context, Str x, Str y) {
  MultirangeValue a = read_multirange(context, x);
  const MultirangeValue b = read_multirange(context, y);
  a.ranges.insert(a.ranges.end(), b.ranges.begin(), b.ranges.end());
  normalize(a);
  return image(context, a);
}
OptionalStr multirange_intersect(FuncContext& context, Str a, Str b) {
  return image(context, intersection(read_multirange(context, a), read_multirange(context, b)));
}
OptionalStr multirange_minus(FuncContext& context, Str x, Str y) {
  const MultirangeValue a = read_multirange(context, x), b = read_multirange(context, y);
  std::vector<RangeValue> out;
  size_t at = 0;
  for (const RangeValue& range : a.ranges) {
    RangeValue rest = range;
    while (at < b.ranges.size() && range_before(b.ranges[at], rest)) at++;
    for (size_t i = at; i < b.ranges.size() && range_overlaps(b.ranges[i], rest); i++) {
      const ElementOrder& order = element_order(rest);
      RangeValue left = empty_like(rest), right = empty_like(rest);
      if (compare_bounds(order, rest.lower, b.ranges[i].lower) < 0 &&
          !make_range(context, rest, rest.lower, turned(b.ranges[i].lower), left)) {
        return {};
      }
      if (compare_bounds(order, rest.upper, b.ranges[i].upper) > 0 &&
          !make_range(context, rest, turned(b.ranges[i].upper), rest.upper, right)) {
        return {};
      }
      if (!left.empty) out.push_back(left);
      rest = right;
    }
    if (!rest.empty) out.push_back(rest);
  }
  return image(context, with_ranges(a, std::move(out)));
}
OptionalStr hull_of_multirange(FuncContext& context, Str a) {
  const MultirangeValue m = read_multirange(context, a);
  return context.arena().copy(range_image(m.empty() ? range_like(m) : range_hull(m.ranges.front(), m.ranges.back())));
}

std::unique_ptr<SetProducer> open_unnest(FuncContext&, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  auto rows = std::make_unique<RowSet>();
  for (const RangeValue& range : read_multirange(arguments[0].str).ranges)
    rows->add_in_turn({rows->text(range_image(range))});
  return rows;
}

// ---- aggregates
struct CollectedRanges {
  Arena arena;
  std::vector<Str> images;
};

// range_agg of ranges, and of multiranges: their union. Nulls do not count.
struct RangeAggregate {
  struct State {
    CollectedRanges* rows;
  };
  static void add(FuncContext&, State& s, Str range) {
    if (s.rows == nullptr) s.rows = new CollectedRanges();
    s.rows->images.push_back(s.rows->arena.copy(range));
  }
  static bool collect(const CollectedRanges& rows, MultirangeValue& m) {
    for (const Str range : rows.images) m.ranges.push_back(read_range(range, m.order));
    return true;
  }
  static void finish_with(FuncContext& context, const CallInfo& call, const State& s, Vector& out, uint32_t row,
                          bool (*collect_all)(const CollectedRanges&, MultirangeValue&)) {
    MultirangeValue m;
    if (s.rows == nullptr || !describe_multirange(context, call.result.oid, m)) return put_null(out, row);
    collect_all(*s.rows, m);
    normalize(m);
    put(out, row, context.arena().copy(multirange_image(m)));
  }
  static void finish(FuncContext& context, const CallInfo& call, State& s, Vector& out, uint32_t row) {
    finish_with(context, call, s, out, row, collect);
  }
  static void destroy(State& s) { delete s.rows; }
};
struct MultirangeAggregate : RangeAggregate {
  static bool collect(const CollectedRanges& rows, MultirangeValue& m) {
    for (const Str one : rows.images) {
      const MultirangeValue part = read_multirange(one, m.order);
      m.ranges.insert(m.ranges.end(), part.ranges.begin(), part.ranges.end());
    }
    return true;
  }
  static void finish(FuncContext& context, const CallInfo& call, State& s, Vector& out, uint32_t row) {
    finish_with(context, call, s, out, row, collect);
  }
};

struct RangeIntersection {
  struct State {
    std::string* image;
  };
  static void add(FuncContext& context, State& s, Str range) {
    if (s.image == nullptr) {
      s.image = new std::string(range);
    } else {
      *s.image = range_image(range_intersection(read_range(context, *s.image), read_range(context, range)));
    }
  }
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.image == nullptr ? put_null(out, row) : put(out, row, context.arena().copy(*s.image));
  }
  static void destroy(State& s) { delete s.image; }
};
struct MultirangeIntersection : RangeIntersection {
  static void add(FuncContext& context, State& s, Str m) {
    if (s.image == nullptr) {
      s.image = new std::string(m);
    } else {
      *s.image = multirange_image(intersection(read_multirange(context, *s.image), read_multirange(context, m)));
    }
  }
};

const ScalarEntry kMultirangeEntries[] = {
    {"multirange_constructor0", kernel<construct_empty>},
    {"multirange_constructor1", kernel<construct_of_range>},
    {"multirange_constructor2", kernel<construct_of_array>},
    {"multirange_lower", kernel<multirange_lower>},
    {"multirange_upper", kernel<multirange_upper>},
    {"multirange_empty", kernel<multirange_is_empty>},
    {"multirange_lower_inc", kernel<bound_is<lower_bound_of, &RangeBound::inclusive>>},
    {"multirange_upper_inc", kernel<bound_is<upper_bound_of, &RangeBound::inclusive>>},
    {"multirange_lower_inf", kernel<bound_is<lower_bound_of, &RangeBound::infinite>>},
    {"multirange_upper_inf", kernel<bound_is<upper_bound_of, &RangeBound::infinite>>},
    {"multirange_cmp", kernel<multirange_compare>},
    {"multirange_eq", kernel<multirange_eq>},
    {"multirange_ne", kernel<multirange_ne>},
    {"multirange_lt", kernel<multirange_lt>},
    {"multirange_le", kernel<multirange_le>},
    {"multirange_gt", kernel<multirange_gt>},
    {"multirange_ge", kernel<multirange_ge>},
    {"multirange_contains_elem", kernel<multirange_contains_element>},
    {"elem_contained_by_multirange", kernel<element_in_multirange>},
    {"multirange_contains_range", kernel<with_range<covers>>},
    {"range_contains_multirange", kernel<range_with<covers>>},
    {"multirange_contains_multirange", kernel<of_two<covers>>},
    {"multirange_contained_by_range", kernel<with_range<covered>>},
    {"range_contained_by_multirange", kernel<range_with<covered>>},
    {"multirange_contained_by_multirange", kernel<of_two<covered>>},
    {"multirange_overlaps_range", kernel<with_range<overlap>>},
    {"range_overlaps_multirange", kernel<range_with<overlap>>},
    {"multirange_overlaps_multirange", kernel<of_two<overlap>>},
    {"multirange_before_range", kernel<with_range<is_before>>},
    {"range_before_multirange", kernel<range_with<is_before>>},
    {"multirange_before_multirange", kernel<of_two<is_before>>},
    {"multirange_after_range", kernel<with_range<is_after>>},
    {"range_after_multirange", kernel<range_with<is_after>>},
    {"multirange_after_multirange", kernel<of_two<is_after>>},
    {"multirange_overleft_range", kernel<with_range<is_overleft>>},
    {"range_overleft_multirange", kernel<range_with<is_overleft>>},
    {"multirange_overleft_multirange", kernel<of_two<is_overleft>>},
    {"multirange_overright_range", kernel<with_range<is_overright>>},
    {"range_overright_multirange", kernel<range_with<is_overright>>},
    {"multirange_overright_multirange", kernel<of_two<is_overright>>},
    {"multirange_adjacent_range", kernel<with_range<is_adjacent>>},
    {"range_adjacent_multirange", kernel<range_with<is_adjacent>>},
    {"multirange_adjacent_multirange", kernel<of_two<is_adjacent>>},
    {"multirange_union", kernel<multirange_union>},
    {"multirange_intersect", kernel<multirange_intersect>},
    {"multirange_minus", kernel<multirange_minus>},
    {"range_merge_from_multirange", kernel<hull_of_multirange>},
};

const SetEntry kMultirangeSets[] = {{"multirange_unnest", open_unnest}};

const AggregateEntry kRangeAggregates[] = {
    {"range_agg(anyrange)", aggregate<RangeAggregate>()},
    {"range_agg(anymultirange)", aggregate<MultirangeAggregate>()},
    {"range_intersect_agg(anyrange)", aggregate<RangeIntersection>()},
    {"range_intersect_agg(anymultirange)", aggregate<MultirangeIntersection>()},
};

}  // namespace

std::span<const ScalarEntry> multirange_functions() { return kMultirangeEntries; }
std::span<const SetEntry> multirange_sets() { return kMultirangeSets; }
std::span<const AggregateEntry> range_aggregates() { return kRangeAggregates; }

}  // namespace indigo::types
