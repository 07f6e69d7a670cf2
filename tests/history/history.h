// What a run of random transactions did and saw, as its clients recorded it: the checker's input.
//
// One table of registers (k, v, g): k is the key, v a value that is written once in the whole run, g the group, on which
// there is a secondary index. Every update and delete says which value it found, so that the order of versions is known.
// Times are nanoseconds of one monotonic clock of the process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace indigo::history {

enum class Level : uint8_t { kReadCommitted, kRepeatableRead, kSerializable };
const char* name_of(Level level);

struct Row {
  int64_t k = 0, v = 0, g = 0;
};

struct Operation {
  enum class Kind : uint8_t {
    kReadRange,  // rows with low <= k <= high
    kReadGroup,  // rows with g = low
    kTaken,      // an insert found key `low` taken and did nothing
    kWrite,      // k: `before` (0: there was none) became `row.v` (0: deleted)
    kUndone,     // row.v was written and rolled back to a savepoint
  };
  Kind kind;
  int64_t low = 0, high = 0;
  std::vector<Row> rows;
  Row row;
  int64_t before = 0;
  uint64_t begin = 0, end = 0;  // of the statement
};

struct Transaction {
  enum class Outcome : uint8_t { kAborted, kCommitted };
  uint32_t id = 0;
  uint32_t client = 0;
  Level level = Level::kSerializable;
  Outcome outcome = Outcome::kAborted;
  uint64_t begin = 0;                         // of its first statement
  uint64_t snapshot_end = 0;                  // of its first statement's end
  uint64_t commit_begin = 0, commit_end = 0;  // of COMMIT
  std::vector<Operation> operations;
};

using History = std::vector<Transaction>;

}  // namespace indigo::history
