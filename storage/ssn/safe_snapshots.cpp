#include "storage/ssn/safe_snapshots.h"

#include <algorithm>
#include <mutex>

namespace indigo::storage {

uint64_t SafeSnapshots::least_pi_since(uint64_t stamp) const {
  uint64_t least = stamp < forgotten_c_ ? forgotten_pi_ : kInfinity;
  for (uint32_t i = 0; i < count_; i++) {
    if (commits_[i].c > stamp) least = std::min(least, commits_[i].pi);
  }
  return least;
}

void SafeSnapshots::add(Reader& reader) {
  reader.previous = nullptr;
  reader.next = first_;
  if (first_ != nullptr) first_->previous = &reader;
  first_ = &reader;
}

void SafeSnapshots::remove(Reader& reader) {
  (reader.previous != nullptr ? reader.previous->next : first_) = reader.next;
  if (reader.next != nullptr) reader.next->previous = reader.previous;
  reader.next = reader.previous = nullptr;
}

void SafeSnapshots::committed(uint64_t c, uint64_t pi, uint64_t oldest) {
  std::lock_guard lock(lock_);
  if (count_ == kCommits) {
    const auto end = std::remove_if(commits_.begin(), commits_.end(), [&](const Commit& of) { return of.c <= oldest; });
    count_ = static_cast<uint32_t>(end - commits_.begin());
    if (forgotten_c_ <= oldest) {
      forgotten_c_ = 0;
      forgotten_pi_ = kInfinity;
    }
    for (uint32_t i = 0; count_ > kCommits / 2 && i < count_; i++) {
      forgotten_c_ = std::max(forgotten_c_, commits_[i].c);
      forgotten_pi_ = std::min(forgotten_pi_, commits_[i].pi);
    }
    if (count_ > kCommits / 2) count_ = 0;
  }
  commits_[count_++] = {c, pi};
  for (Reader* r = first_; r != nullptr; r = r->next) {
    if (pi <= r->snapshot && c > r->snapshot) r->unsafe = true;
  }
}

}  // namespace indigo::storage
