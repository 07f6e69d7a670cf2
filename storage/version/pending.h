// What an open transaction wants a record to become: the record's slot in the mapping table.
//
// A PendingVersion is found through RecordMeta::predecessor while the record's state is kUpdating or kInserting. It holds
// a stack of entries, one for each change by the owner, newest on top; rolling back to a savepoint pops.
//
// Thread safety: the owner pushes and pops; everyone may read under an epoch guard. Entries are immutable once pushed,
// and all of it lies in the owner's arena, which is recycled two epochs after the owner's end.
// Invariants:
// 1. `leaf` is the leaf that holds the record: set under that leaf's latch, and moved along by splits and merges.
// 2. Entries' commands and levels do not decrease from bottom to top.
// 3. An entry's `depth` is one more than that of the entry below it; what its `jump` passes by is between the two.
// Source: Index-Organized 4.4; the stack and the direct slot are ours. The jumps: Myers, An applicative random-access stack (1983).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/bytes.h"
#include "base/ids.h"
#include "storage/lock/lock_mode.h"
#include "storage/version/overflow.h"

namespace indigo::storage {

class Descriptor;
class Leaf;
class TableImpl;
struct TableIndex;

// A secondary key that a change gave up: to be erased when the version before it is gone.
struct OldIndexKey {
  TableIndex* index;
  Bytes key;
  OldIndexKey* next;
};

struct PendingEntry {
  PendingEntry* below = nullptr;
  PendingEntry* jump = nullptr;  // further below, so that a search takes a number of steps like the depth's logarithm
  Bytes image;                   // empty for a tombstone, and when in_leaf
  OverflowBody* overflow = nullptr;  // owns the image, when large
  OldIndexKey* old_keys = nullptr;
  Bytes new_key;  // of a tombstone that is a key update
  CommandId command = 0;
  uint32_t depth = 1;  // of the lowest entry; counts upwards
  bool tombstone = false;
  bool moved_away = false;  // a tombstone whose row is in another table now
  bool in_leaf = false;     // the first image of an insert: it is the record's body

  void set_below(PendingEntry* e) {
    below = e;
    if (e == nullptr) return;
    depth = e->depth + 1;
    PendingEntry* far = e->jump;
    PendingEntry* further = far == nullptr ? nullptr : far->jump;
    const bool equal =
        far != nullptr && e->depth - far->depth == far->depth - (further == nullptr ? 0 : further->depth);
    jump = equal ? further : e;
  }
};

struct PendingVersion {
  Descriptor* owner = nullptr;
  std::atomic<Leaf*> leaf{nullptr};
  std::atomic<PendingEntry*> top{nullptr};
  std::atomic<uint64_t> base_predecessor{0};  // what RecordMeta::predecessor was; changed under the latch only
  TableImpl* table = nullptr;
  Bytes key;
  uint64_t read_hash = 0;  // hash_read() of the key, if a serializable owner has computed it; the owner's alone
  RowLockMode mode = RowLockMode::kNoKeyUpdate;
  bool took_lock = false;  // the claim took a row lock in `mode`, too, which unclaim gives back
  uint32_t position = 0;   // of the record in its leaf when it was taken: where the owner looks first
  bool released = false;   // the owner gave it up (rolled back to a savepoint, unclaimed)
  PendingEntry first;      // room for the first entry

  // The topmost entry that commands below `command` have pushed.
  const PendingEntry* visible_to(CommandId command) const {
    const PendingEntry* e = top.load(std::memory_order_acquire);  // pairs with push
    while (e != nullptr && e->command >= command) {
      e = e->jump != nullptr && e->jump->command >= command ? e->jump : e->below;
    }
    return e;
  }
};

}  // namespace indigo::storage
