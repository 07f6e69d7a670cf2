// Decides whether an entry of a secondary index is stale: no version of its record (pending, committed or older) has its key.
//
// Computing a key may suspend (an index expression) and may fail, so it is done ahead, from copies, under no latch and no
// guard: look(). What is asked under the index's latch is only whether versions have come since: still_stale(), which
// computes nothing, copies nothing and waits only for a leaf's writer.
//
// Thread safety: one session's. Nothing is held between calls; the session may suspend in look() alone.
//
// Invariants:
// 1. After look() has said kStale, no version in `examined_` has the key, and these were all there were at some moment.
// 2. A version is told by its name: a committed one by its stamp, a pending one by its transaction and its place, which
//    serves one version of that transaction only. So two versions of one record with one name have the same image.
// 3. A version whose key cannot be computed counts as one that has it.
#pragma once

#include <string>
#include <vector>

#include "storage/table/table_impl.h"

namespace indigo::storage {

class StaleEntry {
 public:
  explicit StaleEntry(TableImpl& table) : table_(table) {}

  enum class Verdict : uint8_t { kStale, kNeeded };
  // Computes the keys of all versions of the record. Call it again when still_stale() has denied: it looks at what has come.
  Verdict look(const TableIndex& index, Bytes key, Bytes primary_key);
  // Is there no version but those that were examined? Under the index's latch.
  bool still_stale(Bytes primary_key) const;
  // The next entry.
  void forget() { examined_.clear(); }

 private:
  struct Name {
    uint64_t stamp, transaction, place;  // of a committed version the other two are zero
    friend bool operator==(const Name&, const Name&) = default;
  };
  struct Copied {
    Name name;
    size_t begin, length;  // in images_
  };
  // What the record looked like: while this holds, no version has come. Counts within the epoch only.
  struct Witness {
    const Leaf* leaf = nullptr;  // null: no witness. A foreign leaf is none: its tree continues in a copy
    uint64_t version = 0, epoch = 0;
    const PendingVersion* pending = nullptr;
    const PendingEntry* top = nullptr;
  };

  // Calls visit(name, image) for each version until it answers false; `in_leaf` takes a copy of the body if an image is asked
  // for. False when the leaf changed meanwhile: then it was in vain. Under a guard.
  template <class Visit>
  bool walk(const KeyView& primary_key, std::string* in_leaf, Witness& seen, Visit visit) const;
  // Copies versions that were not examined, as many as are worth a round; false when there are none.
  bool copy_new(const KeyView& primary_key);
  bool examined(const Name& name) const;

  TableImpl& table_;
  std::vector<Name> examined_;
  std::vector<Copied> copied_;
  std::string images_, in_leaf_, computed_;
  Witness witness_;
};

}  // namespace indigo::storage
