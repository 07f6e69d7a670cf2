// Rows that a portal has pulled from its plan before they were asked for: one at a time is dear.
//
// Nobody can tell: only plans read ahead whose rows fail in no way, call no volatile function and lock nothing, over a
// snapshot that stays as it is; and not under SERIALIZABLE, where what was read counts.
// Thread safety: none; part of a portal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sql/plan.h"
#include "types/value/vector.h"

namespace indigo::catalog {
class CatalogView;
}

namespace indigo::engine {

bool may_read_ahead(catalog::CatalogView& catalog, const sql::PlannedStatement& plan);

class ReadAhead {
 public:
  bool any() const { return chunk_ != nullptr && at_ < chunk_->rows(); }
  const Chunk* chunk() const { return chunk_; }
  // After any(): the next row's place in the chunk.
  uint32_t take() { return chunk_->selection[at_++]; }
  // After any(): the next rows, at most `most` (0: all).
  const Chunk& take_some(uint32_t most);
  // The execution's own, until its next one.
  void set(const Chunk* chunk) {
    chunk_ = chunk;
    at_ = 0;
  }
  void drop() { chunk_ = nullptr; }

  // How many rows to pull, more each time; one, where reading ahead shows.
  uint32_t wanted(catalog::CatalogView& catalog, const sql::PlannedStatement& plan, bool first) {
    if (first) return 1;
    if (size_ == 0) size_ = may_read_ahead(catalog, plan) ? 4 : 1;
    if (size_ > 1) size_ = std::min<uint32_t>(2 * size_, 128);
    return size_;
  }

 private:
  const Chunk* chunk_ = nullptr;
  uint32_t at_ = 0;
  uint32_t size_ = 0;  // 0: not yet known
  Chunk shown_;
  std::vector<uint16_t> rows_;  // of `shown_`
};

}  // namespace indigo::engine
