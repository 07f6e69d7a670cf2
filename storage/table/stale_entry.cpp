#include "storage/table/stale_entry.h"

#include <absl/hash/hash.h>

namespace indigo::storage {

namespace {
constexpr size_t kBytesPerRound = 256 << 10;  // of images copied before their keys are computed
constexpr size_t kBytesPerPassed = 16;        // more, for each version that a round only passes on its way
}  // namespace

void StaleEntry::forget() {
  index_ = nullptr;
  examined_.clear();
  keys_.clear();
  unknown_ = complete_ = false;
}

template <class Visit>
bool StaleEntry::walk(const KeyView& primary_key, std::string* in_leaf, Witness& seen, Visit visit) const {
  const Tree& tree = table_.tree();
  seen = {};
  Leaf* leaf = tree.find_leaf(primary_key, seen.version);
  if (!tree.foreign(leaf)) seen.leaf = leaf;
  bool equal;
  const size_t i = leaf->lower_bound(primary_key, leaf->status().count, equal);
  if (!equal) return leaf->latch.validate(seen.version);
  const RecordMeta m = table_.own_meta(leaf, i);
  if (in_leaf != nullptr && !copy_payload(leaf, m, *in_leaf)) return false;
  if (!leaf->latch.validate(seen.version)) return false;
  auto body = [&]() -> Bytes {
    if (in_leaf == nullptr) return {};
    return m.overflow() ? load_unaligned<OverflowBody*>(in_leaf->data())->bytes() : Bytes(*in_leaf);
  };

  uint64_t chain = m.predecessor;
  Next next = Next::kOlder;
  if (m.state() != RecordState::kClear) {
    const auto* p = reinterpret_cast<const PendingVersion*>(m.predecessor);
    if (p != own_) {
      const uint64_t transaction = p->owner->transaction().value;
      seen.pending = p;
      seen.top = p->top.load(std::memory_order_acquire);  // pairs with push
      for (const PendingEntry* e = seen.top; e != nullptr && next == Next::kOlder; e = e->below) {
        if (e->tombstone) continue;
        next = visit(Name{0, transaction, reinterpret_cast<uint64_t>(e)}, e->overflow != nullptr ? e->overflow->bytes()
                                                                          : e->in_leaf           ? body()
                                                                                                 : e->image);
      }
    }
    chain = p->base_predecessor.load(std::memory_order_acquire);
  }
  if (next == Next::kNoOlder) next = Next::kOlder;  // of the pending ones
  // The body is an image unless the record is, for everyone, a tombstone.
  if (next == Next::kOlder && m.visible()) next = visit(Name{m.stamp, 0, 0}, body());
  for (auto* v = reinterpret_cast<const SnapshotVersion*>(chain); v != nullptr && next == Next::kOlder;
       v = v->next.load(std::memory_order_acquire)) {
    if (!v->tombstone) next = visit(Name{v->start, 0, 0}, v->image());
  }
  // A version that went from one place to another meanwhile may have been missed.
  return leaf->latch.validate(seen.version);
}

bool StaleEntry::copy_new(const KeyView& primary_key) {
  EpochManager& epochs = table_.store().epochs();
  EpochManager::Guard guard(epochs);
  for (;;) {
    copied_.clear();
    images_.clear();
    cut_ = false;
    size_t bytes = kBytesPerRound;
    const uint64_t epoch = epochs.current();
    const bool whole = walk(primary_key, &in_leaf_, witness_, [&](const Name& name, Bytes image) {
      if (examined_.contains(name)) {
        bytes += kBytesPerPassed;
        return complete_ ? Next::kNoOlder : Next::kOlder;
      }
      copied_.push_back({name, images_.size(), image.size()});
      images_.append(image);
      cut_ = images_.size() >= bytes;
      return cut_ ? Next::kStop : Next::kOlder;
    });
    witness_.epoch = epoch;
    if (whole) return !copied_.empty();
  }
}

void StaleEntry::compute(const TableIndex& index, Bytes primary_key, const Copied& version) {
  bool has_null;
  const auto outcome =
      index.extractor->extract(primary_key, Bytes(images_).substr(version.begin, version.length), computed_, has_null);
  if (outcome == KeyExtractor::Outcome::kError) unknown_ = true;
  if (outcome == KeyExtractor::Outcome::kKey) {
    index.for_each_key(computed_, [&](Bytes key) {
      keys_.insert(absl::HashOf(key));
      return true;
    });
  }
  examined_.insert(version.name);
}

StaleEntry::Verdict StaleEntry::look(const TableIndex& index, Bytes key, Bytes primary_key) {
  if (index_ != &index || primary_key_ != primary_key) {
    forget();
    index_ = &index;
    primary_key_.assign(primary_key);
  }
  const KeyView k(primary_key);
  const uint64_t hash = absl::HashOf(key);
  for (;;) {
    if (unknown_ || keys_.contains(hash)) return Verdict::kNeeded;
    if (!copy_new(k)) break;
    for (const Copied& version : copied_) compute(index, primary_key, version);
    complete_ = !cut_;
  }
  complete_ = true;
  return Verdict::kStale;
}

bool StaleEntry::still_stale(Bytes primary_key) const {
  EpochManager& epochs = table_.store().epochs();
  EpochManager::Guard guard(epochs);
  // Read inside the guard: while it is still the epoch in which the leaf was found, nothing that was in use then is gone.
  if (witness_.leaf != nullptr && epochs.current() == witness_.epoch &&
      witness_.leaf->latch.validate(witness_.version) &&
      (witness_.pending == nullptr || witness_.pending->top.load(std::memory_order_acquire) == witness_.top)) {
    return true;
  }
  const KeyView k(primary_key);
  for (;;) {
    Witness now;
    bool known = true;
    const bool whole = walk(k, nullptr, now, [&](const Name& name, Bytes) {
      known = examined_.contains(name);
      return known ? Next::kNoOlder : Next::kStop;
    });
    if (!known) return false;
    if (whole) return true;
  }
}

}  // namespace indigo::storage
