// Boxes of one to three dimensions as keys of an inverted index: intervals, rectangles, and points as boxes without extent.
//
// The axis of each dimension is cut into cells of 1, 2, 4, ... coordinates. A box is kept under the smallest cell at its low
// corner that holds it when it is doubled towards the high one, so that each box has one key:
//
//   uint8 shift (the cell's width is 2^shift), uint64 the cell's number, big endian; of two dimensions the bits of both
//   numbers in turn (x first); then, unless the width is 1, the box itself: low and high of each dimension, big endian
//
// A third dimension has no part in the cells: it is among the ends alone. What overlaps a box is, at each width, in a rectangle of
// cells: in one range of numbers where there is one dimension, and among the numbers of one range where there are two;
// CellWalk skips those of the range that are not in the rectangle, and what the ends tell apart.
//
// Invariant: two boxes that have a coordinate in common in each dimension find each other. Of others those may that are next to it.
// Thread safety: values and pure functions.
// Source: C. Böhm, G. Klump, H.-P. Kriegel: XZ-Ordering: A Space-Filling Curve for Objects with Spatial Extension (SSD 1999);
// H. Tropf, H. Herzog: Multidimensional Range Search in Dynamically Balanced Trees (1981), for skipping. Instead of a sequence
// of quadrants of any length, the key is the level and the cell's place in it: levels without entries are skipped by one look.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace indigo::types {

// Both ends are part of it, and low is not above high. Coordinates have 64 bits in one dimension, 32 in more.
struct CellBox {
  int dimensions = 1;
  uint64_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0};

  static uint64_t greatest(int dimensions) { return dimensions == 1 ? ~uint64_t{0} : ~uint32_t{0}; }
};

// Appends the box's key.
void append_cell(const CellBox& box, std::string& key);

struct CellRange {
  std::string first, last;  // keys; both are part of it
};
// Where the boxes are that overlap this one, in the keys' order, behind these bytes.
std::vector<CellRange> cells_that_overlap(const CellBox& box, Bytes before);

// Of keys in these ranges, one after the other, which are those of such boxes?
// Thread safety: none.
class CellWalk {
 public:
  enum class Answer {
    kOverlaps,
    kNot,   // this one is not
    kSkip,  // nor is any before the one that is given
    kDone,  // nor is any of this width
  };

  explicit CellWalk(const CellBox& box) : box_(box) {}
  // kSkip: what is next.
  Answer meet(Bytes key, std::string& next);

 private:
  // Of cells that overlap, at a width: the corners, and their numbers.
  struct Rectangle {
    int shift = -1;
    uint64_t first[2], last[2];
    uint64_t lowest, highest;
  };
  void enter(int shift);

  const CellBox box_;
  Rectangle rectangle_;
};

// A number's place on an axis of 32 bits: numbers near zero evenly, others by their magnitude; equal or greater for greater
// numbers. NaN is the greatest.
uint32_t coordinate_of(double number);
// The first eight bytes of a key, as a coordinate of 64 bits.
uint64_t coordinate_of(Bytes key);

}  // namespace indigo::types
