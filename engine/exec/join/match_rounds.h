// Which pairs of left and right rows a semi or anti join with a residual condition looks at: every left row meets a few right ones
// in each round, until one of them passes or none is left; more in each, as fewer left rows still look.
// Thread safety: none; belongs to the join.
#pragma once

#include <algorithm>
#include <vector>

#include "types/value/vector.h"

namespace indigo::engine::exec {

class MatchRounds {
 public:
  // `first`: by position of a left row, where its right rows begin; 0: it has none.
  void begin(const std::vector<uint32_t>& first, uint32_t count) {
    rows_.clear();
    for (uint32_t i = 0; i < count; i++) {
      if (first[i] != 0) rows_.push_back({i, first[i]});
    }
  }
  bool done() const { return rows_.empty(); }

  // Fills the pairs of the next round: rows of `left`, numbers of right rows, positions of the left ones. `next(row, place)`
  // answers the first place from `place` on that fits, or 0, and moves `place` behind it; a right row's place is its number + 1.
  template <class Next>
  void round(Next next, Selection left, std::vector<uint16_t>& lefts, std::vector<uint32_t>& rights,
             std::vector<uint32_t>& positions) {
    lefts.clear();
    rights.clear();
    positions.clear();
    const size_t width = std::max<size_t>(1, kChunkRows / 2 / rows_.size());
    for (Row& row : rows_) {
      if (lefts.size() + width > kChunkRows) break;
      const uint32_t r = left[row.position];
      for (size_t k = 0; k < width && row.place != 0; k++) {
        const uint32_t found = next(r, row.place);
        if (found == 0) break;
        lefts.push_back(static_cast<uint16_t>(r));
        rights.push_back(found - 1);
        positions.push_back(row.position);
      }
    }
  }
  // Left rows for which `decided(position)` look no further, nor do those that have met all.
  template <class Decided>
  void drop(Decided decided) {
    std::erase_if(rows_, [&](const Row& row) { return row.place == 0 || decided(row.position); });
  }

 private:
  struct Row {
    uint32_t position, place;
  };
  std::vector<Row> rows_;
};

}  // namespace indigo::engine::exec
