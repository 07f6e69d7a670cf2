// READ ONLY transactions: whether a snapshot is safe, so that no cycle can go through a transaction that only reads it. Knows who
// committed over a back edge, with pi below the stamp: nobody else makes a snapshot unsafe.
//
// Thread safety: all functions; one lock, which commits without back edges do not take.
#pragma once

#include <array>
#include <cstdint>

#include "storage/spin_lock.h"
#include "storage/ssn/stamp_ring.h"

namespace indigo::storage {

class SafeSnapshots {
 public:
  // What a tracked reader has of it.
  struct Reader {
    uint64_t snapshot = 0;
    bool unsafe = false;   // someone has committed who could be in a cycle with it
    bool waiting = false;  // for the verdict
    Reader *next = nullptr, *previous = nullptr;
  };

  SpinLock& lock() const { return lock_; }

  // ---- under lock()
  // The least pi of those who committed after `stamp`, if it is below their stamps.
  uint64_t least_pi_since(uint64_t stamp) const;
  void add(Reader& reader);
  void remove(Reader& reader);
  const Reader* first() const { return first_; }

  // Takes the lock. pi < c. Nobody asks with a stamp below `oldest`.
  void committed(uint64_t c, uint64_t pi, uint64_t oldest);

 private:
  static constexpr uint32_t kCommits = 1024;
  struct Commit {
    uint64_t c, pi;
  };

  mutable SpinLock lock_;
  Reader* first_ = nullptr;
  uint32_t count_ = 0;
  uint64_t forgotten_c_ = 0, forgotten_pi_ = kInfinity;
  std::array<Commit, kCommits> commits_;  // in no order
};

}  // namespace indigo::storage
