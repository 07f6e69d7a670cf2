// The records that an inverted index has entries for, by key or range of keys: those that a view sees with such a key, and
// perhaps others, whose other versions have it. Who asks reads the records, and looks whether they satisfy the condition.
//
// Thread safety: one session's. May wait (Waiter::current()); holds nothing in the index between calls.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "storage/key_range.h"
#include "storage/status.h"
#include "storage/transaction.h"

namespace indigo::storage {

class Table;

struct Candidates {
  // Every record may be one: what follows has no meaning. So it is where there are more than were asked for, and for a range
  // under locks, whose gaps have no names here.
  bool all = false;
  std::vector<std::string> primary_keys;  // ascending, each once
};

// Which keys of a range are meant, where not all are.
class KeyFilter {
 public:
  enum class Answer {
    kWanted,
    kNot,   // this key is not meant
    kSkip,  // nor is any before the one that is given
    kDone,  // nor is any that follows in its range
  };
  virtual ~KeyFilter() = default;
  // Asked for keys that ascend. kSkip: `next` is the first that may be meant.
  virtual Answer meet(Bytes key, std::string& next) = 0;
};

// At most `most` of them. What the ranges have, which ascend, do not overlap and have both bounds where they are more than one,
// is what the transaction has read afterwards, as if a cursor had read it; not when the answer is that all may be. An index that
// was dropped has none.
StorageStatus index_candidates(Table& table, Transaction& transaction, const ReadView& view, IndexId index,
                               std::span<const KeyRange> ranges, KeyFilter* filter, size_t most, Candidates& out);

}  // namespace indigo::storage
