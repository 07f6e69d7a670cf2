#include "storage/table/stale_entry.h"

#include <algorithm>

namespace indigo::storage {

namespace {
constexpr size_t kBytesPerRound = 256 << 10;  // of images copied before their keys are computed
}

bool StaleEntry::examined(const Name& name) const {
  return std::find(examined_.begin(), examined_.end(), name) != examined_.end();
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
  bool more = true;
  if (m.state() != RecordState::kClear) {
    const auto* p = reinterpret_cast<const PendingVersion*>(m.predecessor);
    const uint64_t transaction = p->owner->transaction().value;
    seen.pending = p;
    seen.top = p->top.load(std::memory_order_acquire);  // pairs with push
    for (const PendingEntry* e = seen.top; e != nullptr && more; e = e->below) {
      if (e->tombstone) continue;
      more = visit(Name{0, transaction, reinterpret_cast<uint64_t>(e)}, e->overflow != nullptr ? e->overflow->bytes()
                                                                        : e->in_leaf           ? body()
                                                                                               : e->image);
    }
    chain = p->base_predecessor.load(std::memory_order_acquire);
  }
  // The body is an image unless the record is, for everyone, a tombstone.
  if (more && m.visible()) more = visit(Name{m.stamp, 0, 0}, body());
  for (auto* v = reinterpret_cast<const SnapshotVersion*>(chain); v != nullptr && more;
       v = v->next.load(std::memory_order_acquire)) {
    if (!v->tombstone) more = visit(Name{v->start, 0, 0}, v->image());
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
    const uint64_t epoch = epochs.current();
    const bool whole = walk(primary_key, &in_leaf_, witness_, [&](const Name& name, Bytes image) {
      if (examined(name)) return true;
      copied_.push_back({name, images_.size(), image.size()});
      images_.append(image);
      return images_.size() < kBytesPerRound;
    });
    witness_.epoch = epoch;
    if (whole) return !copied_.empty();
  }
}

StaleEntry::Verdict StaleEntry::look(const TableIndex& index, Bytes key, Bytes primary_key) {
  const KeyView k(primary_key);
  while (copy_new(k)) {
    for (const Copied& version : copied_) {
      bool has_null;
      const auto outcome = index.extractor->extract(primary_key, Bytes(images_).substr(version.begin, version.length),
                                                    computed_, has_null);
      if (outcome == KeyExtractor::Outcome::kError) return Verdict::kNeeded;
      if (outcome == KeyExtractor::Outcome::kKey && index.has_key(computed_, key)) return Verdict::kNeeded;
      examined_.push_back(version.name);
    }
  }
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
    const bool whole = walk(k, nullptr, now, [&](const Name& name, Bytes) { return known = examined(name); });
    if (!known) return false;
    if (whole) return true;
  }
}

}  // namespace indigo::storage
