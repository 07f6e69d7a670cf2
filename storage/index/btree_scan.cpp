// Reading of BtreeIndex: batches from one leaf at a time, each found by a descent of its own.
#include <algorithm>

#include "storage/index/btree_index.h"

namespace indigo::storage {
namespace {

// The least place after every entry whose secondary key is `key`.
void set_after_key(BtreePlace& place, Bytes key) {
  place.set({key, {}});
  place.key.push_back('\0');
}

void set_before_key(BtreePlace& place, Bytes key) { place.set({key, {}}); }

EntryKey last_entry(const BtreeNode::Batch& batch) {
  size_t end = 0;
  for (BtreeNode::Lengths lengths : batch.lengths) end += size_t{lengths.key} + lengths.primary_key;
  BtreeNode::Lengths last = batch.lengths.back();
  Bytes entry = Bytes(batch.bytes).substr(0, end).substr(end - last.key - last.primary_key);
  return {entry.substr(0, last.key), entry.substr(last.key)};
}

class BtreeScan final : public IndexScan {
 public:
  BtreeScan(const BtreeIndex& index, const KeyRange& range, Direction direction) : index_(index) {
    rebind(range, direction);
  }

  void rebind(const KeyRange& range, Direction direction) override {
    direction_ = direction;
    BtreePlace& low = direction == Direction::kForward ? from_ : end_;
    BtreePlace& high = direction == Direction::kForward ? end_ : from_;
    low.unbounded = !range.has_low;
    high.unbounded = !range.has_high;
    if (range.has_low) range.low_inclusive ? set_before_key(low, range.low) : set_after_key(low, range.low);
    if (range.has_high) range.high_inclusive ? set_after_key(high, range.high) : set_before_key(high, range.high);
    done_ = range.has_low && range.has_high && high.at() < low.at();
  }

  std::span<const IndexEntry> next(size_t max_entries) override {
    entries_.clear();
    while (!done_ && entries_.empty()) {
      done_ = direction_ == Direction::kForward
                  ? !index_.read_forward(from_, end_, std::max<size_t>(max_entries, 1), batch_)
                  : !index_.read_backward(from_, end_, std::max<size_t>(max_entries, 1), batch_);
      const char* at = batch_.bytes.data();
      for (BtreeNode::Lengths lengths : batch_.lengths) {
        entries_.push_back({{at, lengths.key}, {at + lengths.key, lengths.primary_key}});
        at += size_t{lengths.key} + lengths.primary_key;
      }
    }
    return entries_;
  }

 private:
  const BtreeIndex& index_;
  BtreePlace from_, end_;
  Direction direction_ = Direction::kForward;
  bool done_ = false;
  BtreeNode::Batch batch_;
  std::vector<IndexEntry> entries_;
};

}  // namespace

bool BtreeIndex::read_forward(BtreePlace& from, const BtreePlace& end, size_t max, BtreeNode::Batch& batch) const {
  EpochManager::Guard guard(epochs_);
  Path path;
  BtreePlace fence;
  for (;;) {
    descend(from.unbounded ? Toward::kFirst : Toward::kAt, from.at(), 0, path);
    const BtreeNode& leaf = *path.last().node;
    uint64_t version = path.last().version;
    uint32_t count = leaf.count();
    uint32_t first = from.unbounded ? 0 : leaf.lower_bound(from.at()).position;
    uint32_t stop = end.unbounded ? count : std::max(first, leaf.lower_bound(end.at()).position);
    auto taken = static_cast<uint32_t>(std::min<size_t>(max, stop - first));
    leaf.read_many(first, taken, false, batch);
    if (!leaf.latch.validate(version)) continue;
    bool more = true;
    bool to_next_leaf = false;
    if (first + taken == stop) {
      more = stop == count;
      if (more) {
        bool valid;
        more = to_next_leaf = upper_fence(path, fence, &valid);
        if (!valid) continue;
      }
    }
    if (to_next_leaf) {
      std::swap(from, fence);
      more = end.unbounded || from.at() < end.at();
    } else if (more) {
      from.set(last_entry(batch));
      from.primary_key.push_back('\0');  // the least place behind it
    }
    return more;
  }
}

bool BtreeIndex::read_backward(BtreePlace& from, const BtreePlace& end, size_t max, BtreeNode::Batch& batch) const {
  EpochManager::Guard guard(epochs_);
  Path path;
  BtreePlace fence;
  for (;;) {
    descend(from.unbounded ? Toward::kLast : Toward::kBefore, from.at(), 0, path);
    const BtreeNode& leaf = *path.last().node;
    uint64_t version = path.last().version;
    uint32_t first = from.unbounded ? leaf.count() : leaf.lower_bound(from.at()).position;  // all before it
    uint32_t stop = end.unbounded ? 0 : std::min(first, leaf.lower_bound(end.at()).position);
    auto taken = static_cast<uint32_t>(std::min<size_t>(max, first - stop));
    leaf.read_many(first - 1, taken, true, batch);
    if (!leaf.latch.validate(version)) continue;
    bool more = true;
    bool to_next_leaf = false;
    if (first - taken == stop) {
      more = stop == 0;
      if (more) {
        bool valid;
        more = to_next_leaf = lower_fence(path, fence, &valid);
        if (!valid) continue;
      }
    }
    if (to_next_leaf) {
      std::swap(from, fence);
      more = end.unbounded || end.at() < from.at();
    } else if (more) {
      from.set(last_entry(batch));
    }
    return more;
  }
}

std::unique_ptr<IndexScan> BtreeIndex::scan(const KeyRange& range, Direction direction) {
  return std::make_unique<BtreeScan>(*this, range, direction);
}

size_t BtreeIndex::lookup(Bytes key, std::vector<std::string>& primary_keys) {
  auto next_string = [&](size_t i) -> std::string& {
    return i < primary_keys.size() ? primary_keys[i] : primary_keys.emplace_back();
  };
  // Nearly always all entries of the key are in one leaf, which also says so: another key follows there.
  {
    EpochManager::Guard guard(epochs_);
    Path path;
    for (;;) {
      descend(Toward::kAt, {key, {}}, 0, path);
      const BtreeNode& leaf = *path.last().node;
      uint32_t count = leaf.count();
      uint32_t first = leaf.lower_bound({key, {}}).position;
      uint32_t at = first;
      for (; at < count && leaf.has_key(at, key); at++) leaf.read_primary(at, next_string(at - first));
      if (!leaf.latch.validate(path.last().version)) continue;
      if (at < count) return at - first;
      break;
    }
  }
  constexpr size_t kBatch = 256;
  BtreePlace from, end;
  set_before_key(from, key);
  set_after_key(end, key);
  BtreeNode::Batch batch;
  size_t found = 0;
  bool more = true;
  while (more) {
    more = read_forward(from, end, kBatch, batch);
    const char* at = batch.bytes.data();
    for (BtreeNode::Lengths lengths : batch.lengths) {
      next_string(found++).assign(at + lengths.key, lengths.primary_key);
      at += size_t{lengths.key} + lengths.primary_key;
    }
  }
  return found;
}

}  // namespace indigo::storage
