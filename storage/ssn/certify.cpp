// How a serializable transaction commits: the section of one that writes, and the steps of one that only reads.
#include <algorithm>
#include <mutex>
#include <thread>

#include "base/mutation.h"
#include "storage/ssn/certifier.h"

namespace indigo::storage {

namespace {
constexpr uint32_t kFewKnown = 16;   // to look at all of them is cheaper than to leave stamps
constexpr uint32_t kLookEvery = 16;  // of more of them
constexpr uint32_t kSampleEvery = 64;

// The slots of many keys, each once.
void distinct_slots(std::vector<uint64_t>& slots) {
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
}
}  // namespace

// ---- the section of who writes

uint64_t Certifier::start(const SerializableTransaction& t) {
  return mutated(Mutation::kNoHighStart) ? 0 : std::max(t.snapshot, t.eta);
}

void Certifier::lock(SerializableTransaction& t, Section& s) {
  Footprint points;
  for (uint64_t hash : t.reads.points()) points.add_point(hash);
  for (const ReadSet::Newer& n : t.reads.newer()) points.add_point(n.hash);
  for (uint64_t hash : t.reads.key_parts()) points.add_point(hash);
  for (const auto* list : {&t.writes, &t.index_writes}) {
    for (const auto& w : *list) s.written.add_point(w.hash);  // and its key part
  }
  for (;;) {
    const uint64_t version = map_.version();
    s.written.ranges = 0;
    for (auto* list : {&t.writes, &t.index_writes}) {
      for (auto& w : *list) {
        w.range_partition = kNoPartition;
        if (!map_.scanned(w.space)) continue;
        w.range_partition = map_.partition_of({w.space, w.key});
        s.written.ranges |= uint64_t{1} << w.range_partition;
        __builtin_prefetch(&partitions_->ranges[w.range_partition], 1);
      }
    }
    s.footprint = {points.points | s.written.points, s.written.ranges};
    for (const ReadSet::Range& r : t.reads.ranges()) s.footprint.ranges |= map_.partitions_of(r.space, r.interval);
    if (t.reads.everything()) s.footprint = Footprint::everything();
    s.footprint.lock(*partitions_);
    if (map_.version() == version) return;
    s.footprint.unlock(*partitions_);
  }
}

uint64_t Certifier::low_watermark(const SerializableTransaction& t) const {
  uint64_t pi = t.pi;
  if (t.reads.everything()) {
    for (const PointPartition& p : partitions_->points) pi = std::min(pi, p.least_pi_since(t.snapshot));
  }
  if (!t.read_slots_.empty()) {
    const std::vector<uint64_t>& points = t.reads.points();
    const auto is_read = [&](uint64_t hash) { return std::binary_search(points.begin(), points.end(), hash); };
    for (uint64_t number : t.read_slots_) {
      const KeySlot& slot = (*slots_)[number];
      if (slot.written.load(std::memory_order_relaxed) > t.snapshot)
        pi = std::min(pi, point(number).least_pi_of(slot, t.snapshot, is_read));
    }
  } else {
    for (uint64_t hash : t.reads.points()) {
      const KeySlot& slot = (*slots_)[hash];
      if (slot.written.load(std::memory_order_relaxed) > t.snapshot)
        pi = std::min(pi, point(hash).least_pi(slot, hash, t.snapshot));
    }
  }
  for (const ReadSet::Newer& n : t.reads.newer()) {
    pi = std::min(pi, point(n.hash).least_pi((*slots_)[n.hash], n.hash, n.stamp));
  }
  for (const ReadSet::Range& r : t.reads.ranges()) {
    for_each_bit(map_.partitions_of(r.space, r.interval), [&](uint32_t i) {
      const RangePartition& p = partitions_->ranges[i];
      if (p.newest_write.load(std::memory_order_relaxed) <= t.snapshot) return;
      pi = std::min(pi, p.least_pi(r.space, r.interval, t.snapshot));
    });
  }
  return pi;
}

uint64_t Certifier::high_watermark(const SerializableTransaction& t, const Section& s) const {
  uint64_t eta = start(t);
  for (uint64_t hash : t.reads.key_parts()) eta = std::max(eta, point(hash).newest((*slots_)[hash], hash, t.snapshot));
  if (!t.writes.empty()) eta = std::max(eta, everything_stamp_.load(std::memory_order_relaxed));
  if (!t.written_slots_.empty()) {
    for (uint64_t number : t.written_slots_) {
      const KeySlot& slot = (*slots_)[number];
      eta = std::max(eta, slot.read.load());
      const uint64_t written = slot.written.load(std::memory_order_relaxed);
      if (written > t.snapshot) eta = std::max(eta, written);
    }
    for_each_bit(s.written.ranges, [&](uint32_t i) {
      eta = std::max(eta, partitions_->ranges[i].newest_read.load(std::memory_order_relaxed));
    });
    return eta;
  }
  auto written = [&](const SerializableTransaction::Write& w) {
    const KeySlot& slot = (*slots_)[w.hash];
    // seq_cst, after the lock: pairs with raise_to_place
    eta = std::max({eta, slot.read.load(), point(w.hash).newest(slot, w.hash, t.snapshot)});
    if (w.key_changes) eta = std::max(eta, (*slots_)[key_part(w.hash)].read.load());
    if (w.range_partition == kNoPartition) return;
    const RangePartition& p = partitions_->ranges[w.range_partition];
    if (p.newest_read.load(std::memory_order_relaxed) > eta) eta = std::max(eta, p.reads.at({w.space, w.key}));
  };
  for (const auto& w : t.writes) written(w);
  for (const auto& w : t.index_writes) written(w);
  return eta;
}

void Certifier::leave_stamps(const SerializableTransaction& t, uint64_t stamp, Section& s) {
  if (t.reads.everything()) {
    everything_stamp_.store(std::max(everything_stamp_.load(std::memory_order_relaxed), stamp),
                            std::memory_order_relaxed);
  }
  auto raise = [&](uint64_t hash) {
    KeySlot& slot = (*slots_)[hash];
    if (t.writes.empty()) {
      slot.raise_to_place(stamp);
    } else {
      slot.raise_to_commit(stamp);
    }
  };
  for (uint64_t hash : t.read_slots_.empty() ? t.reads.points() : t.read_slots_) raise(hash);
  for (const ReadSet::Newer& n : t.reads.newer()) raise(n.hash);
  for (uint64_t hash : t.reads.key_parts()) raise(hash);
  for (const ReadSet::Range& r : t.reads.ranges()) {
    map_.read(r.space, stamp);
    for_each_bit(map_.partitions_of(r.space, r.interval), [&](uint32_t i) {
      RangePartition& p = partitions_->ranges[i];
      p.raise(r.space, r.interval, stamp, oldest());
      s.due |= p.reads.due(oldest());
    });
  }
}

void Certifier::leave_writes(const SerializableTransaction& t, uint64_t c, uint64_t pi, Section& s) {
  const uint64_t oldest = this->oldest();
  if (!t.written_slots_.empty()) {
    for (uint64_t number : t.written_slots_) (*slots_)[number].written.store(c, std::memory_order_release);
    for_each_bit(s.written.points, [&](uint32_t i) { partitions_->points[i].writes.summarise(c, pi); });
    for_each_bit(s.written.ranges, [&](uint32_t i) {
      partitions_->ranges[i].writes.summarise(c, pi);
      partitions_->ranges[i].newest_write.store(c, std::memory_order_release);
    });
  } else {
    auto write = [&](const SerializableTransaction::Write& w) {
      PointPartition& p = point(w.hash);
      p.append(c, pi, w.hash, (*slots_)[w.hash], oldest);
      if (w.key_changes) p.append(c, pi, key_part(w.hash), (*slots_)[key_part(w.hash)], oldest);
      s.due |= p.writes.due(oldest);
      if (w.range_partition == kNoPartition) return;
      RangePartition& ranges = partitions_->ranges[w.range_partition];
      ranges.append(c, pi, {w.space, w.key}, oldest);
      s.due |= ranges.writes.due(oldest);
    };
    for (const auto& w : t.writes) write(w);
    for (const auto& w : t.index_writes) write(w);
  }
  if (pi < c) safe_.committed(c, pi, oldest);
}

bool Certifier::certify(SerializableTransaction& t, CommitStamp& c) {
  t.reads.finish();
  expect_ranges(t);
  const bool passes = t.writes.empty() && !t.reads.everything() ? certify_reader(t) : certify_section(t, c);
  std::atomic<uint64_t>& count = passes ? t.commits_ : t.failures_;
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return passes;
}

void Certifier::choose_slots(SerializableTransaction& t) {
  t.read_slots_.clear();
  t.written_slots_.clear();
  if (t.reads.points().size() > kManyPoints) {
    for (uint64_t hash : t.reads.points()) t.read_slots_.push_back(KeySlots::slot_of(hash));
    distinct_slots(t.read_slots_);
  }
  if (t.writes.size() + t.index_writes.size() > kManyWrites) {
    for (const auto* list : {&t.writes, &t.index_writes}) {
      for (const auto& w : *list) {
        t.written_slots_.push_back(KeySlots::slot_of(w.hash));
        if (w.key_changes) t.written_slots_.push_back(KeySlots::slot_of(key_part(w.hash)));
      }
    }
    distinct_slots(t.written_slots_);
  }
}

CommitStamp Certifier::take_stamp(uint64_t above, const Section& s) {
  for_each_bit(s.footprint.points, [&](uint32_t i) { above = std::max(above, partitions_->points[i].newest_stamp); });
  for_each_bit(s.footprint.ranges, [&](uint32_t i) { above = std::max(above, partitions_->ranges[i].newest_stamp); });
  const CommitStamp c = clock_.take(CommitStamp(above));
  for_each_bit(s.footprint.points, [&](uint32_t i) { partitions_->points[i].newest_stamp = c.value; });
  for_each_bit(s.footprint.ranges, [&](uint32_t i) { partitions_->ranges[i].newest_stamp = c.value; });
  return c;
}

bool Certifier::certify_section(SerializableTransaction& t, CommitStamp& c) {
  const bool writes = !t.writes.empty();
  choose_slots(t);
  std::unique_lock beside_prepared(prepared_mutex_, std::defer_lock);
  if (any_prepared(preparations_.load())) beside_prepared.lock();
  Section s;
  lock(t, s);
  if (!beside_prepared.owns_lock() &&
      any_prepared(preparations_.load())) {  // one has been prepared meanwhile, and may not have seen this
    s.footprint.unlock(*partitions_);
    beside_prepared.lock();
    s = {};
    lock(t, s);
  }
  const uint64_t pi = low_watermark(t);
  const uint64_t eta = high_watermark(t, s);
  if (mutated(Mutation::kNoCommitSection)) {
    s.footprint.unlock(*partitions_);
    pauses_.at(PausePoint::kCertified);
    for (int i = 0; i < 4; i++) std::this_thread::yield();
    lock(t, s);
  } else {
    pauses_.at(PausePoint::kCertified);
  }
  bool passes = pi > eta || mutated(Mutation::kNoExclusionTest);
  if (passes && beside_prepared.owns_lock()) passes = spares_prepared(t, pi, writes ? kInfinity : eta);
  if (passes) {
    uint64_t stamp = eta;  // of one that only reads: its place
    if (writes) {
      uint64_t above = eta;
      if (beside_prepared.owns_lock()) {  // who is overwritten by this one lies before it
        for (const SerializableTransaction* p : prepared_) above = std::max(above, p->prepared_eta_);
      }
      c = take_stamp(above, s);
      stamp = c.value;
    }
    if (beside_prepared.owns_lock()) tell_prepared(t, std::min(pi, stamp), stamp);
    leave_stamps(t, stamp, s);
    if (writes) leave_writes(t, stamp, std::min(pi, stamp), s);
  }
  bool waited_for = false;
  if (!t.read_only) {
    t.open_.store(SerializableTransaction::Open::kNo, std::memory_order_release);
    waited_for = waiting_.load(std::memory_order_relaxed) != 0;  // see wait_safe
    t.entered = false;
  }
  s.footprint.unlock(*partitions_);
  if (t.read_only) close(t);
  if (waited_for) ended_.notify_all();
  if (s.due) find_oldest();
  const size_t written = t.writes.size() + t.index_writes.size();
  if (written <= t.until_sample_) {
    t.until_sample_ -= static_cast<uint32_t>(written);
  } else if (passes) {
    take_samples(t);
  }
  return passes;
}

void Certifier::expect_ranges(const SerializableTransaction& t) {
  // An open scan that has not begun has no space.
  const auto unexpected = [this](const ReadSet::Range& r) { return r.space != 0 && !map_.scanned(r.space); };
  const auto lists = {&t.reads.ranges(), &t.reads.open_ranges()};
  if (std::none_of(lists.begin(), lists.end(),
                   [&](const auto* ranges) { return std::any_of(ranges->begin(), ranges->end(), unexpected); })) {
    return;
  }
  const Footprint all = Footprint::everything();
  find_oldest();
  all.lock(*partitions_);
  // Who has written in such a space since this one's snapshot is known by its points only: so all of them are taken together.
  uint64_t c = 0, pi = kInfinity;
  for (const PointPartition& p : partitions_->points) {
    c = std::max({c, p.newest_stamp, p.writes.forgotten_c()});
    pi = std::min(pi, p.least_pi_since(oldest()));
  }
  const auto tell = [&] {
    if (pi == kInfinity || mutated(Mutation::kForgetFences)) return;
    for (RangePartition& p : partitions_->ranges) {
      p.writes.trim(oldest());  // an old summary must not get the new one's stamp
      p.writes.summarise(c, pi);
      if (c > p.newest_write.load(std::memory_order_relaxed)) p.newest_write.store(c, std::memory_order_release);
    }
  };
  change_map(tell, [&] {
    for (const auto* ranges : lists) {
      for (const ReadSet::Range& r : *ranges) {
        if (unexpected(r)) map_.set_scanned(r.space);
      }
    }
  });
  all.unlock(*partitions_);
}

template <class Tell, class Change>
void Certifier::change_map(Tell tell, Change change) {
  const bool late = mutated(Mutation::kMapFirst);
  if (late) {
    change();
  } else {
    tell();
  }
  pauses_.at(PausePoint::kMapChanges);
  if (late) {
    tell();
  } else {
    change();
  }
}

void Certifier::take_samples(SerializableTransaction& t) {
  for (const auto* list : {&t.writes, &t.index_writes}) {
    size_t i = t.until_sample_;
    for (; i < list->size(); i += kSampleEvery) {
      const auto& w = (*list)[i];
      if (!map_.scanned(w.space)) continue;
      if (auto fences = map_.sample({w.space, w.key})) renew_fences(*fences);
    }
    t.until_sample_ = static_cast<uint32_t>(i - list->size());
  }
}

void Certifier::renew_fences(const RangeMap::Fences& fences) {
  const Footprint all{0, ~uint64_t{0}};
  const RangeMap::Fences* kept = map_.keep(fences);
  find_oldest();
  all.lock(*partitions_);
  // What was left in the old partitions is left in all of the new ones, as what it says at worst.
  uint64_t c = 0, pi = kInfinity, read = 0, newest = 0;
  for_each_bit(map_.partitions_of(fences.space), [&](uint32_t i) {
    RangePartition& p = partitions_->ranges[i];
    p.writes.trim(oldest());
    p.reads.trim(oldest());
    c = std::max(c, p.writes.forgotten_c());
    pi = std::min(pi, p.writes.any_forgotten_pi());
    for (uint64_t n = p.writes.first(); n < p.writes.end(); n++) {
      const RangePartition::Record& r = p.writes[n];
      if (r.key.space() != fences.space) continue;
      c = std::max(c, r.c);
      pi = std::min(pi, r.pi);
    }
    read = std::max(read, p.reads.greatest(fences.space));
    newest = std::max(newest, p.newest_stamp);
  });
  const auto tell = [&] {
    for_each_bit(RangeMap::partitions_with_fences(fences.space), [&](uint32_t i) {
      RangePartition& p = partitions_->ranges[i];
      p.newest_stamp = std::max(p.newest_stamp, newest);
      if (mutated(Mutation::kForgetFences)) return;
      if (c != 0) p.writes.summarise(c, pi);
      if (c > p.newest_write.load(std::memory_order_relaxed)) p.newest_write.store(c, std::memory_order_release);
      if (read != 0) p.raise(fences.space, {{}, {}, true}, read, oldest());
    });
  };
  change_map(tell, [&] { map_.install(kept); });
  all.unlock(*partitions_);
}

// ---- who only reads

uint64_t Certifier::read_points(const SerializableTransaction& t, uint64_t place, bool raise) {
  uint64_t pi = kInfinity;
  const bool unlocked = raise && place == t.snapshot;
  const bool late = mutated(Mutation::kReadersLookFirst);
  if (unlocked && !late) {
    for (uint64_t hash : t.reads.points()) (*slots_)[hash].raise_to_place(place);
    pauses_.at(PausePoint::kReaderPosted);
  }
  for (uint64_t hash : t.reads.points()) {
    KeySlot& slot = (*slots_)[hash];
    PointPartition& p = point(hash);
    // held() first: who has let it go has stored `written`.
    if (!(raise && !unlocked) && !(unlocked && p.lock.held()) &&
        slot.written.load(std::memory_order_acquire) <= t.snapshot)
      continue;
    std::lock_guard lock(p.lock);
    if (raise && !unlocked) slot.raise_to_place(place);
    pi = std::min(pi, p.least_pi(slot, hash, t.snapshot));
  }
  if (unlocked && late) {
    pauses_.at(PausePoint::kReaderPosted);
    for (uint64_t hash : t.reads.points()) (*slots_)[hash].raise_to_place(place);
  }
  return pi;
}

uint64_t Certifier::read_range(const SerializableTransaction& t, const ReadSet::Range& range, uint64_t place,
                               bool raise, bool& due) {
  uint64_t pi = kInfinity;
  if (raise) map_.read(range.space, place);
  for (bool again = true; again;) {
    again = false;
    const uint64_t version = map_.version();
    for_each_bit(map_.partitions_of(range.space, range.interval), [&](uint32_t i) {
      RangePartition& p = partitions_->ranges[i];
      if (again || (!raise && p.newest_write.load(std::memory_order_acquire) <= t.snapshot)) return;
      std::lock_guard lock(p.lock);
      again = map_.version() != version;
      if (again) return;
      pi = std::min(pi, p.least_pi(range.space, range.interval, t.snapshot));
      if (!raise) return;
      p.raise(range.space, range.interval, place, oldest());
      due |= p.reads.due(oldest());
    });
  }
  return pi;
}

bool Certifier::known_to_all(SerializableTransaction& t, uint64_t place) {
  // acquire: what those have left who had older snapshots, and are no more, is seen
  if (oldest_.load(std::memory_order_acquire) >= place) return true;
  if (place > clock_.stable().value) return false;
  if (known_count_.load(std::memory_order_relaxed) <= kFewKnown) return !writer_below(place);
  if (++t.looks_ % kLookEvery != 0) return false;
  find_oldest();
  return oldest_.load(std::memory_order_acquire) >= place;
}

bool Certifier::certify_reader(SerializableTransaction& t) {
  bool due = false;
  uint64_t place = 0;
  const uint64_t before = preparations_.load();
  pauses_.at(PausePoint::kReaderCertifies);
  const bool ignored = mutated(Mutation::kIgnorePrepared);
  bool passes = (any_prepared(before) && !ignored) || look_back(t, place, due);
  pauses_.at(PausePoint::kReaderLooked);
  // One that was prepared meanwhile may not have seen its stamps, and may have committed without a look at them.
  if ((any_prepared(before) || preparations_.load() != before) && !ignored) {
    const std::lock_guard lock(prepared_mutex_);
    passes = look_back(t, place, due) && spares_prepared(t, kInfinity, place);
    if (passes) tell_prepared(t, kInfinity, place);
  }
  close(t);
  if (due) find_oldest();
  return passes;
}

bool Certifier::look_back(SerializableTransaction& t, uint64_t& place, bool& due) {
  uint64_t eta = start(t);
  for (uint64_t hash : t.reads.key_parts()) {
    std::lock_guard lock(point(hash).lock);
    eta = std::max(eta, point(hash).newest((*slots_)[hash], hash, t.snapshot));
  }
  // A transaction with its place in its own snapshot needs no stamp to know it.
  place = std::max(t.snapshot, eta);
  const bool known = known_to_all(t, place);
  uint64_t pi = std::min(t.pi, read_points(t, place, !known));
  auto point_above = [&](uint64_t hash, uint64_t since) {
    KeySlot& slot = (*slots_)[hash];
    std::lock_guard lock(point(hash).lock);
    if (!known) slot.raise_to_place(place);
    return since == kInfinity ? kInfinity : point(hash).least_pi(slot, hash, since);
  };
  for (const ReadSet::Newer& n : t.reads.newer()) pi = std::min(pi, point_above(n.hash, n.stamp));
  if (!known) {
    for (uint64_t hash : t.reads.key_parts()) point_above(hash, kInfinity);
  }
  for (const ReadSet::Range& r : t.reads.ranges()) pi = std::min(pi, read_range(t, r, place, !known, due));
  return pi > eta || mutated(Mutation::kNoExclusionTest);
}

}  // namespace indigo::storage
