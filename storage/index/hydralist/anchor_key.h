// A place in the index as one byte string, for the search layer: such strings compare as the places do. A zero byte of the key
// becomes 0 255, its end is 0 0, and the primary key follows as it is.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>

#include "base/bytes.h"
#include "storage/index/btree_node.h"

namespace indigo::storage {

class AnchorKey {
 public:
  [[gnu::always_inline]] explicit AnchorKey(const EntryKey& place) {
    const size_t most = 2 * place.key.size() + 2 + place.primary_key.size();
    char* begin = buffer_;
    if (most > sizeof buffer_) [[unlikely]] {
      long_ = std::make_unique_for_overwrite<char[]>(most);
      begin = long_.get();
    }
    char* to = begin;
    const char* from = place.key.data();
    const char* const end = from + place.key.size();
    for (; end - from >= 8; from += 8) {
      const auto word = load_unaligned<uint64_t>(from);
      if (has_zero_byte(word)) {
        for (size_t i = 0; i < 8; i++) put(to, from[i]);
      } else {
        store_unaligned(to, word);
        to += 8;
      }
    }
    for (; from != end; from++) put(to, *from);
    store_unaligned(to, uint16_t{0});
    to += sizeof(uint16_t);
    if (!place.primary_key.empty()) {
      std::memcpy(to, place.primary_key.data(), place.primary_key.size());
      to += place.primary_key.size();
    }
    bytes_ = {begin, static_cast<size_t>(to - begin)};
  }
  AnchorKey(const AnchorKey&) = delete;
  AnchorKey& operator=(const AnchorKey&) = delete;

  Bytes bytes() const { return bytes_; }

 private:
  static bool has_zero_byte(uint64_t word) { return ((word - 0x0101010101010101) & ~word & 0x8080808080808080) != 0; }
  static void put(char*& to, char c) {
    *to++ = c;
    if (c == '\0') *to++ = '\xff';
  }

  char buffer_[256];
  std::unique_ptr<char[]> long_;
  Bytes bytes_;
};

}  // namespace indigo::storage
