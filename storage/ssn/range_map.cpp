#include "storage/ssn/range_map.h"

#include <algorithm>
#include <cstring>

namespace indigo::storage {

namespace {

uint64_t head_of(Bytes key, size_t from) {
  if (key.size() >= from + sizeof(uint64_t)) return big_endian(load_unaligned<uint64_t>(key.data() + from));
  uint64_t head = 0;
  if (key.size() > from) std::memcpy(&head, key.data() + from, std::min(sizeof head, key.size() - from));
  return big_endian(head);
}

}  // namespace

uint32_t RangeMap::Fences::bucket(Bytes key) const {
  if (prefix_size != 0 && (key.size() < prefix_size || std::memcmp(key.data(), prefix.data(), prefix_size) != 0)) {
    const size_t common = std::min<size_t>(prefix_size, key.size());
    const int order = std::memcmp(key.data(), prefix.data(), common);
    if (order < 0 || (order == 0 && common < prefix_size)) return 0;
    if (order > 0) return kBuckets - 1;
  }
  const uint64_t head = head_of(key, prefix_size);
  static_assert(kBuckets == 16);
  uint32_t bucket = heads[7] <= head ? 8 : 0;
  bucket += heads[bucket + 3] <= head ? 4 : 0;
  bucket += heads[bucket + 1] <= head ? 2 : 0;
  bucket += heads[bucket] <= head ? 1 : 0;
  return bucket;
}

RangeMap::RangeMap() : samples_(std::make_unique_for_overwrite<std::array<ShortKey, kSamples>[]>(kEntries)) {}

uint64_t RangeMap::partitions_of(uint64_t space, const KeyInterval& interval) const {
  const Fences* f = fences(space);
  if (f == nullptr) return uint64_t{1} << partition(space, 0);
  const uint32_t last = interval.unbounded ? kBuckets - 1 : f->bucket(interval.high);
  uint64_t mask = 0;
  for (uint32_t b = f->bucket(interval.low); b <= last; b++) mask |= uint64_t{1} << partition(space, b);
  return mask;
}

uint64_t RangeMap::partitions_with_fences(uint64_t space) {
  uint64_t mask = 0;
  for (uint32_t b = 0; b < kBuckets; b++) mask |= uint64_t{1} << partition(space, b);
  return mask;
}

std::optional<RangeMap::Fences> RangeMap::sample(const SpaceKey& key) {
  const uint32_t index = key.space % kEntries;
  Entry& e = entries_[index];
  std::vector<std::string> keys;
  {
    std::lock_guard lock(e.lock);
    if (e.space != key.space) {
      // Another space's, which may be gone: who comes often enough takes it over.
      if (e.space != 0 && ++e.strangers < kSamples) return {};
      e.space = key.space;
      e.taken = e.strangers = 0;
      e.look_at = kSamples;
    }
    e.strangers = 0;
    samples_[index][e.taken++ % kSamples].assign_down(key);
    if (e.taken < e.look_at) return {};
    e.look_at *= 2;
  }
  // It is now long until somebody else comes to this; one that is overwritten meanwhile is a sample, too.
  keys.reserve(kSamples);
  {
    std::array<ShortKey, kSamples> copy;
    {
      std::lock_guard lock(e.lock);
      copy = samples_[index];
    }
    for (const ShortKey& k : copy) keys.emplace_back(k.bytes());
  }
  std::sort(keys.begin(), keys.end());
  Fences f;
  f.space = key.space;
  // A few that begin otherwise lie in the first and the last one.
  const std::string &first = keys[kSamples / 8], &last = keys[kSamples - 1 - kSamples / 8];
  while (f.prefix_size < std::min({first.size(), last.size(), f.prefix.size()}) &&
         first[f.prefix_size] == last[f.prefix_size]) {
    f.prefix[f.prefix_size] = first[f.prefix_size];
    f.prefix_size++;
  }
  for (size_t i = 0; i < f.heads.size(); i++) {
    f.heads[i] = head_of(keys[(i + 1) * kSamples / kBuckets], f.prefix_size);
  }
  const auto greatest_share = [&](const Fences& of) {
    std::array<uint32_t, kBuckets> counts{};
    for (const std::string& k : keys) counts[of.bucket(k)]++;
    return *std::max_element(counts.begin(), counts.end());
  };
  const Fences* now = fences(key.space);
  const uint32_t before = now == nullptr ? kSamples : greatest_share(*now);
  if (before < 2 * greatest_share(f)) return {};  // little to be gained
  return f;
}

const RangeMap::Fences* RangeMap::keep(const Fences& fences) {
  auto made = std::make_unique<const Fences>(fences);
  std::lock_guard lock(mutex_);
  return made_.emplace_back(std::move(made)).get();
}

void RangeMap::install(const Fences* kept) {
  entries_[kept->space % kEntries].fences.store(kept, std::memory_order_release);
  next_version();
}

}  // namespace indigo::storage
