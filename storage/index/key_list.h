// Several keys of one row in one byte string: what a KeyExtractor gives for an inverted index (Index::inverted).
//
//   for each key: uint32 length, the bytes. The keys ascend, and each is there once.
//
// Thread safety: values; views borrow the list.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace indigo::storage {

class KeyListReader {
 public:
  explicit KeyListReader(Bytes list) : rest_(list) {}
  bool at_end() const { return rest_.empty(); }
  Bytes key() const { return rest_.substr(kLengthBytes, length()); }
  void next() { rest_.remove_prefix(kLengthBytes + length()); }

 private:
  static constexpr size_t kLengthBytes = sizeof(uint32_t);
  size_t length() const { return load_unaligned<uint32_t>(rest_.data()); }

  Bytes rest_;
};

// A key that is greater than all that the list has.
inline void append_to_key_list(Bytes key, std::string& list) {
  const auto length = static_cast<uint32_t>(key.size());
  list.append(reinterpret_cast<const char*>(&length), sizeof length);
  list.append(key);
}

inline bool key_list_has(Bytes list, Bytes key) {
  for (KeyListReader reader(list); !reader.at_end(); reader.next()) {
    const int order = reader.key().compare(key);
    if (order >= 0) return order == 0;
  }
  return false;
}

// Calls visit(key) for each key of `list` that `without` has not; visit answers false to stop, and so does this then.
template <class Visit>
bool for_each_key_beyond(Bytes list, Bytes without, Visit visit) {
  KeyListReader other(without);
  for (KeyListReader reader(list); !reader.at_end(); reader.next()) {
    while (!other.at_end() && other.key() < reader.key()) other.next();
    if (!other.at_end() && other.key() == reader.key()) continue;
    if (!visit(reader.key())) return false;
  }
  return true;
}

}  // namespace indigo::storage
