// Places at which a test may hold a session back, to run a schedule that luck would hardly ever give
// (tests/unit/storage/schedule_test.cpp), or for a random while (tests/unit/storage/random_pauses.h). Nobody else sets them: a
// store asks one pointer, which is null.
//
// Thread safety: set before the store is used by anyone; reached() is called by the threads that come by, under the latches
// and guards that are named below.
#pragma once

#include <cstddef>
#include <cstdint>

namespace indigo::storage {

enum class PausePoint : uint8_t {
  kNumbered,  // a transaction that begins has taken a number, which nobody can see yet
  kSnapshot,  // a lower bound is registered, the snapshot is loaded and not yet registered
  kCertified,  // between the exclusion test and the stamp; under the locks of the commit section, unless that is switched off
  kMapChanges,  // the certifier's partitions of ranges know what was written, the map is about to lead to them; under their locks
  kReaderCertifies,  // one that only reads knows how many are prepared, and has left no stamp yet
  kReaderPosted,     // one that only reads has left its stamps at points, and is about to look who has overwritten them
  kReaderLooked,     // it has looked, and is about to ask whether others have been prepared meanwhile
  kStamped,          // the stamp is taken, the commit point is ahead
  kInstall,          // committed; it is known which snapshots are in use, and nothing is overwritten yet
  kInstalled,        // all is installed, and not yet acknowledged
  kLatch,            // a writer has found its leaf, which is writable, and is about to latch it; under a WriteGuard
  kCopyNode,         // a writer has found its leaf shared, and is about to copy it; under a WriteGuard
  kReadLeaf,         // a scan has found its leaf, and is about to read it; under a Guard
  kSplit,  // the right half of a split is known to its left neighbour, and not to the parent; or a hash index has its
           // new bucket, and the old one as it was; under a WriteGuard
  kMerge,  // two neighbours are about to be latched and merged; under the tree's structure mutex and a WriteGuard
  kChangeIndex,  // an index node is about to be split, merged or copied: the way to it is known, and nothing latched
  kMergeEntry,  // an entry is about to be merged, or what the hash table says of it is known; under its shard's `merging`
  kGateClosed,  // cloning: from here on no commit begins
  kLongCommit,  // cloning: waits for a commit that takes long; the gate is open
};
inline constexpr size_t kPausePoints = static_cast<size_t>(PausePoint::kLongCommit) + 1;

class PausePoints {
 public:
  virtual ~PausePoints() = default;
  virtual void reached(PausePoint point) = 0;
};

// What asks for one of them.
class PauseHook {
 public:
  void set(PausePoints* points) { points_ = points; }
  void at(PausePoint point) const {
    if (points_ != nullptr) [[unlikely]]
      points_->reached(point);
  }

 private:
  PausePoints* points_ = nullptr;
};

}  // namespace indigo::storage
