// Reading of HashIndex, and its check.
#include <algorithm>

#include "storage/index/hash_index.h"

namespace indigo::storage {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

bool in_range(const KeyRange& range, Bytes key) {
  if (range.has_low && (range.low_inclusive ? key < range.low : key <= range.low)) return false;
  return !range.has_high || (range.high_inclusive ? key <= range.high : key < range.high);
}

// Has read everything when it is first asked: one bucket, or, for what is no point, all of them.
class HashScan final : public IndexScan {
 public:
  HashScan(HashIndex& index, const KeyRange& range, Direction direction) : index_(index) { rebind(range, direction); }

  void rebind(const KeyRange& range, Direction direction) override {
    range_ = range;
    direction_ = direction;
    read_ = false;
    count_ = at_ = 0;
  }

  std::span<const IndexEntry> next(size_t max_entries) override {
    if (!read_) read();
    out_.clear();
    for (const size_t end = std::min(count_, at_ + std::max<size_t>(max_entries, 1)); at_ < end; at_++) {
      const size_t i = direction_ == Direction::kForward ? at_ : count_ - 1 - at_;
      out_.push_back(point_ ? IndexEntry{range_.low, primary_keys_[i]} : IndexEntry{all_[i].first, all_[i].second});
    }
    return out_;
  }

 private:
  void read() {
    read_ = true;
    point_ = is_one_key(range_);
    if (point_) {
      count_ = index_.lookup(range_.low, primary_keys_);
    } else {
      index_.collect(range_, all_);
      count_ = all_.size();
    }
  }

  HashIndex& index_;
  KeyRange range_;
  Direction direction_ = Direction::kForward;
  bool read_ = false, point_ = false;
  size_t count_ = 0, at_ = 0;
  std::vector<std::string> primary_keys_;
  Entries all_;
  std::vector<IndexEntry> out_;
};

}  // namespace

bool is_one_key(const KeyRange& range) {
  return range.has_low && range.has_high && range.low_inclusive && range.high_inclusive && range.low == range.high;
}

size_t HashIndex::lookup(Bytes key, std::vector<std::string>& primary_keys) {
  const uint64_t hash = hash_of(key);
  EpochManager::Guard guard(epochs_);
  for (;;) {
    const Place place = find(hash);
    const BtreeNode& bucket = *place.bucket;
    const uint32_t count = bucket.count();
    uint32_t at = bucket.lower_bound({key, {}}).position;
    size_t found = 0;
    for (; at < count && bucket.has_key(at, key); at++, found++) {
      if (found == primary_keys.size()) primary_keys.emplace_back();
      bucket.read_primary(at, primary_keys[found]);
    }
    if (!bucket.latch.validate(place.version) || !still(hash, place)) continue;
    return found;
  }
}

bool HashIndex::contains(const EntryKey& entry) const {
  const uint64_t hash = hash_of(entry.key);
  EpochManager::Guard guard(epochs_);
  for (;;) {
    const Place place = find(hash);
    const bool there = place.bucket->lower_bound(entry).equal;
    if (place.bucket->latch.validate(place.version) && still(hash, place)) return there;
  }
}

// The ways to several buckets at once: first the directory's words, then the buckets' heads, then the slots.
void HashIndex::lookup_many(std::span<const Bytes> keys, IndexMatches& out) {
  constexpr size_t kBatch = 16;
  out.ends.clear();
  uint64_t hashes[kBatch];
  Place places[kBatch];
  for (size_t begin = 0; begin < keys.size(); begin += kBatch) {
    const size_t n = std::min(kBatch, keys.size() - begin);
    EpochManager::Guard guard(epochs_);
    for (size_t i = 0; i < n; i++) {
      hashes[i] = hash_of(keys[begin + i]);
      prefetch_link(number_of(hashes[i], count_.load(std::memory_order_acquire)));
    }
    for (size_t i = 0; i < n; i++) {
      places[i].number = number_of(hashes[i], count_.load(std::memory_order_acquire));
      places[i].bucket = bucket(places[i].number);
      if (places[i].bucket != nullptr) places[i].bucket->prefetch_small(kLeastBytes);
    }
    for (size_t i = 0; i < n; i++) {
      if (places[i].bucket == nullptr) {
        places[i] = find(hashes[i]);
      } else {
        places[i].version = places[i].bucket->latch.read_begin();
      }
    }
    for (size_t i = 0; i < n; i++) {
      for (;; places[i] = find(hashes[i])) {
        const uint32_t first = out.count();
        const BtreeNode& bucket = *places[i].bucket;
        const uint32_t count = bucket.count();
        uint32_t found = 0;
        uint32_t at = bucket.lower_bound({keys[begin + i], {}}).position;
        for (; at < count && bucket.has_key(at, keys[begin + i]); at++, found++) {
          bucket.read_primary(at, out.at(first + found));
        }
        if (!bucket.latch.validate(places[i].version) || !still(hashes[i], places[i])) continue;
        out.ends.push_back(first + found);
        break;
      }
    }
  }
}

std::unique_ptr<IndexScan> HashIndex::scan(const KeyRange& range, Direction direction) {
  return std::make_unique<HashScan>(*this, range, direction);
}

void HashIndex::collect(const KeyRange& range, Entries& entries) const {
  entries.clear();
  BtreeNode::Batch batch;
  std::lock_guard lock(structure_mutex_);
  EpochManager::Guard guard(epochs_);
  for (uint32_t i = 0; i < count_.load(std::memory_order_relaxed); i++) {
    Place place{bucket(i), i, 0};
    do {
      place.version = place.bucket->latch.read_begin();
      place.bucket->read_many(0, place.bucket->count(), false, batch);
    } while (!place.bucket->latch.validate(place.version));
    const char* at = batch.bytes.data();
    for (const BtreeNode::Lengths lengths : batch.lengths) {
      const Bytes key(at, lengths.key);
      if (in_range(range, key)) entries.emplace_back(key, Bytes(at + lengths.key, lengths.primary_key));
      at += size_t{lengths.key} + lengths.primary_key;
    }
  }
  std::sort(entries.begin(), entries.end());
}

std::string HashIndex::check() const {
  std::lock_guard lock(structure_mutex_);
  EpochManager::Guard guard(epochs_);
  const HashRoot& root = *root_.load(std::memory_order_relaxed);
  const uint32_t count = count_.load(std::memory_order_relaxed);
  uint64_t entries = 0, bytes = root.bytes();
  for (uint32_t s = 0; s < root.capacity; s++) {
    const HashSegment* segment = root.segments[s].load(std::memory_order_relaxed);
    if ((segment != nullptr) != (s * HashSegment::kBuckets < count)) return "a segment is missing, or one too many";
    if (segment != nullptr) bytes += sizeof(HashSegment);
  }
  for (uint32_t i = 0; i < root.capacity * HashSegment::kBuckets; i++) {
    const BtreeNode* b = bucket(i);
    if ((b != nullptr) != (i < count)) return "bucket " + std::to_string(i) + " is missing, or one too many";
    if (b == nullptr) continue;
    bytes += b->capacity;
    entries += b->count();
    std::pair<std::string, std::string> before, here;
    for (uint32_t at = 0; at < b->count(); at++, std::swap(before, here)) {
      here = {};
      b->read(at, here.first, here.second);
      if (at > 0 && !(before < here)) return "entries are out of order in bucket " + std::to_string(i);
      if (number_of(hash_of(here.first), count) != i)
        return "an entry is in bucket " + std::to_string(i) + " by mistake";
    }
  }
  if (entries != entry_count()) return "the number of entries is miscounted";
  if (bytes != memory_bytes()) return "the bytes of memory are miscounted";
  return {};
}

}  // namespace indigo::storage
