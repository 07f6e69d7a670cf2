// A place in the index as one byte string, for the search layer: such strings compare as the places do. A zero byte of the key
// becomes 0 255, its end is 0 0, and the primary key follows as it is.
// Thread safety: none.
#pragma once

#include <array>
#include <cstring>
#include <string>

#include "base/bytes.h"
#include "storage/index/btree_node.h"

namespace indigo::storage {

class AnchorKey {
 public:
  explicit AnchorKey(const EntryKey& place) {
    const size_t most = 2 * place.key.size() + 2 + place.primary_key.size();
    if (most > buffer_.size()) long_.resize(most);
    char* const begin = most > buffer_.size() ? long_.data() : buffer_.data();
    char* to = begin;
    for (const char c : place.key) {
      *to++ = c;
      if (c == '\0') *to++ = '\xff';
    }
    *to++ = '\0';
    *to++ = '\0';
    if (!place.primary_key.empty()) std::memcpy(to, place.primary_key.data(), place.primary_key.size());
    bytes_ = {begin, static_cast<size_t>(to - begin) + place.primary_key.size()};
  }
  AnchorKey(const AnchorKey&) = delete;
  AnchorKey& operator=(const AnchorKey&) = delete;

  Bytes bytes() const { return bytes_; }

 private:
  std::array<char, 256> buffer_;
  std::string long_;
  Bytes bytes_;
};

}  // namespace indigo::storage
