// The hash table of a hash join: the right rows' columns that are used, then their keys unless these are packed into 64 bits, and
// for each row the next one whose hash leads to the same place. Chains run in the order of arrival.
// Thread safety: none; belongs to the join.
#pragma once

#include <functional>
#include <vector>

#include "base/error.h"
#include "engine/exec/row_store.h"

namespace indigo::engine::exec {

class JoinParts;

class JoinTable {
 public:
  static constexpr uint64_t kNoMatch = uint64_t{1} << 63;  // the hash of a row with a null key; others lack this bit

  struct Entry {
    uint64_t tag;   // the key when it is packed, its hash otherwise
    uint32_t next;  // on the chain: row + 1; 0: end
  };

  // Rows are appended to rows(), and added: their hashes and tags.
  void init(const std::vector<Phys>& shape) {
    rows_.init(shape);
    hashes_.clear();
    entries_.clear();
  }
  void clear() { rows_.clear(); }
  RowStore& rows() { return rows_; }
  const RowStore& rows() const { return rows_; }
  void add(uint64_t hash, uint64_t tag) {
    hashes_.push_back(hash);
    entries_.push_back({tag, 0});
  }
  // While it is filled.
  uint64_t bytes() const {
    return rows_.bytes() + hashes_.capacity() * sizeof(uint64_t) + entries_.capacity() * sizeof(Entry);
  }
  // Right rows that were added go to the parts: their columns, hash, and tag when `tags`. None is left.
  Status move_to(JoinParts& parts, bool tags, const std::function<Status()>& check);

  // All rows are there: makes the chains, and forgets the hashes.
  void link();
  uint64_t buckets() const { return heads_.size(); }
  uint64_t linked_bytes() const {
    return rows_.bytes() + rows_.rows() * sizeof(Entry) + heads_.size() * sizeof(uint32_t);
  }

  // ---- once it is linked: row + 1, or 0
  const uint32_t& head(uint64_t hash) const { return heads_[hash & (heads_.size() - 1)]; }
  const Entry& entry(uint32_t link) const { return entries_[link - 1]; }

 private:
  static constexpr uint32_t kAhead = 16;  // rows whose heads are fetched before they are linked

  RowStore rows_;
  std::vector<uint64_t> hashes_;  // while it is filled
  std::vector<uint32_t> heads_;   // row + 1; 0: none
  std::vector<Entry> entries_;    // by row
};

}  // namespace indigo::engine::exec
