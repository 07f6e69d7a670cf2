// seg: what two segments are to each other, what one is made of, and gist_seg_ops, where a segment is a cell.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "types/extension/seg/seg.h"
#include "types/function/kernel.h"

namespace indigo::types::seg {

namespace {

template <class Test>
bool compared(Str a, Str b, const Test& test) {
  return test(order().compare(a, b));
}
bool lt(Str a, Str b) {
  return compared(a, b, [](int c) { return c < 0; });
}
bool le(Str a, Str b) {
  return compared(a, b, [](int c) { return c <= 0; });
}
bool gt(Str a, Str b) {
  return compared(a, b, [](int c) { return c > 0; });
}
bool ge(Str a, Str b) {
  return compared(a, b, [](int c) { return c >= 0; });
}
bool same(Str a, Str b) {
  return compared(a, b, [](int c) { return c == 0; });
}
bool different(Str a, Str b) {
  return compared(a, b, [](int c) { return c != 0; });
}
int32_t cmp(Str a, Str b) {
  const int c = order().compare(a, b);
  return c < 0 ? -1 : c > 0 ? 1 : 0;
}

float lower(Str a) { return segment_of(a).lower.place; }
float upper(Str a) { return segment_of(a).upper.place; }
float center(Str a) {
  const Segment s = segment_of(a);
  return static_cast<float>(static_cast<double>(s.lower.place + s.upper.place) / 2.0);
}
float size(Str a) {
  const Segment s = segment_of(a);
  return std::fabs(s.upper.place - s.lower.place);
}

bool contains(Str a, Str b) { return lower(a) <= lower(b) && upper(a) >= upper(b); }
bool contained(Str a, Str b) { return contains(b, a); }
bool overlap(Str a, Str b) { return lower(a) <= upper(b) && lower(b) <= upper(a); }
bool over_left(Str a, Str b) { return upper(a) <= upper(b); }
bool left(Str a, Str b) { return upper(a) < lower(b); }
bool right(Str a, Str b) { return lower(a) > upper(b); }
bool over_right(Str a, Str b) { return lower(a) >= lower(b); }

std::string unite(Str left, Str right) {
  const Segment a = segment_of(left), b = segment_of(right);
  return image_of(
      {a.lower.place < b.lower.place ? a.lower : b.lower, a.upper.place > b.upper.place ? a.upper : b.upper});
}
// Of segments that do not meet the ends are the wrong way round.
std::string intersect(Str left, Str right) {
  const Segment a = segment_of(left), b = segment_of(right);
  return image_of(
      {a.lower.place > b.lower.place ? a.lower : b.lower, a.upper.place < b.upper.place ? a.upper : b.upper});
}

const ScalarEntry kSegmentFunctions[] = {
    {"seg_lt", kernel<lt>},
    {"seg_le", kernel<le>},
    {"seg_gt", kernel<gt>},
    {"seg_ge", kernel<ge>},
    {"seg_same", kernel<same>},
    {"seg_different", kernel<different>},
    {"seg_cmp", kernel<cmp>},
    {"seg_contains", kernel<contains>},
    {"seg_contained", kernel<contained>},
    {"seg_overlap", kernel<overlap>},
    {"seg_over_left", kernel<over_left>},
    {"seg_left", kernel<left>},
    {"seg_right", kernel<right>},
    {"seg_over_right", kernel<over_right>},
    {"seg_union", kernel<unite>},
    {"seg_inter", kernel<intersect>},
    {"seg_size", kernel<size>},
    {"seg_center", kernel<center>},
    {"seg_lower", kernel<lower>},
    {"seg_upper", kernel<upper>},
};

enum SegmentStrategy : uint8_t {
  kLeft = 1,
  kOverLeft = 2,
  kOverlaps = 3,
  kOverRight = 4,
  kRight = 5,
  kSame = 6,
  kContains = 7,
  kContained = 8,
};

CellBox between(uint64_t low, uint64_t high) { return {1, {low}, {high}}; }

// The wrong way round, as an intersection may be, it contains nothing but may be between others.
void keys_of(const InvertedColumn&, const Datum& value, std::vector<std::string>& keys) {
  const uint64_t low = coordinate_of(lower(value.str)), high = coordinate_of(upper(value.str));
  append_cell(between(std::min(low, high), std::max(low, high)), keys.emplace_back());
}

KeyQuery query_of(FuncContext&, const InvertedColumn&, int strategy, const Datum& value) {
  const uint64_t low = coordinate_of(lower(value.str)), high = coordinate_of(upper(value.str));
  const uint64_t greatest = CellBox::greatest(1);
  switch (strategy) {
    case kLeft: return with_cells({}, between(0, low));
    case kOverLeft: return with_cells({}, between(0, high));
    case kOverRight: return with_cells({}, between(low, greatest));
    case kRight: return with_cells({}, between(high, greatest));
    case kContains: return with_cells({}, between(low, low));
    default: return with_cells({}, between(std::min(low, high), std::max(low, high)));
  }
}

}  // namespace

std::span<const ScalarEntry> segment_functions() { return kSegmentFunctions; }

const InvertedClass kSegmentGist = {
    "gseg_consistent",
    InvertedClass::Element::kNone,
    StrategySet{kLeft, kOverLeft, kOverlaps, kOverRight, kRight, kSame, kContains, kContained},
    keys_of,
    query_of,
    true};

}  // namespace indigo::types::seg
