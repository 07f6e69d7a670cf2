// Which transactions run now, by their numbers, for pg_current_snapshot(): it tells what a statement does not see.
//
// Sessions take numbers in blocks. Asking gives back what is left of them, so that every number that is given out later is
// above all that were given out before.
// Thread safety: all functions, from any thread.
#pragma once

#include <cstdint>
#include <vector>

namespace indigo::storage {

class Store;

struct RunningTransactions {
  uint64_t newest = 0;            // the highest number that a transaction has had
  std::vector<uint64_t> numbers;  // of those that have not ended, in no order
};
RunningTransactions running_transactions(Store& store);

// The stamp of the newest snapshot: not below that of a commit that has been told of.
uint64_t newest_stamp(Store& store);

}  // namespace indigo::storage
