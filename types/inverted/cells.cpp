#include "types/inverted/cells.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace indigo::types {

namespace {

constexpr size_t kKeyBytes = 1 + sizeof(uint64_t);
// Not less than the ends of any box.
const std::string kBehindEnds(3 * 2 * sizeof(uint32_t), '\xff');

int bits_of(int dimensions) { return dimensions == 1 ? 64 : 32; }
// Those that cells are cut along.
int cut(int dimensions) { return std::min(dimensions, 2); }

uint64_t cell_at(uint64_t coordinate, int shift) { return shift == 64 ? 0 : coordinate >> shift; }

// The smallest width whose doubled cell at `low` reaches `high`.
int shift_of(uint64_t low, uint64_t high) {
  const int above = static_cast<int>(std::bit_width(high - low));
  if (above == 0) return 0;
  const int shift = above - 1;
  return cell_at(high, shift) - cell_at(low, shift) <= 1 ? shift : above;
}

// Bit i becomes bit 2i.
uint64_t spread(uint64_t bits) {
  bits = (bits | bits << 16) & 0x0000ffff0000ffff;
  bits = (bits | bits << 8) & 0x00ff00ff00ff00ff;
  bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0f;
  bits = (bits | bits << 2) & 0x3333333333333333;
  return (bits | bits << 1) & 0x5555555555555555;
}

uint64_t gather(uint64_t bits) {
  bits &= 0x5555555555555555;
  bits = (bits | bits >> 1) & 0x3333333333333333;
  bits = (bits | bits >> 2) & 0x0f0f0f0f0f0f0f0f;
  bits = (bits | bits >> 4) & 0x00ff00ff00ff00ff;
  bits = (bits | bits >> 8) & 0x0000ffff0000ffff;
  return (bits | bits >> 16) & 0x00000000ffffffff;
}

uint64_t number_of(int dimensions, const uint64_t (&cell)[2]) {
  return dimensions == 1 ? cell[0] : spread(cell[0]) << 1 | spread(cell[1]);
}

std::string key_of(Bytes before, int shift, uint64_t number) {
  std::string key;
  key.reserve(before.size() + kKeyBytes);
  key.append(before).push_back(static_cast<char>(shift));
  number = big_endian(number);
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
  return key;
}

// The corners of the rectangle of cells of this width that a box which overlaps may be kept under: a box reaches one cell
// further than the one that it is kept under.
struct Corners {
  uint64_t first[2], last[2];
};

Corners corners_of(const CellBox& box, int shift) {
  Corners out{};
  for (int d = 0; d < cut(box.dimensions); d++) {
    const uint64_t low = cell_at(box.low[d], shift);
    out.first[d] = low == 0 ? 0 : low - 1;
    out.last[d] = cell_at(box.high[d], shift);
  }
  return out;
}

// The least number above `number` whose cell is in the rectangle between the cells `low` and `high` (Tropf and Herzog's BIGMIN);
// 0: there is none.
uint64_t next_in_rectangle(uint64_t number, uint64_t low, uint64_t high) {
  uint64_t best = 0;
  for (int bit = 63; bit >= 0; bit--) {
    const uint64_t one = uint64_t{1} << bit;
    const uint64_t lower = (bit % 2 == 0 ? 0x5555555555555555 : 0xaaaaaaaaaaaaaaaa) & (one - 1);  // of this dimension
    const bool of_number = (number & one) != 0, of_low = (low & one) != 0, of_high = (high & one) != 0;
    if (of_low == of_high) {
      if (of_number == of_low) continue;
      return of_number ? best : low;
    }
    if (of_number) {
      low = (low | one) & ~lower;
    } else {
      best = (low | one) & ~lower;
      high = (high & ~one) | lower;
    }
  }
  return best;
}

// The ends of a box behind its cell.
template <class Coordinate>
void append_ends_of(const CellBox& box, std::string& key) {
  for (int d = 0; d < box.dimensions; d++) {
    for (const uint64_t end : {box.low[d], box.high[d]}) {
      const Coordinate raw = big_endian(static_cast<Coordinate>(end));
      key.append(reinterpret_cast<const char*>(&raw), sizeof raw);
    }
  }
}
void append_ends(const CellBox& box, std::string& key) {
  box.dimensions == 1 ? append_ends_of<uint64_t>(box, key) : append_ends_of<uint32_t>(box, key);
}

template <class Coordinate>
bool may_overlap(const CellBox& box, Bytes ends) {
  if (ends.size() < 2 * sizeof(Coordinate) * static_cast<size_t>(box.dimensions))
    return true;  // a point, which its cell is
  const auto end = [&](int i) { return big_endian(load_unaligned<Coordinate>(ends.data() + i * sizeof(Coordinate))); };
  for (int d = 0; d < box.dimensions; d++) {
    if (end(2 * d) > box.high[d] || end(2 * d + 1) < box.low[d]) return false;
  }
  return true;
}

}  // namespace

void append_cell(const CellBox& box, std::string& key) {
  int shift = 0;
  for (int d = 0; d < cut(box.dimensions); d++) shift = std::max(shift, shift_of(box.low[d], box.high[d]));
  uint64_t cell[2] = {};
  for (int d = 0; d < cut(box.dimensions); d++) cell[d] = cell_at(box.low[d], shift);
  key += key_of({}, shift, number_of(box.dimensions, cell));
  if (shift > 0 || box.dimensions > 2) append_ends(box, key);
}

std::vector<CellRange> cells_that_overlap(const CellBox& box, Bytes before) {
  std::vector<CellRange> out;
  out.reserve(static_cast<size_t>(bits_of(box.dimensions)) + 1);
  for (int shift = 0; shift <= bits_of(box.dimensions); shift++) {
    const Corners r = corners_of(box, shift);
    out.push_back({key_of(before, shift, number_of(box.dimensions, r.first)),
                   key_of(before, shift, number_of(box.dimensions, r.last)) + kBehindEnds});
  }
  return out;
}

void CellWalk::enter(int shift) {
  const Corners corners = corners_of(box_, shift);
  rectangle_ = {shift,
                {corners.first[0], corners.first[1]},
                {corners.last[0], corners.last[1]},
                number_of(2, corners.first),
                number_of(2, corners.last)};
}

CellWalk::Answer CellWalk::meet(Bytes key, std::string& next) {
  if (key.size() < kKeyBytes) return Answer::kOverlaps;
  if (box_.dimensions > 1) {
    const int shift = static_cast<uint8_t>(key[0]);
    if (shift != rectangle_.shift) enter(shift);
    const Rectangle& r = rectangle_;
    const uint64_t number = big_endian(load_unaligned<uint64_t>(key.data() + 1));
    const uint64_t x = gather(number >> 1), y = gather(number);
    if (x < r.first[0] || x > r.last[0] || y < r.first[1] || y > r.last[1]) {
      const uint64_t after = next_in_rectangle(number, r.lowest, r.highest);
      if (after == 0) return Answer::kDone;
      next = key_of({}, shift, after);
      return Answer::kSkip;
    }
  }
  const Bytes ends = key.substr(kKeyBytes);
  const bool may = box_.dimensions == 1 ? may_overlap<uint64_t>(box_, ends) : may_overlap<uint32_t>(box_, ends);
  return may ? Answer::kOverlaps : Answer::kNot;
}

uint32_t coordinate_of(double number) {
  constexpr uint32_t kZero = uint32_t{1} << 31;
  constexpr double kMost = 0x1p64;
  constexpr int kDropped = 27;  // 6 bits of the exponent and 25 of the fraction stay
  if (std::isnan(number)) return ~uint32_t{0};
  const double magnitude = std::min(std::fabs(number), kMost) + 1;
  const uint64_t above = (std::bit_cast<uint64_t>(magnitude) - std::bit_cast<uint64_t>(1.0)) >> kDropped;
  const auto distance = static_cast<uint32_t>(std::min<uint64_t>(above, kZero - 1));
  return number < 0 ? kZero - distance : kZero + distance;
}

uint64_t coordinate_of(Bytes key) {
  uint64_t out = 0;
  for (size_t i = 0; i < sizeof out; i++) out = out << 8 | (i < key.size() ? static_cast<uint8_t>(key[i]) : 0);
  return out;
}

}  // namespace indigo::types
