#include "storage/ssn/certifier.h"

#include <algorithm>
#include <thread>

#include "storage/mutation.h"

namespace indigo::storage {

Certifier::Certifier(CommitClock& clock) : clock_(clock) {}

bool Certifier::enter(SerializableTransaction& t, const SnapshotRegistry& snapshots, SnapshotRegistry::Slot& slot,
                      CommitStamp& snapshot) {
  std::lock_guard lock(mutex_);
  snapshot = snapshots.take(slot, snapshot);
  t.snapshot = snapshot.value;
  t.unsafe_ = false;
  t.order_ = next_order_++;
  if (t.read_only) {
    t.unsafe_ = log_->least_pi_since(t.snapshot) <= t.snapshot;
    if (writers_.empty() && !t.unsafe_) {
      counts_.safe_readers++;
      return false;
    }
  }
  auto& list = t.read_only ? readers_ : writers_;
  if (spare_.empty()) spare_.push_back(nullptr);
  t.place_ = spare_.begin();
  *t.place_ = &t;
  list.splice(list.end(), spare_, t.place_);
  t.entered = true;
  return true;
}

void Certifier::remove(SerializableTransaction& t) {
  auto& list = t.read_only ? readers_ : writers_;
  spare_.splice(spare_.begin(), list, t.place_);
  t.entered = false;
  trim();
  if (waiting_.load(std::memory_order_relaxed) != 0) ended_.notify_all();
}

void Certifier::leave(SerializableTransaction& t) {
  if (!t.entered) return;
  std::lock_guard lock(mutex_);
  remove(t);
}

void Certifier::trim() {
  oldest_ = clock_.stable().value;  // nobody enters below it any more
  if (!writers_.empty()) oldest_ = std::min(oldest_, writers_.front()->snapshot);
  if (!readers_.empty()) oldest_ = std::min(oldest_, readers_.front()->snapshot);
  log_->trim(oldest_);
  if (range_stamps_.size() < trim_spaces_at_) return;
  for (auto space = range_stamps_.begin(); space != range_stamps_.end();) {
    space->second.trim(oldest_, true);
    auto at = space++;
    if (at->second.empty()) range_stamps_.erase(at);
  }
  trim_spaces_at_ = std::max(kTrimSpacesAt, range_stamps_.size() * 2);
}

bool Certifier::is_safe(const SerializableTransaction& t, bool& decided) const {
  decided = t.unsafe_ || writers_.empty() || writers_.front()->order_ > t.order_;
  return !t.unsafe_;
}

StorageStatus Certifier::wait_safe(SerializableTransaction& t) {
  bool safe = false, decided = false;
  auto look = [&] {
    std::lock_guard lock(mutex_);
    safe = is_safe(t, decided);
    if (decided) {
      if (safe) counts_.safe_readers++;
      remove(t);
    }
    return decided;
  };
  waiting_.fetch_add(1);
  WaitResult r = ended_.wait([&] { return decided || look(); });
  waiting_.fetch_sub(1);
  if (!decided) {
    (void)r;
    leave(t);
    return StorageStatus::kInterrupted;
  }
  return safe ? StorageStatus::kOk : StorageStatus::kSerialization;
}

bool Certifier::still_open(SerializableTransaction& t, uint64_t hash) {
  std::lock_guard lock(mutex_);
  t.pi = std::min(t.pi, log_->least_pi(hash, t.snapshot));
  return mutated(Mutation::kNoExclusionTest) || mutated(Mutation::kNoHighStart) || t.pi > std::max(t.snapshot, t.eta);
}

uint64_t Certifier::low_watermark(const SerializableTransaction& t) const {
  uint64_t pi = t.pi;
  if (t.reads.everything()) pi = std::min(pi, log_->least_pi_since(t.snapshot));
  for (uint64_t hash : t.reads.points()) {
    if (log_->newest_in_slot(hash) > t.snapshot) pi = std::min(pi, log_->least_pi(hash, t.snapshot));
  }
  for (const ReadSet::Newer& n : t.reads.newer()) pi = std::min(pi, log_->least_pi(n.hash, n.stamp));
  for (const ReadSet::Range& r : t.reads.ranges()) {
    pi = std::min(pi, log_->least_pi(r.space, r.interval, t.snapshot));
  }
  return pi;
}

uint64_t Certifier::high_watermark(const SerializableTransaction& t) const {
  uint64_t eta = mutated(Mutation::kNoHighStart) ? 0 : std::max(t.snapshot, t.eta);
  for (uint64_t hash : t.reads.key_parts()) eta = std::max(eta, log_->newest(hash, t.snapshot));
  if (!t.writes.empty()) eta = std::max(eta, everything_stamp_);
  auto written = [&](const SerializableTransaction::Write& w) {
    eta = std::max({eta, point_stamps_->at(w.hash), log_->newest(w.hash, t.snapshot)});
    if (w.key_changes) eta = std::max(eta, point_stamps_->at(key_part(w.hash)));
    auto ranges = range_stamps_.find(w.space);
    if (ranges != range_stamps_.end()) eta = std::max(eta, ranges->second.at(w.key));
  };
  for (const auto& w : t.writes) written(w);
  for (const auto& w : t.index_writes) written(w);
  return eta;
}

void Certifier::leave_stamps(const SerializableTransaction& t, uint64_t stamp) {
  if (t.reads.everything()) everything_stamp_ = std::max(everything_stamp_, stamp);
  for (uint64_t hash : t.reads.points()) point_stamps_->raise(hash, stamp);
  for (const ReadSet::Newer& n : t.reads.newer()) point_stamps_->raise(n.hash, stamp);
  for (uint64_t hash : t.reads.key_parts()) point_stamps_->raise(hash, stamp);
  for (const ReadSet::Range& r : t.reads.ranges()) {
    RangeStamps& stamps = range_stamps_[r.space];
    stamps.raise(r.interval, stamp);
    stamps.trim(oldest_);
  }
}

void Certifier::leave_writes(const SerializableTransaction& t, uint64_t c, uint64_t pi) {
  for (const auto& w : t.writes) {
    log_->append(c, pi, w.hash, w.space, w.key);
    if (w.key_changes) log_->append(c, pi, key_part(w.hash), 0, {});
  }
  for (const auto& w : t.index_writes) log_->append(c, pi, w.hash, w.space, w.key);
  for (SerializableTransaction* reader : readers_) {
    if (pi <= reader->snapshot && c > reader->snapshot) reader->unsafe_ = true;
  }
}

bool Certifier::certify(SerializableTransaction& t, CommitStamp& c) {
  t.reads.finish();
  bool writes = !t.writes.empty();
  std::unique_lock lock(mutex_);
  uint64_t pi = low_watermark(t);
  uint64_t eta = high_watermark(t);
  if (mutated(Mutation::kNoCommitSection)) {
    lock.unlock();
    for (int i = 0; i < 4; i++) std::this_thread::yield();
    lock.lock();
  }
  bool passes = pi > eta || mutated(Mutation::kNoExclusionTest);
  if (passes && writes) {
    c = clock_.take();
    leave_stamps(t, c.value);
    leave_writes(t, c.value, std::min(pi, c.value));
  } else if (passes) {
    leave_stamps(t, std::max(t.snapshot, eta));  // its place in the order is its snapshot
  }
  remove(t);
  (passes ? counts_.commits : counts_.failures)++;
  return passes;
}

Certifier::Statistics Certifier::statistics() const {
  std::lock_guard lock(mutex_);
  Statistics s = counts_;
  s.log_records = log_->size();
  s.open = writers_.size() + readers_.size();
  for (const auto& [space, stamps] : range_stamps_) s.range_segments += stamps.size();
  return s;
}

}  // namespace indigo::storage
