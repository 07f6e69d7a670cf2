// A hash table from key values to dense group numbers: what hash aggregation, DISTINCT, set operations and recursive UNION
// look rows up in. Keys are kept in a RowStore in order of arrival.
// Thread safety: none.
#pragma once

#include <vector>

#include "engine/exec/row_keys.h"

namespace indigo::engine::exec {

class GroupTable {
 public:
  void init(KeyOps ops, std::vector<Phys> keys);
  void clear();

  uint32_t size() const { return keys_.rows(); }
  const RowStore& keys() const { return keys_; }
  uint64_t bytes() const { return keys_.bytes() + directory_.size() * 4 + hashes_.size() * 8; }

  // The group of each selected row, new ones added: groups[i] belongs to selection[i]. Groups at or above the size()
  // before the call are new.
  void find_or_add(std::span<const Vector* const> keys, Selection selection, uint32_t* groups);
  // The same without adding: kNone for rows that are in no group.
  void find(std::span<const Vector* const> keys, Selection selection, uint32_t* groups);
  // Of the rows of the last call, at their own numbers.
  const std::vector<uint64_t>& row_hashes() const { return row_hashes_; }

  static constexpr uint32_t kNone = UINT32_MAX;

 private:
  uint32_t probe(std::span<const Vector* const> keys, uint32_t row, uint64_t hash, size_t& slot) const;
  void grow();

  KeyOps ops_;
  RowStore keys_;
  std::vector<uint32_t> directory_;  // group + 1; 0: free
  std::vector<uint64_t> hashes_;     // by group
  std::vector<uint64_t> row_hashes_;
};

}  // namespace indigo::engine::exec
