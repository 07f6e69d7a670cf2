// Keys as the certifier's partitions keep them: a space and the first bytes, in memory of a fixed size. What is cut off
// can only make tests stricter.
//
// Plain values, no thread safety of their own.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <cstring>

#include "base/bytes.h"
#include "storage/ssn/key_interval.h"

namespace indigo::storage {

// A key in a space, whole: they are ordered by space, then by key.
struct SpaceKey {
  uint64_t space;
  Bytes key;
  friend auto operator<=>(const SpaceKey& a, const SpaceKey& b) {
    if (a.space != b.space) return a.space <=> b.space;
    return a.key.compare(b.key) <=> 0;
  }
  friend bool operator==(const SpaceKey&, const SpaceKey&) = default;
};

class ShortKey {
 public:
  static constexpr size_t kBytes = 102;

  // The key, or the greatest below it that there is room for: its beginning.
  void assign_down(const SpaceKey& k) {
    const size_t size = std::min(k.key.size(), kBytes);
    space_ = k.space;
    cut_ = k.key.size() > kBytes;
    size_ = static_cast<uint8_t>(size);
    copy(k.key.data(), size);
  }
  // The key, or one above it: the least that does not begin as it does.
  void assign_up(const SpaceKey& k) {
    assign_down(k);
    if (!cut_) return;
    cut_ = false;
    while (size_ > 0 && static_cast<uint8_t>(bytes_[size_ - 1]) == 0xff) size_--;
    if (size_ == 0) {
      space_++;
    } else {
      bytes_[size_ - 1]++;
    }
  }
  uint64_t space() const { return space_; }
  Bytes bytes() const { return {bytes_.data(), size_}; }
  SpaceKey view() const { return {space_, bytes()}; }
  // May the key that this stands for (assign_down) lie in the interval?
  bool may_lie_in(const KeyInterval& i) const {
    const Bytes mine = bytes();
    if (!i.unbounded && mine >= i.high) return false;
    return mine >= i.low || (cut_ && Bytes(i.low).starts_with(mine));
  }

 private:
  // In words: an ordinary key is one or two of them, and a copy of unknown length costs more than all else here.
  void copy(const char* from, size_t size) {
    constexpr size_t kWord = sizeof(uint64_t);
    char* to = bytes_.data();
    if (size < kWord) {
      for (size_t i = 0; i < size; i++) to[i] = from[i];
      return;
    }
    for (size_t i = 0; i + kWord < size; i += kWord) store_unaligned(to + i, load_unaligned<uint64_t>(from + i));
    store_unaligned(to + size - kWord, load_unaligned<uint64_t>(from + size - kWord));
  }

  uint64_t space_;
  uint8_t size_;
  bool cut_;
  std::array<char, kBytes> bytes_;
};

}  // namespace indigo::storage
