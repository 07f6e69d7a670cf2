#include "storage/index/pending_entries.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace indigo::storage {

void PendingEntries::Batch::clear() {
  bytes_.clear();
  entries_.clear();
  positions_.clear();
}

uint64_t PendingEntries::head_of(Bytes key) {
  char head[8] = {};
  std::memcpy(head, key.data(), std::min(key.size(), sizeof head));
  return big_endian(load_unaligned<uint64_t>(head));
}

size_t PendingEntries::add(const EntryKey& entry) {
  heads_.push_back(head_of(entry.key));
  places_.push_back(
      {bytes_.size(), static_cast<uint32_t>(entry.key.size()), static_cast<uint32_t>(entry.primary_key.size())});
  bytes_.append(entry.key).append(entry.primary_key);
  const size_t bytes = entry.key.size() + entry.primary_key.size();
  live_bytes_ += bytes;
  return bytes + kBytesEach;
}

// Calls visit(position) for each entry in the range, until it answers false.
template <class Visit>
void PendingEntries::for_each(const KeyRange& range, Visit visit) const {
  const uint64_t low = range.has_low ? head_of(range.low) : 0;
  const uint64_t high = range.has_high ? head_of(range.high) : UINT64_MAX;
  for (size_t i = 0; i < heads_.size(); i++) {
    if (heads_[i] < low || heads_[i] > high) continue;
    if (range.has_low && heads_[i] == low) {
      const int c = key(places_[i]).compare(range.low);
      if (c < 0 || (c == 0 && !range.low_inclusive)) continue;
    }
    if (range.has_high && heads_[i] == high) {
      const int c = key(places_[i]).compare(range.high);
      if (c > 0 || (c == 0 && !range.high_inclusive)) continue;
    }
    if (!visit(i)) return;
  }
}

bool PendingEntries::overlaps(const KeyRange& range) const {
  bool found = false;
  for_each(range, [&](size_t) {
    found = true;
    return false;
  });
  return found;
}

void PendingEntries::collect(const KeyRange& range, Batch& out) const {
  out.clear();
  for_each(range, [&](size_t i) {
    const Place& p = places_[i];
    out.entries_.push_back({heads_[i], out.bytes_.size(), p.key_length, p.primary_length});
    out.bytes_.append(bytes_, p.offset, size_t{p.key_length} + p.primary_length);
    out.positions_.push_back(static_cast<uint32_t>(i));
    return true;
  });
  std::sort(out.entries_.begin(), out.entries_.end(), [&](const Batch::Copy& a, const Batch::Copy& b) {
    return a.head != b.head ? a.head < b.head : out.name(a) < out.name(b);
  });
  const auto same = [&](const Batch::Copy& a, const Batch::Copy& b) {
    return a.head == b.head && out.name(a) == out.name(b);
  };
  out.entries_.erase(std::unique(out.entries_.begin(), out.entries_.end(), same), out.entries_.end());
}

size_t PendingEntries::remove(const Batch& batch) {
  const size_t before = bytes();
  size_t kept = 0, next = 0;
  for (size_t i = 0; i < heads_.size(); i++) {
    if (next < batch.positions_.size() && batch.positions_[next] == i) {
      live_bytes_ -= size_t{places_[i].key_length} + places_[i].primary_length;
      next++;
      continue;
    }
    heads_[kept] = heads_[i];
    places_[kept] = places_[i];
    kept++;
  }
  heads_.resize(kept);
  places_.resize(kept);
  if (kept == 0) {
    bytes_.clear();
  } else if (live_bytes_ < bytes_.size() / 2) {
    std::string live;
    live.reserve(live_bytes_);
    for (Place& p : places_) {
      const size_t offset = live.size();
      live.append(bytes_, p.offset, size_t{p.key_length} + p.primary_length);
      p.offset = offset;
    }
    bytes_ = std::move(live);
  }
  return before - bytes();
}

}  // namespace indigo::storage
