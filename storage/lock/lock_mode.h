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

// The classic modes of one component of a lock (Gray).
enum class BasicMode : uint8_t { kN, kIS, kIX, kS, kSIX, kX };

// A key-value lock is held in three components at once (Graefe and Kimura, with k = 1 partition): the distinct key
// value as a whole, the one partition of its entries (N, S or X), and the gap between it and the next value (N, S, X).
// An equality query takes {kS}, an insert or delete {kIX, kX}, phantom protection {kN, kN, kS}.
struct KeyValueMode {
  BasicMode whole = BasicMode::kN;
  BasicMode partition = BasicMode::kN;
  BasicMode gap = BasicMode::kN;
  friend constexpr bool operator==(const KeyValueMode&, const KeyValueMode&) = default;
};

}  // namespace indigo::storage
