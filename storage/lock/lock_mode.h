// The lock modes of PostgreSQL's users: rows and tables.
#pragma once

#include <cstdint>

namespace indigo::storage {

// Weakest first. Compatibility is PostgreSQL's (documentation, table 13.3).
enum class RowLockMode : uint8_t { kKeyShare, kShare, kNoKeyUpdate, kUpdate };

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

}  // namespace indigo::storage
