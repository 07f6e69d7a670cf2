#include "types/range/range.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "base/fiber/long_sort.h"
#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/function/compare.h"
#include "types/function/phys_of.h"
#include "types/io/held_order.h"
#include "types/oids.h"
#include "types/range/canonical.h"
#include "types/range/range_keys.h"
#include "types/range/range_oids.h"
#include "types/value/collator.h"

namespace indigo::types {

namespace {

constexpr uint8_t kEmpty = 1, kLowerInclusive = 2, kUpperInclusive = 4, kLowerInfinite = 8, kUpperInfinite = 16;
constexpr size_t kRangeHeader = 12, kMultirangeHeader = 20;

template <class U>
void append_raw(U value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_bound(const RangeBound& bound, Phys phys, std::string& out) {
  if (bound.infinite) return;
  if (phys == Phys::kStr) {
    append_raw(static_cast<uint32_t>(bound.value.str.size()), out);
    out.append(bound.value.str);
  } else {
    out.append(reinterpret_cast<const char*>(&bound.value.block), phys_bytes(phys));
  }
}

size_t read_bound(Str image, size_t at, Phys phys, RangeBound& bound) {
  if (bound.infinite) return at;
  bound.value = Datum::make_null(phys);
  bound.value.null = false;
  if (phys == Phys::kStr) {
    const auto length = load_unaligned<uint32_t>(image.data() + at);
    bound.value.str = image.substr(at + 4, length);
    return at + 4 + length;
  }
  std::memcpy(&bound.value.block, image.data() + at, phys_bytes(phys));
  return at + phys_bytes(phys);
}

// What the catalog says of a range type or a multirange type of users' own; null: it is as its elements' type is.
const RangeKeys* keys_in(FuncContext& context, Oid type) {
  if (type < oid::kFirstUserOid) return nullptr;
  const Collator* own = context.session().catalog().defined_order(type);
  return own == nullptr ? nullptr : dynamic_cast<const RangeKeys*>(own->values());
}

ElementOrder order_in(FuncContext& context, Oid type) {
  const RangeKeys* keys = keys_in(context, type);
  return keys == nullptr ? ElementOrder() : keys->order();
}

ElementOrder or_of_element(const ElementOrder& order, Oid element, Phys phys) {
  return order.order != nullptr ? order : ElementOrder{order_of_held(element, phys), nullptr};
}

}  // namespace

uint8_t range_flags(const RangeValue& range) {
  if (range.empty) return kEmpty;
  const int flags = (range.lower.infinite ? kLowerInfinite : 0) | (range.upper.infinite ? kUpperInfinite : 0) |
                    (range.lower.inclusive ? kLowerInclusive : 0) | (range.upper.inclusive ? kUpperInclusive : 0);
  return static_cast<uint8_t>(flags);
}

void set_range_flags(RangeValue& range, uint8_t flags) {
  range.empty = (flags & kEmpty) != 0;
  range.lower.infinite = (flags & kLowerInfinite) != 0;
  range.upper.infinite = (flags & kUpperInfinite) != 0;
  range.lower.inclusive = (flags & kLowerInclusive) != 0;
  range.upper.inclusive = (flags & kUpperInclusive) != 0;
}

RangeValue read_range(Str image) { return read_range(image, {}); }

RangeValue read_range(Str image, const ElementOrder& order) {
  RangeValue range;
  range.type = load_unaligned<uint32_t>(image.data());
  range.element = load_unaligned<uint32_t>(image.data() + 4);
  set_range_flags(range, static_cast<uint8_t>(image[8]));
  range.phys = static_cast<Phys>(image[9]);
  range.order = or_of_element(order, range.element, range.phys);
  if (range.empty) return range;
  read_bound(image, read_bound(image, kRangeHeader, range.phys, range.lower), range.phys, range.upper);
  return range;
}

std::string range_image(const RangeValue& range) {
  std::string out;
  append_raw(range.type, out);
  append_raw(range.element, out);
  out.push_back(static_cast<char>(range_flags(range)));
  out.push_back(static_cast<char>(range.phys));
  out.append(2, '\0');
  if (range.empty) return out;
  append_bound(range.lower, range.phys, out);
  append_bound(range.upper, range.phys, out);
  return out;
}

RangeValue read_range(FuncContext& context, Str image) {
  return read_range(image, order_in(context, load_unaligned<uint32_t>(image.data())));
}

MultirangeValue read_multirange(Str image) { return read_multirange(image, {}); }

MultirangeValue read_multirange(Str image, const ElementOrder& order) {
  MultirangeValue multirange;
  multirange.type = load_unaligned<uint32_t>(image.data());
  multirange.range = load_unaligned<uint32_t>(image.data() + 4);
  multirange.element = load_unaligned<uint32_t>(image.data() + 8);
  multirange.phys = static_cast<Phys>(image[12]);
  multirange.order = or_of_element(order, multirange.element, multirange.phys);
  const auto count = load_unaligned<uint32_t>(image.data() + 16);
  multirange.ranges.reserve(count);
  constexpr uint64_t kRangeUnits = 50;
  size_t at = kMultirangeHeader;
  for (uint32_t i = 0; i < count; i++) {
    note_work(kRangeUnits);
    const auto length = load_unaligned<uint32_t>(image.data() + at);
    multirange.ranges.push_back(read_range(image.substr(at + 4, length), multirange.order));
    at += 4 + length;
  }
  return multirange;
}

MultirangeValue read_multirange(FuncContext& context, Str image) {
  return read_multirange(image, order_in(context, load_unaligned<uint32_t>(image.data())));
}

std::string multirange_image(const MultirangeValue& multirange) {
  std::string out;
  append_raw(multirange.type, out);
  append_raw(multirange.range, out);
  append_raw(multirange.element, out);
  out.push_back(static_cast<char>(multirange.phys));
  out.append(3, '\0');
  append_raw(static_cast<uint32_t>(multirange.ranges.size()), out);
  for (const RangeValue& range : multirange.ranges) {
    const std::string image = range_image(range);
    append_raw(static_cast<uint32_t>(image.size()), out);
    out.append(image);
  }
  return out;
}

bool describe_range(FuncContext& context, Oid range_type, RangeValue& out) {
  const auto info = context.session().catalog().type(range_type);
  if (info == nullptr || info->kind != 'r') {
    context.fail(sqlstate::kInternalError, "type " + std::to_string(range_type) + " is not a range type");
    return false;
  }
  out.type = range_type;
  out.element = info->range_subtype;
  out.phys = phys_of(context, info->range_subtype);
  out.order = or_of_element(order_in(context, info->oid), out.element, out.phys);
  out.empty = true;
  return true;
}

bool describe_multirange(FuncContext& context, Oid multirange_type, MultirangeValue& out) {
  const auto info = context.session().catalog().type(multirange_type);
  if (info == nullptr || info->kind != 'm') {
    context.fail(sqlstate::kInternalError, "type " + std::to_string(multirange_type) + " is not a multirange type");
    return false;
  }
  out.type = multirange_type;
  out.range = info->range_partner;
  out.element = info->range_subtype;
  out.phys = phys_of(context, info->range_subtype);
  out.order = or_of_element(order_in(context, info->oid), out.element, out.phys);
  return true;
}

RangeValue empty_like(const RangeValue& range) {
  RangeValue out;
  out.type = range.type;
  out.element = range.element;
  out.phys = range.phys;
  out.order = range.order;
  out.empty = true;
  return out;
}

RangeValue range_like(const MultirangeValue& multirange) {
  RangeValue out;
  out.type = multirange.range;
  out.element = multirange.element;
  out.phys = multirange.phys;
  out.order = multirange.order;
  out.empty = true;
  return out;
}

bool settle(RangeValue& range) {
  if (range.empty) return true;
  range.lower.inclusive = range.lower.inclusive && !range.lower.infinite;
  range.upper.inclusive = range.upper.inclusive && !range.upper.infinite;
  const int c = compare_values(element_order(range), range.lower, range.upper);
  if (c > 0) return false;
  range.empty = c == 0 && !(range.lower.inclusive && range.upper.inclusive);
  return true;
}

bool normalize(FuncContext& context, RangeValue& range) {
  if (!settle(range)) {
    context.fail(sqlstate::kDataException, "range lower bound must be less than or equal to range upper bound");
    return false;
  }
  if (range.empty) return true;
  if (range.type < oid::kFirstUserOid) return make_canonical(context, range);
  const RangeKeys* keys = keys_in(context, range.type);
  return keys == nullptr || keys->canonical() == kInvalidOid || call_canonical(context, keys->canonical(), range);
}

bool make_range(FuncContext& context, const RangeValue& like, RangeBound lower, RangeBound upper, RangeValue& out) {
  RangeValue made = empty_like(like);
  made.empty = false;
  made.lower = lower;
  made.upper = upper;
  made.lower.lower = true;
  made.upper.lower = false;
  out = made;
  return normalize(context, out);
}

void normalize(MultirangeValue& multirange) {
  std::vector<RangeValue>& ranges = multirange.ranges;
  std::erase_if(ranges, [](const RangeValue& r) { return r.empty; });
  note_work(64 * ranges.size());
  std::stable_sort(ranges.begin(), ranges.end(),
                   noted_order([](const RangeValue& a, const RangeValue& b) { return compare_ranges(a, b) < 0; }, 64));
  size_t kept = 0;
  for (size_t i = 1; i < ranges.size(); i++) {
    if (range_before(ranges[kept], ranges[i]) && !range_adjacent(ranges[kept], ranges[i])) {
      if (++kept != i) ranges[kept] = ranges[i];
    } else {
      ranges[kept] = range_hull(ranges[kept], ranges[i]);
    }
  }
  if (!ranges.empty()) ranges.resize(kept + 1);
}

int compare_values(const ElementOrder& order, const RangeBound& a, const RangeBound& b) {
  if (a.infinite && b.infinite) return a.lower == b.lower ? 0 : a.lower ? -1 : 1;
  if (a.infinite) return a.lower ? -1 : 1;
  if (b.infinite) return b.lower ? 1 : -1;
  return order.compare(a.value, b.value);
}

int compare_bounds(const ElementOrder& order, const RangeBound& a, const RangeBound& b) {
  const int c = compare_values(order, a, b);
  if (c != 0 || a.infinite) return c;
  // Where the bound lies beside the value: an exclusive lower one just above it, an exclusive upper one just below.
  const auto side = [](const RangeBound& bound) { return bound.inclusive ? 0 : bound.lower ? 1 : -1; };
  return three_way(side(a), side(b));
}

int compare_ranges(const RangeValue& a, const RangeValue& b) {
  if (a.empty || b.empty) return three_way(b.empty, a.empty);
  const ElementOrder& order = element_order(a);
  const int c = compare_bounds(order, a.lower, b.lower);
  return c != 0 ? c : compare_bounds(order, a.upper, b.upper);
}

int compare_multiranges(const MultirangeValue& a, const MultirangeValue& b) {
  for (size_t i = 0; i < std::min(a.ranges.size(), b.ranges.size()); i++)
    if (const int c = compare_ranges(a.ranges[i], b.ranges[i])) return c;
  return three_way(a.ranges.size(), b.ranges.size());
}

bool range_contains(const RangeValue& a, const RangeValue& b) {
  if (b.empty) return true;
  if (a.empty) return false;
  const ElementOrder& order = element_order(a);
  return compare_bounds(order, a.lower, b.lower) <= 0 && compare_bounds(order, a.upper, b.upper) >= 0;
}

bool range_contains_element(const RangeValue& a, const Datum& value) {
  if (a.empty) return false;
  const RangeBound from{value, false, true, true}, to{value, false, true, false};
  const ElementOrder& order = element_order(a);
  return compare_bounds(order, a.lower, from) <= 0 && compare_bounds(order, a.upper, to) >= 0;
}

bool range_before(const RangeValue& a, const RangeValue& b) {
  return !a.empty && !b.empty && compare_bounds(element_order(a), a.upper, b.lower) < 0;
}

bool range_overlaps(const RangeValue& a, const RangeValue& b) {
  return !a.empty && !b.empty && !range_before(a, b) && !range_before(b, a);
}

bool bounds_adjacent(const ElementOrder& order, const RangeBound& a, const RangeBound& b) {
  if (a.infinite || b.infinite) return false;
  return compare_values(order, a, b) == 0 && a.inclusive != b.inclusive;
}

bool range_adjacent(const RangeValue& a, const RangeValue& b) {
  if (a.empty || b.empty) return false;
  const ElementOrder& order = element_order(a);
  return bounds_adjacent(order, a.upper, b.lower) || bounds_adjacent(order, b.upper, a.lower);
}

RangeValue range_hull(const RangeValue& a, const RangeValue& b) {
  if (a.empty) return b;
  if (b.empty) return a;
  const ElementOrder& order = element_order(a);
  RangeValue out = a;
  if (compare_bounds(order, b.lower, a.lower) < 0) out.lower = b.lower;
  if (compare_bounds(order, b.upper, a.upper) > 0) out.upper = b.upper;
  return out;
}

RangeValue range_intersection(const RangeValue& a, const RangeValue& b) {
  if (!range_overlaps(a, b)) return empty_like(a);
  const ElementOrder& order = element_order(a);
  RangeValue out = a;
  if (compare_bounds(order, b.lower, a.lower) > 0) out.lower = b.lower;
  if (compare_bounds(order, b.upper, a.upper) < 0) out.upper = b.upper;
  return out;
}

RangeBound turned(RangeBound bound) {
  bound.inclusive = !bound.inclusive && !bound.infinite;
  bound.lower = !bound.lower;
  return bound;
}

}  // namespace indigo::types
