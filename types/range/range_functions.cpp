// Constructors, operators and functions of ranges.
#include "base/sqlstate.h"
#include "types/function/compare.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/io/order_of.h"
#include "types/numeric/numeric.h"
#include "types/range/range.h"

namespace indigo::types {

namespace {

std::optional<Str> image_of(FuncContext& context, const RangeValue& range) {
  return context.arena().copy(range_image(range));
}

// The bounds of '[)' and the like; false: the context has 42601.
bool read_flags(FuncContext& context, Str flags, RangeBound& lower, RangeBound& upper) {
  const bool valid = flags.size() == 2 && (flags[0] == '[' || flags[0] == '(') && (flags[1] == ']' || flags[1] == ')');
  if (!valid) {
    context.fail(Error(sqlstate::kSyntaxError, "invalid range bound flags")
                     .with_hint("Valid values are \"[]\", \"[)\", \"(]\", and \"()\"."));
    return false;
  }
  lower.inclusive = flags[0] == '[';
  upper.inclusive = flags[1] == ']';
  return true;
}

std::optional<Str> construct(FuncContext& context, const CallInfo& call, const std::optional<Datum>& from,
                             const std::optional<Datum>& to, Str flags) {
  RangeBound lower{from.value_or(Datum()), !from.has_value(), false, true};
  RangeBound upper{to.value_or(Datum()), !to.has_value(), false, false};
  RangeValue like, range;
  if (!describe_range(context, call.result.oid, like) || !read_flags(context, flags, lower, upper)) return {};
  if (!make_range(context, like, lower, upper, range)) return {};
  return image_of(context, range);
}
std::optional<Str> construct2(FuncContext& context, const CallInfo& call, std::optional<Datum> from,
                              std::optional<Datum> to) {
  return construct(context, call, from, to, "[)");
}
std::optional<Str> construct3(FuncContext& context, const CallInfo& call, std::optional<Datum> from,
                              std::optional<Datum> to, std::optional<Str> flags) {
  if (flags) return construct(context, call, from, to, *flags);
  context.fail(sqlstate::kDataException, "range constructor flags argument must not be null");
  return {};
}

// ---- what a range is made of
std::optional<Datum> bound_value(FuncContext& context, const RangeValue& range, const RangeBound& bound) {
  if (range.empty || bound.infinite) return {};
  Datum value = bound.value;
  if (value.phys == Phys::kStr) value.str = context.arena().copy(value.str);
  return value;
}
Datum or_null(const RangeValue& range, const std::optional<Datum>& value) {
  return value ? *value : Datum::make_null(range.phys);
}
Datum lower_of(FuncContext& context, Str a) {
  const RangeValue range = read_range(a);
  return or_null(range, bound_value(context, range, range.lower));
}
Datum upper_of(FuncContext& context, Str a) {
  const RangeValue range = read_range(a);
  return or_null(range, bound_value(context, range, range.upper));
}
bool is_empty(Str a) { return read_range(a).empty; }
bool lower_inc(Str a) { return read_range(a).lower.inclusive; }
bool upper_inc(Str a) { return read_range(a).upper.inclusive; }
bool lower_inf(Str a) { return read_range(a).lower.infinite; }
bool upper_inf(Str a) { return read_range(a).upper.infinite; }

// ---- comparisons
int32_t compare(FuncContext& context, Str a, Str b) {
  return compare_ranges(read_range(context, a), read_range(context, b));
}
bool eq(FuncContext& context, Str a, Str b) { return compare(context, a, b) == 0; }
bool ne(FuncContext& context, Str a, Str b) { return compare(context, a, b) != 0; }
bool lt(FuncContext& context, Str a, Str b) { return compare(context, a, b) < 0; }
bool le(FuncContext& context, Str a, Str b) { return compare(context, a, b) <= 0; }
bool gt(FuncContext& context, Str a, Str b) { return compare(context, a, b) > 0; }
bool ge(FuncContext& context, Str a, Str b) { return compare(context, a, b) >= 0; }

// ---- relations
bool contains(FuncContext& context, Str a, Str b) {
  return range_contains(read_range(context, a), read_range(context, b));
}
bool contained_by(FuncContext& context, Str a, Str b) { return contains(context, b, a); }
bool contains_element(FuncContext& context, Str a, Datum value) {
  return range_contains_element(read_range(context, a), value);
}
bool element_contained(FuncContext& context, Datum value, Str a) {
  return range_contains_element(read_range(context, a), value);
}
bool before(FuncContext& context, Str a, Str b) { return range_before(read_range(context, a), read_range(context, b)); }
bool after(FuncContext& context, Str a, Str b) { return before(context, b, a); }
bool overlaps(FuncContext& context, Str a, Str b) {
  return range_overlaps(read_range(context, a), read_range(context, b));
}
bool adjacent(FuncContext& context, Str a, Str b) {
  return range_adjacent(read_range(context, a), read_range(context, b));
}
bool overleft(FuncContext& context, Str x, Str y) {
  const RangeValue a = read_range(context, x), b = read_range(context, y);
  return !a.empty && !b.empty && compare_bounds(element_order(a), a.upper, b.upper) <= 0;
}
bool overright(FuncContext& context, Str x, Str y) {
  const RangeValue a = read_range(context, x), b = read_range(context, y);
  return !a.empty && !b.empty && compare_bounds(element_order(a), a.lower, b.lower) >= 0;
}

// ---- sets
std::optional<Str> merge(FuncContext& context, Str a, Str b) {
  return image_of(context, range_hull(read_range(context, a), read_range(context, b)));
}
std::optional<Str> unite(FuncContext& context, Str x, Str y) {
  const RangeValue a = read_range(context, x), b = read_range(context, y);
  if (!a.empty && !b.empty && !range_overlaps(a, b) && !range_adjacent(a, b)) {
    context.fail(sqlstate::kDataException, "result of range union would not be contiguous");
    return {};
  }
  return image_of(context, range_hull(a, b));
}
std::optional<Str> intersect(FuncContext& context, Str a, Str b) {
  return image_of(context, range_intersection(read_range(context, a), read_range(context, b)));
}
std::optional<Str> subtract(FuncContext& context, Str x, Str y) {
  const RangeValue a = read_range(context, x), b = read_range(context, y);
  if (!range_overlaps(a, b)) return image_of(context, a);
  const ElementOrder& order = element_order(a);
  const bool left = compare_bounds(order, a.lower, b.lower)<0, right = compare_bounds(order, a.upper, b.upper)> 0;
  if (left && right) {
    context.fail(sqlstate::kDataException, "result of range difference would not be contiguous");
    return {};
  }
  RangeValue rest = empty_like(a);
  if (left && !make_range(context, a, a.lower, turned(b.lower), rest)) return {};
  if (right && !make_range(context, a, turned(b.upper), a.upper, rest)) return {};
  return image_of(context, rest);
}

// ---- how far two elements lie apart
double int4_difference(int32_t a, int32_t b) { return static_cast<double>(a) - static_cast<double>(b); }
double int8_difference(int64_t a, int64_t b) { return static_cast<double>(a) - static_cast<double>(b); }
double timestamp_difference_s(int64_t a, int64_t b) { return int8_difference(a, b) / 1e6; }
double numeric_difference(FuncContext& context, Str a, Str b) {
  return numeric_to_double(numeric_subtract(context, a, b));
}

const ScalarEntry kRangeEntries[] = {
    {"int4range_subdiff", kernel<int4_difference>},
    {"daterange_subdiff", kernel<int4_difference>},
    {"int8range_subdiff", kernel<int8_difference>},
    {"tsrange_subdiff", kernel<timestamp_difference_s>},
    {"tstzrange_subdiff", kernel<timestamp_difference_s>},
    {"numrange_subdiff", kernel<numeric_difference>},
    {"range_constructor2", kernel<construct2>},
    {"range_constructor3", kernel<construct3>},
    {"range_lower", kernel<lower_of>},
    {"range_upper", kernel<upper_of>},
    {"range_empty", kernel<is_empty>},
    {"range_lower_inc", kernel<lower_inc>},
    {"range_upper_inc", kernel<upper_inc>},
    {"range_lower_inf", kernel<lower_inf>},
    {"range_upper_inf", kernel<upper_inf>},
    {"range_cmp", kernel<compare>},
    {"range_eq", kernel<eq>},
    {"range_ne", kernel<ne>},
    {"range_lt", kernel<lt>},
    {"range_le", kernel<le>},
    {"range_gt", kernel<gt>},
    {"range_ge", kernel<ge>},
    {"range_contains", kernel<contains>},
    {"range_contained_by", kernel<contained_by>},
    {"range_contains_elem", kernel<contains_element>},
    {"elem_contained_by_range", kernel<element_contained>},
    {"range_before", kernel<before>},
    {"range_after", kernel<after>},
    {"range_overlaps", kernel<overlaps>},
    {"range_adjacent", kernel<adjacent>},
    {"range_overleft", kernel<overleft>},
    {"range_overright", kernel<overright>},
    {"range_merge", kernel<merge>},
    {"range_union", kernel<unite>},
    {"range_intersect", kernel<intersect>},
    {"range_minus", kernel<subtract>},
};

}  // namespace

std::span<const ScalarEntry> range_functions() { return kRangeEntries; }

}  // namespace indigo::types
