// What serializable transactions have written lately, in commit order: for transactions whose snapshots are older, to find
// out what has been overwritten beneath them, and by whom.
//
// Thread safety: the Certifier's lock guards everything.
// Invariants:
// 1. Records are in the order of their stamps; each record names the one before it in its slot and in its space's chain.
// 2. A record stays until no serializable snapshot in use is below its stamp, or kMaxRecords newer ones have come: then
//    a transaction that old is told the least pi of all that is forgotten, which may abort it without need.
// 3. Records lie in chunks, which are used again in turn, the last one given back first: while nothing piles up, all that
//    a commit writes to stays in the first cache. No commit allocates then.
// Design: the versions' sstamp and the mapping table's list of overwriters.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

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
  bool any_since(uint64_t stamp) const { return newest_c_ > stamp; }
  // `space` 0: a key part, which no range reads.
  void append(uint64_t c, uint64_t pi, uint64_t hash, uint64_t space, Bytes key);
  // The least pi of those who wrote `hash` after `stamp`; infinity when there is none.
  uint64_t least_pi(uint64_t hash, uint64_t stamp) const;
  uint64_t least_pi(uint64_t space, const KeyInterval& interval, uint64_t stamp) const;
  // The least pi of all who committed after `stamp`.
  uint64_t least_pi_since(uint64_t stamp) const;
  // The stamp of the latest write of `hash` if it is above `stamp`, else 0.
  uint64_t newest(uint64_t hash, uint64_t stamp) const;
  // Forgets what committed at or below `oldest`.
  void trim(uint64_t oldest);
  size_t size() const { return static_cast<size_t>(next_ - first_); }

 private:
  // A cacheline.
  struct alignas(64) Record {
    uint64_t c, pi, hash, space;
    uint64_t before_in_slot, before_in_space;  // numbers of records, zero: none
    uint32_t key_begin, key_size;              // in its chunk's keys
  };
  static constexpr size_t kChunkRecords = 64;
  static constexpr size_t kMaxChunks = 2 * kMaxRecords / kChunkRecords;  // a power of two, above what is ever in use
  static constexpr size_t kSpaceChains = 1024;
  struct Chunk {
    std::array<Record, kChunkRecords> records;
    std::string keys;  // of its records, one after the other
  };

  uint64_t forgotten_pi(uint64_t stamp) const { return stamp < forgotten_c_ ? forgotten_pi_ : kInfinity; }
  std::unique_ptr<Chunk>& chunk(uint64_t number) { return chunks_[number / kChunkRecords % kMaxChunks]; }
  const Chunk& chunk(uint64_t number) const { return *chunks_[number / kChunkRecords % kMaxChunks]; }
  const Record& record(uint64_t number) const { return chunk(number).records[number % kChunkRecords]; }
  const Record* at(uint64_t number) const { return number < first_ ? nullptr : &record(number); }
  // Forgets the records below `number`.
  void forget_below(uint64_t number);
  void begin_chunk(uint64_t number);

  uint64_t first_ = 1, next_ = 1;                        // numbers of the oldest record and of the next one
  uint64_t newest_c_ = 0;                                // the greatest stamp of all
  uint64_t forgotten_c_ = 0, forgotten_pi_ = kInfinity;  // greatest stamp and least pi of what was forgotten too early
  KeySlots& slots_;
  std::vector<std::unique_ptr<Chunk>> spare_;
  // Where the records of spaces begin, by the space modulo its size.
  std::array<uint64_t, kSpaceChains> spaces_{};
  std::array<std::unique_ptr<Chunk>, kMaxChunks> chunks_;
};

}  // namespace indigo::storage
