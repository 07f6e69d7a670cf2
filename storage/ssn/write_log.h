// What serializable transactions have written lately, in commit order: for transactions whose snapshots are older, to find
// out what has been overwritten beneath them, and by whom.
//
// Thread safety: the Certifier's lock guards everything.
// Invariants:
// 1. Records are in the order of their stamps; each record names the one before it in its slot and in its space.
// 2. A record stays until no serializable snapshot in use is below its stamp, or kMaxRecords newer ones have come: then
//    whoever is that old is told the least pi of all that is forgotten, which may abort it without need.
// Design: the versions' sstamp and the mapping table's list of overwriters.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <string>

#include <absl/container/flat_hash_map.h>

#include "base/bytes.h"
#include "storage/ssn/key_interval.h"
#include "storage/ssn/key_slots.h"

namespace indigo::storage {

inline constexpr uint64_t kInfinity = std::numeric_limits<uint64_t>::max();

class WriteLog {
 public:
  static constexpr size_t kMaxRecords = size_t{1} << 18;

  // `slots`: by hash, where the records' chains begin.
  explicit WriteLog(KeySlots& slots) : slots_(slots) {}

  // Has anyone committed after `stamp`?
  bool any_since(uint64_t stamp) const { return !records_.empty() && records_.back().c > stamp; }
  void append(uint64_t c, uint64_t pi, uint64_t hash, uint64_t space, Bytes key);
  // The least pi of those who wrote `hash` after `stamp`; infinity when nobody did.
  uint64_t least_pi(uint64_t hash, uint64_t stamp) const;
  uint64_t least_pi(uint64_t space, const KeyInterval& interval, uint64_t stamp) const;
  // The least pi of all who committed after `stamp`.
  uint64_t least_pi_since(uint64_t stamp) const;
  // The stamp of the latest write of `hash` if it is above `stamp`, else 0.
  uint64_t newest(uint64_t hash, uint64_t stamp) const;
  // Forgets what committed at or below `oldest`.
  void trim(uint64_t oldest);
  size_t size() const { return records_.size(); }

 private:
  struct Record {
    uint64_t c, pi, hash, space;
    uint64_t before_in_slot, before_in_space;  // numbers of records, zero: none
    std::string key;                           // empty for a key part, which no range reads
  };
  uint64_t forgotten_pi(uint64_t stamp) const { return stamp < forgotten_c_ ? forgotten_pi_ : kInfinity; }
  const Record* at(uint64_t number) const {
    return number < first_ ? nullptr : &records_[static_cast<size_t>(number - first_)];
  }

  void forget_first();

  std::deque<Record> records_;
  uint64_t first_ = 1;                                   // number of records_.front()
  uint64_t forgotten_c_ = 0, forgotten_pi_ = kInfinity;  // greatest stamp and least pi of what was forgotten too early
  KeySlots& slots_;
  absl::flat_hash_map<uint64_t, uint64_t> spaces_;  // space -> number of its latest record
};

}  // namespace indigo::storage
