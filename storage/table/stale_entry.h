// Decides whether an entry of a secondary index is stale: no version of its record (pending, committed or older) has its key.
//
// Computing a key may suspend (an index expression) and may fail, so it is done ahead, from copies, under no latch and no
// guard: look(). What is asked under the index's latch is only whether versions have come since: still_stale(), which
// computes nothing, copies nothing and waits only for a leaf's writer.
//
// What was computed for a record is kept for its next entry in the same index: many entries of one record cost as much as it has
// versions and entries, not their product. So the versions whose entries these are must have gone before the first look at the
// record; forget() where more have gone.
//
// Thread safety: one session's. Nothing is held between calls; the session may suspend in look() alone.
//
// Invariants:
// 1. After look() has said kStale, no version in `examined_` has the key, and these were all there were at some moment.
// 2. A version is told by its name: a committed one by its stamp, a pending one by its transaction and its place, which
//    serves one version of that transaction only. So two versions of one record with one name have the same image.
// 3. A version whose key cannot be computed counts as one that has it.
// 4. While `complete_`, every version that is older than an examined one of its kind (below it among the pending ones, behind it in
//    the chain) is examined: nothing ever comes between two versions, only on top.
// 5. kNeeded: a version that was there after the entry's had gone has the key, or one whose key has the same hash. When it goes,
//    it sees to the entry; in the second case the entry stays, is passed over, and goes with the next version that has its key.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

// A set that is most often of one or two.
template <class Element>
class FewOrMany {
 public:
  bool contains(const Element& e) const {
    return many_.empty() ? std::find(few_.begin(), few_.end(), e) != few_.end() : many_.contains(e);
  }
  void insert(const Element& e) {
    if (contains(e)) return;
    if (many_.empty() && few_.size() < kFew) {
      few_.push_back(e);
      return;
    }
    if (many_.empty()) many_.insert(few_.begin(), few_.end());
    many_.insert(e);
  }
  void clear() {
    few_.clear();
    many_.clear();
  }

 private:
  static constexpr size_t kFew = 4;
  absl::InlinedVector<Element, kFew> few_;
  absl::flat_hash_set<Element> many_;  // all of them, once they are more than a few
};

class StaleEntry {
 public:
  // The stack of `own`, a record that the session's transaction has, is passed by: its owner knows its keys.
  explicit StaleEntry(TableImpl& table, const PendingVersion* own = nullptr) : table_(table), own_(own) {}

  enum class Verdict : uint8_t { kStale, kNeeded };
  // Computes the keys of all versions of the record that were not examined. Call it again when still_stale() has denied: it looks
  // at what has come.
  Verdict look(const TableIndex& index, Bytes key, Bytes primary_key);
  // Is there no version but those that were examined? Under the index's latch, after look() has said kStale.
  bool still_stale(Bytes primary_key) const;
  void forget();

 private:
  struct Name {
    uint64_t stamp, transaction, place;  // of a committed version the other two are zero
    friend bool operator==(const Name&, const Name&) = default;
    template <class H>
    friend H AbslHashValue(H h, const Name& name) {
      return H::combine(std::move(h), name.stamp, name.transaction, name.place);
    }
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
  enum class Next : uint8_t { kOlder, kNoOlder, kStop };  // kNoOlder: nothing older of this version's kind

  // Calls visit(name, image) for each version, newest first, until it answers kStop; `in_leaf` takes a copy of the body if an
  // image is asked for. False when the leaf changed meanwhile: then it was in vain. Under a guard.
  template <class Visit>
  bool walk(const KeyView& primary_key, std::string* in_leaf, Witness& seen, Visit visit) const;
  // Copies versions that were not examined, as many as are worth a round; false when there are none.
  bool copy_new(const KeyView& primary_key);
  void compute(const TableIndex& index, Bytes primary_key, const Copied& version);

  TableImpl& table_;
  const PendingVersion* const own_;
  const TableIndex* index_ = nullptr;  // of what was examined
  std::string primary_key_;
  FewOrMany<Name> examined_;
  FewOrMany<uint64_t> keys_;  // hashes of theirs
  bool unknown_ = false;      // one of theirs could not be computed
  bool complete_ = false;
  bool cut_ = false;  // the last round left some
  std::vector<Copied> copied_;
  std::string images_, in_leaf_, computed_;
  Witness witness_;
};

}  // namespace indigo::storage
