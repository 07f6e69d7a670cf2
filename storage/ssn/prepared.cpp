// Serializable transactions that are prepared. Their commit may not fail any more, so who would make it fail does instead.
//
// A prepared P stays open, like one that takes long, but its window is kept up to date: prepared_pi_ and prepared_eta_ are what
// its test would find at this moment, and pi > eta. Everybody else's section looks whether it has something in common with P:
//   - T overwrites what P has read: pi(P) sinks to pi(T)
//   - T reads what P has written and not yet committed: eta(P) rises to T's stamp or place
// and T fails if P's window would close by that. While there is one that is prepared, sections come one after the other; prepare()
// is counted before its own section, so that of it and any other section that it has a partition in common with, one is behind and
// knows of the other.
// Two that are prepared may commit in any order: so who has anything in common with one that is prepared cannot be.
#include <algorithm>

#include "base/mutation.h"
#include "storage/ssn/certifier.h"

namespace indigo::storage {

namespace {

bool in_order_has(const std::vector<uint64_t>& hashes, uint64_t hash) {
  return std::binary_search(hashes.begin(), hashes.end(), hash);
}

// Is something of `writes` among what was read? `reads` is finished.
bool meet(const ReadSet& reads, const SerializableTransaction& writer) {
  if (writer.writes.empty()) return false;
  if (reads.everything()) return true;
  const bool in_order = std::is_sorted(reads.points().begin(), reads.points().end());
  const auto is_read = [&](const SerializableTransaction::Write& w) {
    const bool point = in_order
                           ? in_order_has(reads.points(), w.hash)
                           : std::find(reads.points().begin(), reads.points().end(), w.hash) != reads.points().end();
    if (point) return true;
    for (const ReadSet::Newer& n : reads.newer()) {
      if (n.hash == w.hash) return true;
    }
    if (w.key_changes) {
      const auto& parts = reads.key_parts();
      if (std::find(parts.begin(), parts.end(), key_part(w.hash)) != parts.end()) return true;
    }
    return std::any_of(reads.ranges().begin(), reads.ranges().end(),
                       [&](const ReadSet::Range& r) { return r.space == w.space && r.interval.contains(w.key); });
  };
  return std::any_of(writer.writes.begin(), writer.writes.end(), is_read) ||
         std::any_of(writer.index_writes.begin(), writer.index_writes.end(), is_read);
}

}  // namespace

bool Certifier::spares_prepared(const SerializableTransaction& t, uint64_t pi, uint64_t place) const {
  return std::all_of(prepared_.begin(), prepared_.end(), [&](const SerializableTransaction* p) {
    if (mutated(Mutation::kIgnorePrepared)) return true;
    const uint64_t low = meet(p->reads, t) ? std::min(p->prepared_pi_, pi) : p->prepared_pi_;
    // A writer's stamp is above everything that is known, but when nobody at all has overwritten what P has read but itself.
    if (meet(t.reads, *p)) return low > place || (low == kInfinity && !meet(p->reads, t));
    return low > p->prepared_eta_;
  });
}

void Certifier::tell_prepared(const SerializableTransaction& t, uint64_t pi, uint64_t place) {
  for (SerializableTransaction* p : prepared_) {
    if (meet(p->reads, t)) p->prepared_pi_ = std::min(p->prepared_pi_, pi);
    if (meet(t.reads, *p)) p->prepared_eta_ = std::max(p->prepared_eta_, place);
  }
}

void Certifier::forget_prepared(SerializableTransaction& t) {
  std::erase(prepared_, &t);
  preparations_.fetch_sub(1);
  t.prepared_ = false;
}

bool Certifier::prepare(SerializableTransaction& t, bool again) {
  t.reads.finish();
  expect_ranges(t);
  choose_slots(t);
  preparations_.fetch_add(kOnePreparation);  // others' sections are behind this one and see that, or this one sees them
  const std::lock_guard lock(prepared_mutex_);
  Section s;
  this->lock(t, s);
  t.prepared_pi_ = low_watermark(t);
  t.prepared_eta_ = high_watermark(t, s);
  if (again) {  // what was known of it is lost: somebody may have overwritten what it has read, before anything that is seen now
    t.prepared_eta_ = 0;
    t.prepared_pi_ = 1;
    t.open_.store(SerializableTransaction::Open::kRestored);
  }
  s.footprint.unlock(*partitions_);
  const bool alone = std::none_of(prepared_.begin(), prepared_.end(), [&](const SerializableTransaction* p) {
    return meet(p->reads, t) || meet(t.reads, *p);
  });
  const bool passes = again || ((t.prepared_pi_ > t.prepared_eta_ || mutated(Mutation::kNoExclusionTest)) && alone);
  if (passes) {
    prepared_.push_back(&t);
    t.prepared_ = true;
  } else {
    preparations_.fetch_sub(1);
  }
  std::atomic<uint64_t>& failures = t.failures_;
  if (!passes) failures.store(failures.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return passes;
}

CommitStamp Certifier::commit_prepared(SerializableTransaction& t) {
  const std::lock_guard lock(prepared_mutex_);
  Section s;
  this->lock(t, s);
  const CommitStamp c = take_stamp(t.prepared_eta_, s);
  leave_stamps(t, c.value, s);
  leave_writes(t, c.value, std::min(t.prepared_pi_, c.value), s);
  t.open_.store(SerializableTransaction::Open::kNo, std::memory_order_release);
  t.entered = false;
  forget_prepared(t);
  s.footprint.unlock(*partitions_);
  if (waiting_.load() != 0) ended_.notify_all();
  if (s.due) find_oldest();
  t.commits_.store(t.commits_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return c;
}

}  // namespace indigo::storage
