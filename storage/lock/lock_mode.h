// The lock modes: PostgreSQL's for rows and tables, and the components of key-value locks.
// Which of them go together is in lock_compatibility.h.
#pragma once

#include <cstdint>

namespace indigo::storage {

// Weakest first. Compatibility is PostgreSQL's (documentation, table 13.3).
enum class RowLockMode : uint8_t { kKeyShare, kShare, kNoKeyUpdate, kUpdate };

enum class LockWait : uint8_t { kWait, kNoWait, kSkip };

// PostgreSQL's eight table modes, weakest first, with its numbers (table 13.2).
enum class TableLockMode : uint8_t {
  kAccessShare = 1,
  kRowShare,
  kRowExclusive,
  kShareUpdateExclusive,
  kShare,
  kShareRowExclusive,
  kExclusive,
  kAccessExclusive,
};

// The classic modes of one component of a lock (Gray), and U: reads of rows that are about to be changed.
enum class BasicMode : uint8_t { kN, kIS, kIX, kS, kSIX, kU, kX };

// What is asked of a key-value lock (Graefe and Kimura): modes of the distinct key value as a whole, of the gap between it
// and the next value (N, S, X), and of one of the k partitions of its entries (N, S, X). Who asks for a partition asks for
// an intention on the whole, too. An equality query takes {kS}, an insert or delete {kIX, kX}, phantom protection
// {kN, kN, kS}.
struct KeyValueMode {
  BasicMode whole = BasicMode::kN;
  BasicMode partition = BasicMode::kN;
  BasicMode gap = BasicMode::kN;
  uint16_t partition_index = 0;
  friend constexpr bool operator==(const KeyValueMode&, const KeyValueMode&) = default;
};

}  // namespace indigo::storage
