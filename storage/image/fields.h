// Numbers and byte strings one after the other, as the contents of an image have them. Thread safety: one user at a time.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace indigo::storage {

class FieldWriter {
 public:
  explicit FieldWriter(std::string& out) : out_(out) {}
  template <class T>
  void number(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void bytes(Bytes value) {
    number(static_cast<uint32_t>(value.size()));
    out_.append(value);
  }

 private:
  std::string& out_;
};

// What is not there reads as zero, or as empty; `sound` tells.
class FieldReader {
 public:
  explicit FieldReader(Bytes in) : in_(in) {}
  template <class T>
  T number() {
    const Bytes at = take(sizeof(T));
    return sound_ ? load_unaligned<T>(at.data()) : T{};
  }
  Bytes bytes() { return take(number<uint32_t>()); }
  bool sound() const { return sound_; }
  bool at_end() const { return in_.empty(); }

 private:
  Bytes take(size_t size) {
    sound_ = sound_ && size <= in_.size();
    if (!sound_) return {};
    const Bytes out = in_.substr(0, size);
    in_.remove_prefix(size);
    return out;
  }

  Bytes in_;
  bool sound_ = true;
};

}  // namespace indigo::storage
