// Reading of HydralistIndex: the way to a node, look-ups and scans.
#include <algorithm>
#include <deque>
#include <vector>

#include "base/mutation.h"
#include "storage/index/hash_index.h"
#include "storage/index/hydralist/anchor_key.h"
#include "storage/index/hydralist/hydralist_index.h"

namespace indigo::storage {

// ---- the way to a node

const SearchLayer& HydralistIndex::own_layer() const { return *layers_[thread_shard() % layers_.size()]; }

[[gnu::always_inline]] inline DataNode* HydralistIndex::jump_node(Toward toward, const EntryKey& place) const {
  if (toward == Toward::kFirst) return first_;
  DataNode* found = nullptr;
  if (toward == Toward::kLast) {
    found = own_layer().last();
  } else {
    const AnchorKey key(place);
    found = own_layer().floor(place, key.bytes());
  }
  if (found == nullptr) return first_;
  found->prefetch();
  return found;
}

// To the first node or the last one.
HydralistIndex::Target HydralistIndex::walk_to_end(DataNode* node, Toward toward) const {
  for (;;) {
    const uint64_t version = node->latch.read_begin();
    if (node->deleted() && !mutated(Mutation::kReadDeleted)) {
      node = node->prev();
      continue;
    }
    DataNode* const next = node->next();
    if (!node->latch.validate(version)) continue;
    if (next == nullptr || toward == Toward::kFirst) return {node, version, next, false};
    next->prefetch();
    node = next;
  }
}

// `kBefore`: to the node of what is before the place.
template <bool kBefore>
[[gnu::always_inline]] inline HydralistIndex::Target HydralistIndex::walk_near(DataNode* node,
                                                                               const EntryKey& place) const {
  // Does the place come before everything in that node?
  const auto lies_before = [&place](const DataNode& n) {
    const int compared = compare_places(place, n.anchor());
    return kBefore ? compared <= 0 : compared < 0;
  };
  for (;;) {
    const uint64_t version = node->latch.read_begin();
    const DataNode::Range range = node->range();
    if (!node->latch.validate(version)) continue;
    const auto [own, right] = node->sides(range, place.key);
    if ((range.shape.deleted != 0 && !mutated(Mutation::kReadDeleted)) ||
        (own <= 0 && node != first_ && (own < 0 || lies_before(*node)))) {
      node = node->prev();
      continue;
    }
    if (right >= 0 && (right > 0 || !lies_before(*range.next))) {
      node = range.next;
      node->prefetch();
      continue;
    }
    return {node, version, range.next, right < 0};
  }
}

HydralistIndex::Target HydralistIndex::walk(DataNode* node, Toward toward, const EntryKey& place) const {
  if (toward == Toward::kAt) return walk_near<false>(node, place);
  if (toward == Toward::kBefore) return walk_near<true>(node, place);
  return walk_to_end(node, toward);
}

HydralistIndex::Target HydralistIndex::find(Toward toward, const EntryKey& place) const {
  return walk(jump_node(toward, place), toward, place);
}

// ---- points

size_t HydralistIndex::lookup_from(DataNode* node, Bytes key, uint8_t print,
                                   std::vector<std::string>& primary_keys) const {
  const EntryKey begin{key, {}};
  EntryKey place = begin;
  size_t count = 0;
  for (;;) {
    const Target target = mutated(Mutation::kNoWalk) ? Target{node, node->latch.read_begin(), nullptr, true}
                                                     : walk_near<false>(node, place);
    node = target.node;
    const size_t before = count;
    if (!node->read_key(key, print, target.version, primary_keys, count)) continue;
    // Entries before the place were read in the node that had them before a merge.
    if (place.primary_key.data() != nullptr) {
      const Bytes from = place.primary_key;
      const auto first = primary_keys.begin() + static_cast<ptrdiff_t>(before);
      const auto last = primary_keys.begin() + static_cast<ptrdiff_t>(count);
      count = before + static_cast<size_t>(
                           std::stable_partition(first, last, [&](const std::string& p) { return p >= from; }) - first);
    }
    if (count - before > 1) {
      std::sort(primary_keys.begin() + static_cast<ptrdiff_t>(before),
                primary_keys.begin() + static_cast<ptrdiff_t>(count));
    }
    if (target.ends || target.next->anchor().key != key) return count;
    place = target.next->anchor();
    node = target.next;
  }
}

size_t HydralistIndex::lookup(Bytes key, std::vector<std::string>& primary_keys) {
  EpochManager::Guard guard(epochs_);
  DataNode* const node = jump_node(Toward::kAt, {key, {}});
  return lookup_from(node, key, Fingerprints::of(key), primary_keys);
}

// The search layers of a batch are asked first, then the fingerprints, so that the misses of its nodes and entries overlap.
void HydralistIndex::lookup_many(std::span<const Bytes> keys, IndexMatches& out) {
  constexpr size_t kAtOnce = 16;
  std::array<DataNode*, kAtOnce> nodes;
  std::array<uint8_t, kAtOnce> prints;
  std::vector<std::string> found;
  out.ends.clear();
  for (size_t begin = 0; begin < keys.size(); begin += kAtOnce) {
    const size_t n = std::min(kAtOnce, keys.size() - begin);
    EpochManager::Guard guard(epochs_);
    for (size_t i = 0; i < n; i++) {
      nodes[i] = jump_node(Toward::kAt, {keys[begin + i], {}});
      prints[i] = Fingerprints::of(keys[begin + i]);
    }
    for (size_t i = 0; i < n; i++) nodes[i]->prefetch_key(prints[i]);
    for (size_t i = 0; i < n; i++) {
      const uint32_t first = out.count();
      const auto count = static_cast<uint32_t>(lookup_from(nodes[i], keys[begin + i], prints[i], found));
      for (uint32_t k = 0; k < count; k++) out.at(first + k).assign(found[k]);
      out.ends.push_back(first + count);
    }
  }
}

// ---- ranges

// Keeps the place where it continues: before the entry or anchor `from`, which is exclusive backward.
class HydralistScan final : public IndexScan {
 public:
  HydralistScan(const HydralistIndex& index, const KeyRange& range, Direction direction) : index_(index) {
    rebind(range, direction);
  }

  void rebind(const KeyRange& range, Direction direction) override {
    direction_ = direction;
    low_ = range.low;
    high_ = range.high;
    // All entries of a key lie between (key, "") and the key with a zero byte behind it.
    if (range.has_low && !range.low_inclusive) low_.push_back('\0');
    if (range.has_high && range.high_inclusive) high_.push_back('\0');
    has_low_ = range.has_low;
    has_high_ = range.has_high;
    const bool forward = direction == Direction::kForward;
    bounded_ = forward ? has_low_ : has_high_;
    key_ = forward ? low_ : high_;
    primary_key_.clear();
    done_ = has_low_ && has_high_ && !(low_ < high_);
    point_ = forward && is_one_key(range);
    if (point_) print_ = Fingerprints::of(low_);
    found_ = handed_out_ = 0;
  }

  std::span<const IndexEntry> next(size_t max_entries) override {
    entries_.clear();
    size_t used = 0;
    if (point_ && handed_out_ < found_) return hand_out(max_entries);
    EpochManager::Guard guard(index_.epochs_);
    DataNode* node = nullptr;
    if (point_) {
      while (!done_ && handed_out_ == found_) read_point(node);
      return hand_out(max_entries);
    }
    while (!done_ && entries_.size() < std::max<size_t>(max_entries, 1)) {
      if (used == copies_.size()) copies_.emplace_back();
      read_node(node, copies_[used], std::max<size_t>(max_entries, 1) - entries_.size());
      used++;
    }
    return entries_;
  }

 private:
  using Toward = HydralistIndex::Toward;

  // Appends what one node has, and moves the place behind it.
  void read_node(DataNode*& node, DataNode::Copy& copy, size_t max) {
    const bool forward = direction_ == Direction::kForward;
    const Toward toward =
        forward ? (bounded_ ? Toward::kAt : Toward::kFirst) : (bounded_ ? Toward::kBefore : Toward::kLast);
    const EntryKey place{key_, primary_key_};
    HydralistIndex::Target target;
    do {
      target = node == nullptr ? index_.find(toward, place) : index_.walk(node, toward, place);
      node = target.node;
      node->prefetch_entries();
      index_.pauses_.at(PausePoint::kReadLeaf);
    } while (!node->copy(target.version, copy));
    // What comes next is on its way while this is looked at, if this is not enough.
    if (forward && target.next != nullptr && copy.count() < max) target.next->prefetch_entries();
    uint32_t first = 0, end = copy.count();
    if (forward) {
      if (bounded_) first = copy.lower_bound(place);
      if (has_high_) end = std::max(first, copy.lower_bound({high_, {}}));
    } else {
      if (bounded_) end = copy.lower_bound(place);
      if (has_low_) first = std::min(end, copy.lower_bound({low_, {}}));
    }
    const auto taken = static_cast<uint32_t>(std::min<size_t>(max, end - first));
    for (uint32_t i = 0; i < taken; i++) {
      const EntryKey entry = copy.at(forward ? first + i : end - 1 - i);
      entries_.push_back({entry.key, entry.primary_key});
    }
    if (taken < end - first) {
      move_to({entries_.back().key, entries_.back().primary_key});
      if (forward) primary_key_.push_back('\0');  // the least place behind it
      return;
    }
    if (forward) {
      done_ = end < copy.count() || target.next == nullptr;
      if (done_) return;
      move_to(target.next->anchor());
      done_ = has_high_ && !(key_ < high_);
      node = target.next;
    } else {
      done_ = first > 0 || node == index_.first_;
      if (done_) return;
      move_to(node->anchor());
      done_ = has_low_ && !(EntryKey{low_, {}} < EntryKey{key_, primary_key_});
      node = node->prev();
    }
  }

  // What one node has of the only key, without its other entries, and moves the place behind it.
  void read_point(DataNode*& node) {
    const EntryKey place{key_, primary_key_};
    HydralistIndex::Target target;
    do {
      target = node == nullptr ? index_.find(Toward::kAt, place) : index_.walk(node, Toward::kAt, place);
      node = target.node;
      index_.pauses_.at(PausePoint::kReadLeaf);
      found_ = 0;
    } while (!node->read_key(low_, print_, target.version, primary_keys_, found_));
    handed_out_ = 0;
    // Entries before the place were read in the node that had them before a merge.
    const auto begin = primary_keys_.begin();
    found_ = static_cast<size_t>(std::remove_if(begin, begin + static_cast<ptrdiff_t>(found_),
                                                [&](const std::string& p) { return p < primary_key_; }) -
                                 begin);
    std::sort(begin, begin + static_cast<ptrdiff_t>(found_));
    node = target.next;
    done_ = target.ends || node->anchor().key != low_;
    if (!done_) move_to(node->anchor());
  }
  std::span<const IndexEntry> hand_out(size_t max_entries) {
    const size_t end = std::min(found_, handed_out_ + std::max<size_t>(max_entries, 1));
    for (; handed_out_ < end; handed_out_++) entries_.push_back({low_, primary_keys_[handed_out_]});
    return entries_;
  }

  void move_to(const EntryKey& place) {
    key_.assign(place.key);
    primary_key_.assign(place.primary_key);
    bounded_ = true;
  }

  const HydralistIndex& index_;
  std::string low_, high_;  // inclusive, exclusive
  bool has_low_ = false, has_high_ = false;
  Direction direction_ = Direction::kForward;
  bool bounded_ = false, done_ = false;  // not bounded: the place is the index's end
  std::string key_, primary_key_;        // the place
  bool point_ = false;                   // the range is one key, forward
  uint8_t print_ = 0;                    // its fingerprint
  size_t found_ = 0, handed_out_ = 0;    // of primary_keys_
  std::vector<std::string> primary_keys_;
  std::deque<DataNode::Copy> copies_;  // what entries_ name
  std::vector<IndexEntry> entries_;
};

std::unique_ptr<IndexScan> HydralistIndex::scan(const KeyRange& range, Direction direction) {
  return std::make_unique<HydralistScan>(*this, range, direction);
}

}  // namespace indigo::storage
