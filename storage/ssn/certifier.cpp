#include "storage/ssn/certifier.h"

#include <algorithm>
#include <mutex>
#include <thread>

#include "base/mutation.h"

namespace indigo::storage {

namespace {
constexpr size_t kFewKnown = 16;  // to look at all of them is cheaper than to leave stamps
}

Certifier::Certifier(CommitClock& clock, const PauseHook& pauses) : clock_(clock), pauses_(pauses) {}

bool Certifier::enter(SerializableTransaction& t, const SnapshotRegistry& snapshots, SnapshotRegistry::Slot& slot,
                      CommitStamp& snapshot) {
  if (t.slot_ == nullptr) {
    std::lock_guard lock(lock_);
    known_.push_back(&t);
    t.slot_ = &slot;
  }
  t.unsafe_ = false;
  t.entered = true;
  if (!t.read_only) {
    // take() announces a lower bound in the slot before it loads the stable stamp (R4): a thread that has loaded the stable stamp
    // and then misses the bound knows that this snapshot is not below. Who meets it meets open_, too: bound() loads the
    // slot first, and take() stores it after this.
    t.open_.store(true, std::memory_order_relaxed);
    snapshot = snapshots.take(slot, snapshot);
    t.snapshot = snapshot.value;
    return true;
  }
  std::lock_guard lock(lock_);
  snapshot = snapshots.take(slot, snapshot);
  t.snapshot = snapshot.value;
  t.unsafe_ = log_.least_pi_since(t.snapshot) <= t.snapshot;
  if (!t.unsafe_ && !writer_below(t.snapshot)) {
    counts_.safe_readers++;
    t.entered = false;
    return false;
  }
  readers_.push_back(&t);
  return true;
}

bool Certifier::writer_below(uint64_t stamp) const {
  return std::any_of(known_.begin(), known_.end(), [&](const SerializableTransaction* t) {
    const uint64_t bound = t->bound();
    return bound != 0 && bound < stamp;
  });
}

std::vector<uint64_t> Certifier::safe_snapshot_blockers(uint64_t session) const {
  std::vector<uint64_t> sessions;
  std::lock_guard lock(lock_);
  for (const SerializableTransaction* reader : readers_) {
    if (!reader->waiting_ || reader->session.load(std::memory_order_relaxed) != session) continue;
    for (const SerializableTransaction* t : known_) {
      const uint64_t bound = t->bound();
      if (bound != 0 && bound < reader->snapshot) sessions.push_back(t->session.load(std::memory_order_relaxed));
    }
  }
  return sessions;
}

void Certifier::remove(SerializableTransaction& t) {
  t.waiting_ = false;
  if (t.read_only) {
    std::erase(readers_, &t);
  } else {
    t.open_.store(false, std::memory_order_relaxed);
  }
  t.entered = false;
  if (log_.size() >= trim_log_at_) trim();
  if (waiting_.load(std::memory_order_relaxed) != 0) ended_.notify_all();
}

void Certifier::leave(SerializableTransaction& t) {
  if (!t.entered) return;
  std::lock_guard lock(lock_);
  remove(t);
}

void Certifier::trim() {
  oldest_ = clock_.stable().value;  // a transaction not met below enters above it
  for (const SerializableTransaction* t : known_) {
    const uint64_t bound = t->bound();
    if (bound != 0) oldest_ = std::min(oldest_, bound);
  }
  for (const SerializableTransaction* t : readers_) oldest_ = std::min(oldest_, t->snapshot);
  log_.trim(oldest_);
  trim_log_at_ = std::max(kTrimAt, log_.size() * 2);
  if (range_stamps_.size() < trim_spaces_at_) return;
  for (auto space = range_stamps_.begin(); space != range_stamps_.end();) {
    space->second.trim(oldest_);
    auto at = space++;
    if (at->second.empty()) range_stamps_.erase(at);
  }
  trim_spaces_at_ = std::max(kTrimAt, range_stamps_.size() * 2);
}

StorageStatus Certifier::wait_safe(SerializableTransaction& t) {
  bool safe = false, decided = false;
  auto look = [&] {
    std::lock_guard lock(lock_);
    safe = !t.unsafe_;
    decided = t.unsafe_ || !writer_below(t.snapshot);
    if (decided) {
      if (safe) counts_.safe_readers++;
      remove(t);
    }
    return decided;
  };
  waiting_.fetch_add(1);
  {
    std::lock_guard lock(lock_);
    t.waiting_ = true;
  }
  ended_.wait([&] { return decided || look(); });
  waiting_.fetch_sub(1);
  if (!decided) {
    leave(t);
    return StorageStatus::kInterrupted;
  }
  return safe ? StorageStatus::kOk : StorageStatus::kSerialization;
}

bool Certifier::still_open(SerializableTransaction& t, uint64_t hash) {
  std::lock_guard lock(lock_);
  t.pi = std::min(t.pi, log_.least_pi(hash, t.snapshot));
  return mutated(Mutation::kNoExclusionTest) || mutated(Mutation::kNoHighStart) || t.pi > std::max(t.snapshot, t.eta);
}

bool Certifier::write_open(SerializableTransaction& t, uint64_t space, Bytes key, uint64_t reader) const {
  constexpr size_t kFewReads = 256;  // the commit section looks at more
  uint64_t eta = std::max({t.snapshot, t.eta, reader});
  uint64_t pi = t.pi;
  if (lock_.try_lock()) {
    std::lock_guard lock(lock_, std::adopt_lock);
    auto ranges = range_stamps_.find(space);
    if (ranges != range_stamps_.end()) eta = std::max(eta, ranges->second.at(key));
    const bool few = t.reads.points().size() + t.reads.ranges().size() + t.reads.open_ranges().size() <= kFewReads;
    if (few && pi > eta && eta > t.snapshot) pi = low_watermark(t);
  }
  return pi > eta || mutated(Mutation::kNoExclusionTest) || mutated(Mutation::kNoHighStart);
}

bool Certifier::open(const SerializableTransaction& t) const {
  std::lock_guard lock(lock_);
  return low_watermark(t) > std::max(t.snapshot, t.eta) || mutated(Mutation::kNoExclusionTest);
}

uint64_t Certifier::low_watermark(const SerializableTransaction& t) const {
  uint64_t pi = t.pi;
  if (!log_.any_since(t.snapshot)) return pi;
  if (t.reads.everything()) pi = std::min(pi, log_.least_pi_since(t.snapshot));
  for (uint64_t hash : t.reads.points()) {
    if ((*slots_)[hash].written.load(std::memory_order_relaxed) > t.snapshot)
      pi = std::min(pi, log_.least_pi(hash, t.snapshot));
  }
  for (const ReadSet::Newer& n : t.reads.newer()) pi = std::min(pi, log_.least_pi(n.hash, n.stamp));
  for (const ReadSet::Range& r : t.reads.ranges()) {
    pi = std::min(pi, log_.least_pi(r.space, r.interval, t.snapshot));
  }
  for (const ReadSet::Range& r : t.reads.open_ranges()) {  // none in the commit section
    if (r.space != 0) pi = std::min(pi, log_.least_pi(r.space, r.interval, t.snapshot));
  }
  return pi;
}

uint64_t Certifier::high_watermark(const SerializableTransaction& t) const {
  uint64_t eta = mutated(Mutation::kNoHighStart) ? 0 : std::max(t.snapshot, t.eta);
  for (uint64_t hash : t.reads.key_parts()) eta = std::max(eta, log_.newest(hash, t.snapshot));
  if (!t.writes.empty()) eta = std::max(eta, everything_stamp_);
  const uint64_t newest_range = newest_range_.load(std::memory_order_relaxed);
  auto written = [&](const SerializableTransaction::Write& w) {
    eta = std::max({eta, (*slots_)[w.hash].read.load(std::memory_order_relaxed), log_.newest(w.hash, t.snapshot)});
    if (w.key_changes) eta = std::max(eta, (*slots_)[key_part(w.hash)].read.load(std::memory_order_relaxed));
    if (newest_range <= eta) return;
    auto ranges = range_stamps_.find(w.space);
    if (ranges != range_stamps_.end()) eta = std::max(eta, ranges->second.at(w.key));
  };
  for (const auto& w : t.writes) written(w);
  for (const auto& w : t.index_writes) written(w);
  return eta;
}

void Certifier::leave_stamps(const SerializableTransaction& t, uint64_t stamp) {
  if (t.reads.everything()) everything_stamp_ = std::max(everything_stamp_, stamp);
  for (uint64_t hash : t.reads.points()) (*slots_)[hash].raise_read(stamp);
  for (const ReadSet::Newer& n : t.reads.newer()) (*slots_)[n.hash].raise_read(stamp);
  for (uint64_t hash : t.reads.key_parts()) (*slots_)[hash].raise_read(stamp);
  for (const ReadSet::Range& r : t.reads.ranges()) {
    RangeStamps& stamps = range_stamps_[r.space];
    stamps.raise(r.interval, stamp);
    if (newest_range_.load(std::memory_order_relaxed) < stamp) newest_range_.store(stamp, std::memory_order_relaxed);
    if (!stamps.due()) continue;
    trim();
    auto found = range_stamps_.find(r.space);
    if (found != range_stamps_.end()) found->second.trim(oldest_);
  }
}

void Certifier::leave_writes(const SerializableTransaction& t, uint64_t c, uint64_t pi) {
  for (const auto& w : t.writes) {
    log_.append(c, pi, w.hash, w.space, w.key);
    if (w.key_changes) log_.append(c, pi, key_part(w.hash), 0, {});
  }
  for (const auto& w : t.index_writes) log_.append(c, pi, w.hash, w.space, w.key);
  for (SerializableTransaction* reader : readers_) {
    if (pi <= reader->snapshot && c > reader->snapshot) reader->unsafe_ = true;
  }
}

bool Certifier::certify(SerializableTransaction& t, CommitStamp& c) {
  t.reads.finish();
  bool writes = !t.writes.empty();
  std::unique_lock lock(lock_);
  uint64_t pi = low_watermark(t);
  uint64_t eta = high_watermark(t);
  if (mutated(Mutation::kNoCommitSection)) {
    lock.unlock();
    pauses_.at(PausePoint::kCertified);
    for (int i = 0; i < 4; i++) std::this_thread::yield();
    lock.lock();
  } else {
    pauses_.at(PausePoint::kCertified);
  }
  bool passes = pi > eta || mutated(Mutation::kNoExclusionTest);
  if (passes && writes) {
    c = newest_ = clock_.take(newest_);
    leave_stamps(t, c.value);
    leave_writes(t, c.value, std::min(pi, c.value));
  } else if (passes) {
    // Its place in the order is its snapshot. A transaction with that in its own snapshot needs no stamp to know it.
    uint64_t place = std::max(t.snapshot, eta);
    bool known_to_all = known_.size() <= kFewKnown && place <= clock_.stable().value && !writer_below(place);
    if (!known_to_all) leave_stamps(t, place);
  }
  remove(t);
  (passes ? counts_.commits : counts_.failures)++;
  return passes;
}

Certifier::Statistics Certifier::statistics() const {
  std::lock_guard lock(lock_);
  Statistics s = counts_;
  s.log_records = log_.size();
  s.open = readers_.size();
  for (const SerializableTransaction* t : known_) s.open += t->open_.load(std::memory_order_relaxed);
  for (const auto& [space, stamps] : range_stamps_) s.range_segments += stamps.size();
  return s;
}

}  // namespace indigo::storage
