#include "storage/index/indexlet/phantomlet.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace indigo::storage {

namespace {
uint64_t eight_bytes(Bytes key) {
  char bytes[8] = {};
  std::memcpy(bytes, key.data(), std::min(key.size(), sizeof bytes));
  return big_endian(load_unaligned<uint64_t>(bytes));
}
}  // namespace

Phantomlet::Phantomlet(Bytes least, Bytes greatest) : counts_(std::make_unique<Counts>()) {
  const auto end = std::mismatch(
      least.begin(), least.begin() + static_cast<ptrdiff_t>(std::min(least.size(), greatest.size())), greatest.begin());
  prefix_.assign(least.begin(), end.first);
  base_ = eight_bytes(least.substr(prefix_.size()));
  // Half of the parts for what is between, the others for keys that are greater, which is where most keys come.
  const uint64_t span = eight_bytes(greatest.substr(prefix_.size())) - base_;
  shift_ = std::max(0, static_cast<int>(std::bit_width(span)) - static_cast<int>(std::bit_width(kParts / 2U)) + 1);
}

Phantomlet::Phantomlet(const Phantomlet& source)
    : prefix_(source.prefix_), base_(source.base_), shift_(source.shift_), counts_(std::make_unique<Counts>()) {
  for (uint16_t i = 0; i < kParts; i++) {
    (*counts_)[i].store((*source.counts_)[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
}

uint16_t Phantomlet::partition(Bytes key) const {
  const int c = key.substr(0, prefix_.size()).compare(prefix_);
  if (c != 0) return c < 0 ? 0 : kParts - 1;
  const uint64_t at = eight_bytes(key.substr(prefix_.size()));
  if (at < base_) return 0;
  return static_cast<uint16_t>(std::min<uint64_t>(1 + ((at - base_) >> shift_), kParts - 1));
}

bool Phantomlet::none_in(const KeyRange& range) const {
  const int first = range.has_low ? partition(range.low) : 0;
  const int last = range.has_high ? partition(range.high) : kParts - 1;
  if (last - first >= kMostLooks) return false;
  for (int i = first; i <= last; i++) {
    if ((*counts_)[static_cast<size_t>(i)].load(std::memory_order_acquire) != 0) return false;  // pairs with remove()
  }
  return true;
}

}  // namespace indigo::storage
