#include "storage/ssn/certifier.h"

#include <algorithm>
#include <mutex>

#include "base/mutation.h"

namespace indigo::storage {

Certifier::Certifier(CommitClock& clock, const PauseHook& pauses) : clock_(clock), pauses_(pauses) {}

void Certifier::remember(SerializableTransaction& t, const SnapshotRegistry::Slot& slot) {
  t.slot_ = &slot;
  t.next_known_ = known_.load(std::memory_order_relaxed);
  while (!known_.compare_exchange_weak(t.next_known_, &t)) {
  }
  known_count_.fetch_add(1);
}

bool Certifier::enter(SerializableTransaction& t, const SnapshotRegistry& snapshots, SnapshotRegistry::Slot& slot,
                      CommitStamp& snapshot) {
  if (t.slot_ == nullptr) remember(t, slot);
  t.entered = true;
  // take() announces a lower bound in the slot before it loads the stable stamp (R4): a thread that has loaded the stable stamp
  // and then misses the bound knows that this snapshot is not below. Who meets it meets open_, too: bound() loads the
  // slot first, and take() stores it after this.
  t.open_.store(t.read_only ? SerializableTransaction::Open::kReads : SerializableTransaction::Open::kMayWrite,
                std::memory_order_relaxed);
  if (!t.read_only) {
    snapshot = snapshots.take(slot, snapshot);
    t.snapshot = snapshot.value;
    return true;
  }
  // Who commits over a back edge has told it before it is closed: so this meets either the writer or what it has told, or it is
  // told itself.
  std::lock_guard lock(safe_.lock());
  snapshot = snapshots.take(slot, snapshot);
  t.snapshot = t.reader_.snapshot = snapshot.value;
  const bool below = writer_below(t.snapshot);
  t.reader_.unsafe = safe_.least_pi_since(t.snapshot) <= t.snapshot;
  if (!t.reader_.unsafe && !below) {
    t.safe_.fetch_add(1, std::memory_order_relaxed);
    t.open_.store(SerializableTransaction::Open::kNo, std::memory_order_relaxed);
    t.entered = false;
    return false;
  }
  safe_.add(t.reader_);
  return true;
}

bool Certifier::writer_below(uint64_t stamp) const {
  for (const SerializableTransaction* t = known_.load(); t != nullptr; t = t->next_known_) {
    const uint64_t bound = t->bound(false);
    if (bound != 0 && bound < stamp) return true;
  }
  return false;
}

std::vector<uint64_t> Certifier::safe_snapshot_blockers(uint64_t session) const {
  std::vector<uint64_t> sessions;
  for_each_known([&](const SerializableTransaction& reader) {
    if (reader.session.load(std::memory_order_relaxed) != session) return;
    uint64_t snapshot = 0;
    {
      std::lock_guard lock(safe_.lock());
      if (reader.reader_.waiting) snapshot = reader.reader_.snapshot;
    }
    if (snapshot == 0) return;
    for_each_known([&](const SerializableTransaction& t) {
      const uint64_t bound = t.bound(false);
      if (bound != 0 && bound < snapshot) sessions.push_back(t.session.load(std::memory_order_relaxed));
    });
  });
  return sessions;
}

void Certifier::close(SerializableTransaction& t) {
  if (t.read_only) {
    std::lock_guard lock(safe_.lock());
    t.reader_.waiting = false;
    safe_.remove(t.reader_);
  }
  t.open_.exchange(SerializableTransaction::Open::kNo);  // seq_cst: either this sees who waits, or that sees this
  t.entered = false;
  if (waiting_.load() != 0) ended_.notify_all();
}

void Certifier::leave(SerializableTransaction& t) {
  if (!t.entered) return;
  if (t.prepared_) {
    const std::lock_guard lock(prepared_mutex_);
    forget_prepared(t);
  }
  close(t);
}

void Certifier::find_oldest() {
  uint64_t oldest = clock_.stable().value;  // a transaction not met below enters above it
  for_each_known([&](const SerializableTransaction& t) {
    const uint64_t bound = t.bound(true);
    if (bound != 0) oldest = std::min(oldest, bound);
  });
  uint64_t now = oldest_.load(std::memory_order_relaxed);
  while (now < oldest && !oldest_.compare_exchange_weak(now, oldest)) {
  }
}

void Certifier::pass_all_locks() const {
  for (PointPartition& p : partitions_->points) std::lock_guard lock(p.lock);
  for (RangePartition& p : partitions_->ranges) std::lock_guard lock(p.lock);
}

StorageStatus Certifier::wait_safe(SerializableTransaction& t) {
  bool safe = false, decided = false;
  auto look = [&] {
    pass_all_locks();
    {
      std::lock_guard lock(safe_.lock());
      // A writer is closed after it has told what makes this unsafe: so it is looked for first.
      decided = !writer_below(t.snapshot);
      safe = !t.reader_.unsafe;
      decided = decided || !safe;
    }
    if (decided) close(t);
    return decided;
  };
  waiting_.fetch_add(1);
  {
    std::lock_guard lock(safe_.lock());
    t.reader_.waiting = true;
  }
  ended_.wait([&] { return decided || look(); });
  waiting_.fetch_sub(1);
  if (!decided) {
    leave(t);
    return StorageStatus::kInterrupted;
  }
  if (safe) t.safe_.fetch_add(1, std::memory_order_relaxed);
  return safe ? StorageStatus::kOk : StorageStatus::kSerialization;
}

// ---- early tests

bool Certifier::still_open(SerializableTransaction& t, uint64_t hash) {
  PointPartition& p = point(hash);
  {
    std::lock_guard lock(p.lock);
    t.pi = std::min(t.pi, p.least_pi((*slots_)[hash], hash, t.snapshot));
  }
  return mutated(Mutation::kNoExclusionTest) || mutated(Mutation::kNoHighStart) || t.pi > std::max(t.snapshot, t.eta);
}

bool Certifier::write_open(SerializableTransaction& t, const SpaceKey& key, uint64_t reader) {
  constexpr size_t kFewReads = 256;  // the commit section looks at more
  uint64_t eta = std::max({t.snapshot, t.eta, reader});
  uint64_t pi = t.pi;
  RangePartition& ranges = partitions_->ranges[map_.partition_of(key)];
  if (ranges.newest_read.load(std::memory_order_relaxed) > eta) {
    std::lock_guard lock(ranges.lock);
    eta = std::max(eta, ranges.reads.at(key));
  }
  const bool few = t.reads.points().size() + t.reads.ranges().size() + t.reads.open_ranges().size() <= kFewReads;
  if (few && pi > eta && eta > t.snapshot) pi = low_estimate(t);
  return pi > eta || mutated(Mutation::kNoExclusionTest) || mutated(Mutation::kNoHighStart);
}

bool Certifier::open(const SerializableTransaction& t) {
  return low_estimate(t) > std::max(t.snapshot, t.eta) || mutated(Mutation::kNoExclusionTest);
}

bool Certifier::open_between_statements(const SerializableTransaction& t) {
  expect_ranges(t);
  const uint64_t pi = low_estimate(t);
  return pi == kInfinity || pi > high_estimate(t) || mutated(Mutation::kNoExclusionTest) ||
         mutated(Mutation::kNoHighStart);
}

bool Certifier::is_unchanged(const SerializableTransaction& t) {
  constexpr size_t kFewReads = 64;  // it is asked before each statement
  if (mutated(Mutation::kAdvanceAnyway)) return true;
  const ReadSet& reads = t.reads;
  if (t.pi != kInfinity || reads.everything()) return false;
  if (reads.points().size() + reads.ranges().size() + reads.open_ranges().size() > kFewReads) return false;
  const auto written_since = [&](uint64_t hash, uint64_t stamp) {
    return (*slots_)[hash].written.load(std::memory_order_acquire) > stamp;
  };
  for (const uint64_t hash : reads.points()) {
    if (written_since(hash, t.snapshot)) return false;
  }
  for (const ReadSet::Newer& n : reads.newer()) {
    if (written_since(n.hash, n.stamp)) return false;
  }
  expect_ranges(t);
  for (const auto* ranges : {&reads.ranges(), &reads.open_ranges()}) {
    for (const ReadSet::Range& r : *ranges) {
      if (r.space != 0 && least_pi(r, t.snapshot) != kInfinity) return false;
    }
  }
  return true;
}

uint64_t Certifier::high_estimate(const SerializableTransaction& t) {
  uint64_t eta = std::max(t.snapshot, t.eta);
  auto written = [&](const SerializableTransaction::Write& w) {
    const KeySlot& slot = (*slots_)[w.hash];
    eta = std::max(eta, slot.read.load(std::memory_order_relaxed));
    if (slot.written.load(std::memory_order_relaxed) > t.snapshot) {
      PointPartition& p = point(w.hash);
      std::lock_guard lock(p.lock);
      eta = std::max(eta, p.newest(slot, w.hash, t.snapshot));
    }
    if (w.key_changes) eta = std::max(eta, (*slots_)[key_part(w.hash)].read.load(std::memory_order_relaxed));
    if (!map_.scanned(w.space)) return;
    RangePartition& p = partitions_->ranges[map_.partition_of({w.space, w.key})];
    if (p.newest_read.load(std::memory_order_relaxed) <= eta) return;
    std::lock_guard lock(p.lock);
    eta = std::max(eta, p.reads.at({w.space, w.key}));
  };
  for (const auto& w : t.writes) written(w);
  for (const auto& w : t.index_writes) written(w);
  return eta;
}

uint64_t Certifier::least_pi(const ReadSet::Range& range, uint64_t snapshot) {
  uint64_t pi = kInfinity;
  for_each_bit(map_.partitions_of(range.space, range.interval), [&](uint32_t i) {
    RangePartition& p = partitions_->ranges[i];
    if (p.newest_write.load(std::memory_order_acquire) <= snapshot) return;
    std::lock_guard lock(p.lock);
    pi = std::min(pi, p.least_pi(range.space, range.interval, snapshot));
  });
  return pi;
}

uint64_t Certifier::low_estimate(const SerializableTransaction& t) {
  uint64_t pi = t.pi;
  auto look = [&](uint64_t hash, uint64_t since) {
    const KeySlot& slot = (*slots_)[hash];
    if (slot.written.load(std::memory_order_relaxed) <= since) return;
    PointPartition& p = point(hash);
    std::lock_guard lock(p.lock);
    pi = std::min(pi, p.least_pi(slot, hash, since));
  };
  for (uint64_t hash : t.reads.points()) look(hash, t.snapshot);
  for (const ReadSet::Newer& n : t.reads.newer()) look(n.hash, n.stamp);
  for (const ReadSet::Range& r : t.reads.ranges()) pi = std::min(pi, least_pi(r, t.snapshot));
  for (const ReadSet::Range& r : t.reads.open_ranges()) {
    if (r.space != 0) pi = std::min(pi, least_pi(r, t.snapshot));
  }
  return pi;
}

Certifier::Statistics Certifier::statistics() const {
  Statistics s;
  for_each_known([&](const SerializableTransaction& t) {
    s.commits += t.commits_.load(std::memory_order_relaxed);
    s.failures += t.failures_.load(std::memory_order_relaxed);
    s.safe_readers += t.safe_.load(std::memory_order_relaxed);
    s.open += t.open_.load() != SerializableTransaction::Open::kNo ? 1 : 0;
  });
  for (PointPartition& p : partitions_->points) {
    std::lock_guard lock(p.lock);
    s.log_records += p.writes.size();
  }
  for (RangePartition& p : partitions_->ranges) {
    std::lock_guard lock(p.lock);
    s.range_segments += p.reads.size();
  }
  s.map_version = map_.version();
  return s;
}

}  // namespace indigo::storage
