// range_ops and multirange_ops: the interval between the ends is kept as a cell, what is empty under a key of its own.
#include <algorithm>
#include <iterator>

#include "types/inverted/inverted_class.h"
#include "types/oids.h"
#include "types/range/range.h"
#include "types/range/range_oids.h"

namespace indigo::types {

namespace {

constexpr char kCell = 'c', kNothing = 'e';
enum RangeStrategy : uint8_t {
  kBefore = 1,
  kOverLeft = 2,
  kOverlaps = 3,
  kOverRight = 4,
  kAfter = 5,
  kAdjacent = 6,
  kContains = 7,
  kContained = 8,
  kContainsElement = 16,
  kSame = 18,
};
constexpr StrategySet kStrategies = {kBefore,   kOverLeft, kOverlaps,  kOverRight,       kAfter,
                                     kAdjacent, kContains, kContained, kContainsElement, kSame};

// Ranges and multiranges of int4, date and int8.
bool is_of_whole_numbers(Oid type) {
  constexpr Oid kTypes[] = {oid::kInt4Range,      oid::kDateRange,      oid::kInt8Range,
                            oid::kInt4Multirange, oid::kDateMultirange, oid::kInt8Multirange};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

// Of whole numbers whose keys are their coordinates, an upper end that is no part of the range is the place before it: what begins
// there is not met.
uint64_t coordinate_of_bound(const InvertedColumn& column, const RangeBound& bound) {
  if (bound.infinite) return bound.lower ? 0 : CellBox::greatest(1);
  std::string key;
  column.element.append_column(0, bound.value, key);
  const uint64_t at = coordinate_of(Bytes(key));
  const bool before =
      !bound.lower && !bound.inclusive && is_of_whole_numbers(column.type) && key.size() <= sizeof at && at > 0;
  return before ? at - 1 : at;
}

CellBox interval(uint64_t low, uint64_t high) { return {1, {low}, {high}}; }

// From the first end to the last; false: empty.
struct Ends {
  bool empty = true;
  uint64_t low = 0, high = 0;
};
Ends ends_of(const InvertedColumn& column, const RangeValue& first, const RangeValue& last) {
  return {false, coordinate_of_bound(column, first.lower), coordinate_of_bound(column, last.upper)};
}
Ends ends_of(const InvertedColumn& column, Str image, bool multirange) {
  if (!multirange) {
    const RangeValue range = read_range(image);
    return range.empty ? Ends() : ends_of(column, range, range);
  }
  const MultirangeValue multi = read_multirange(image);
  return multi.empty() ? Ends() : ends_of(column, multi.ranges.front(), multi.ranges.back());
}

std::string key_of(const Ends& ends) {
  if (ends.empty) return std::string(1, kNothing);
  std::string key(1, kCell);
  append_cell(interval(ends.low, ends.high), key);
  return key;
}

template <bool kMulti>
void keys_of(const InvertedColumn& column, const Datum& value, std::vector<std::string>& keys) {
  keys.push_back(key_of(ends_of(column, value.str, kMulti)));
}

KeyQuery between(uint64_t low, uint64_t high) { return with_cells(std::string(1, kCell), interval(low, high)); }

KeyQuery next_to(const Ends& ends) {
  return between(ends.low == 0 ? 0 : ends.low - 1, ends.high == CellBox::greatest(1) ? ends.high : ends.high + 1);
}

KeyQuery query_of_ends(const InvertedColumn& column, int strategy, const Ends& ends) {
  const uint64_t greatest = CellBox::greatest(1);
  KeyQuery nothing = with_key(std::string(1, kNothing));
  if (ends.empty) {
    if (strategy == kContains) return every_row();
    return strategy == kContained || strategy == kSame ? nothing : no_row();
  }
  switch (strategy) {
    case kBefore: return between(0, ends.low);
    case kOverLeft: return between(0, ends.high);
    case kOverlaps: return between(ends.low, ends.high);
    case kOverRight: return between(ends.low, greatest);
    case kAfter: return between(ends.high, greatest);
    // A user's canonical function may say that ends which differ are the same place.
    case kAdjacent: return column.type >= oid::kFirstUserOid ? every_row() : next_to(ends);
    case kContains: return between(ends.low, ends.low);
    case kContained: return with_any({between(ends.low, ends.high), std::move(nothing)});
    case kSame: return with_key(key_of(ends));
    default: return every_row();
  }
}

// The other side's type is told by the value itself, which begins with it.
template <bool kMulti>
KeyQuery query_of(FuncContext&, const InvertedColumn& column, int strategy, const Datum& value) {
  if (strategy == kContainsElement) {
    const RangeBound place{value, false, true, true};
    const uint64_t at = coordinate_of_bound(column, place);
    return between(at, at);
  }
  const bool own_type = load_unaligned<Oid>(value.str.data()) == column.type;
  return query_of_ends(column, strategy, ends_of(column, value.str, own_type == kMulti));
}

constexpr auto kOfRange = InvertedClass::Element::kOfRange;

}  // namespace

const InvertedClass kRangeGist = {"range_gist_consistent", kOfRange,        kStrategies,
                                  keys_of<false>,          query_of<false>, true};
const InvertedClass kRangeSpgist = {"spg_range_quad_config", kOfRange,        kStrategies,
                                    keys_of<false>,          query_of<false>, true};
const InvertedClass kMultirangeGist = {
    "multirange_gist_consistent", kOfRange, kStrategies, keys_of<true>, query_of<true>, true};

}  // namespace indigo::types
