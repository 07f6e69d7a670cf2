// The secondary keys of what is left of a record's pending stack, while its transaction takes changes of the record back: so taking
// back N changes costs as much as N of them, and not as all pairs.
//
// Made when a deep stack is popped. It knows the entries up to a depth, and learns those that have been pushed since when
// it is asked; the transaction keeps it until it gives the record up.
//
// Thread safety: its transaction's session, which may suspend in follow().
// Invariants:
// 1. lowest_ has the keys of the entries up to the depth known_, each with that of the lowest entry that has a key of its hash.
//    Whoever pops an entry asks for all its keys: so those go that no other has. One that could not be computed then stays, and
//    so may its index entry.
// 2. older(): knows the record's versions besides the stack. As long as the transaction has the record these only go, so
//    what is stale by it is stale; what is needed may have become stale since.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "storage/table/stale_entry.h"

namespace indigo::storage {

class LeftKeys {
 public:
  LeftKeys(TableImpl& table, PendingVersion& pending) : table_(table), pending_(pending) {}

  // The topmost entry, which `e` was, has been popped.
  void popped(const PendingEntry& e);
  // Learns what is left. The functions below are about these indexes, by their numbers.
  void follow(const std::shared_ptr<const IndexList>& indexes);
  // A key of an entry that was at this depth and has been popped: is it one of what is left?
  bool has(size_t index, Bytes key, uint32_t popped);
  StaleEntry& older(size_t index) { return older_[index]; }
  size_t bytes() const { return lowest_.capacity() * (sizeof *lowest_.begin() + 1); }

 private:
  void begin(const std::shared_ptr<const IndexList>& indexes);
  void learn(const PendingEntry& e);

  TableImpl& table_;
  PendingVersion& pending_;
  std::shared_ptr<const IndexList> indexes_;
  absl::flat_hash_map<uint64_t, uint32_t> lowest_;  // by the hash of index and key
  std::vector<uint32_t> unknown_;                   // of each index: the same for keys that could not be computed
  std::vector<StaleEntry> older_;
  uint32_t known_ = 0;
  std::string image_, key_;
};

}  // namespace indigo::storage
