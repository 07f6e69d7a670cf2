// Bytes to send. Messages are encoded straight into it: begin_message(), fields, end_message() fills in the length.
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/bytes.h"

namespace indigo::wire {

class OutputBuffer {
 public:
  const char* data() const { return data_.get(); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view view() const { return {data_.get(), size_}; }
  void clear() { truncate(0); }
  // Takes back what was written after `size`.
  void truncate(size_t size) {
    size_ = size;
    message_at_ = kNoMessage;
  }
  // Frees a buffer that has grown, or any when `all`. Only while empty.
  void release(bool all) {
    if (size_ == 0 && (all || capacity_ > kKeptBytes)) {
      data_.reset();
      capacity_ = 0;
    }
  }

  // Pointer to `bytes` writable bytes at the end; advance() makes them count.
  char* reserve(size_t bytes) {
    if (capacity_ - size_ < bytes) grow(bytes);
    return data_.get() + size_;
  }
  void advance(size_t bytes) { size_ += bytes; }

  void put_bytes(std::string_view bytes) {
    char* at = reserve(bytes.size());
    if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  void put_byte(char byte) {
    *reserve(1) = byte;
    size_ += 1;
  }
  void put_int16(int16_t v) { put_raw(big_endian(static_cast<uint16_t>(v))); }
  void put_int32(int32_t v) { put_raw(big_endian(static_cast<uint32_t>(v))); }
  void put_string(std::string_view text) {  // with its NUL
    put_bytes(text);
    put_byte('\0');
  }

  // Answers the place of the length field, for end_message. Takes back a message that was begun and has not ended: memory ran out
  // on the way.
  size_t begin_message(char type) {
    if (message_at_ < size_) size_ = message_at_;
    message_at_ = size_;
    put_byte(type);
    size_t at = size_;
    put_int32(0);
    return at;
  }
  void end_message(size_t length_at) {
    patch_int32(length_at, static_cast<int32_t>(size_ - length_at));
    message_at_ = kNoMessage;
  }
  void patch_int32(size_t at, int32_t v) { store_unaligned(data_.get() + at, big_endian(static_cast<uint32_t>(v))); }

 private:
  static constexpr size_t kNoMessage = SIZE_MAX;
  static constexpr size_t kFirstBytes = 4 * 1024;
  static constexpr size_t kKeptBytes = 256 * 1024;

  template <class T>
  void put_raw(T v) {
    store_unaligned(reserve(sizeof v), v);
    size_ += sizeof v;
  }
  void grow(size_t bytes) {
    size_t capacity = capacity_ == 0 ? kFirstBytes : capacity_ * 2;
    while (capacity - size_ < bytes) capacity *= 2;
    std::unique_ptr<char[]> data(new char[capacity]);
    if (size_ > 0) std::memcpy(data.get(), data_.get(), size_);
    data_ = std::move(data);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> data_;
  size_t capacity_ = 0;
  size_t size_ = 0;
  size_t message_at_ = kNoMessage;  // the one that has begun and not ended
};

}  // namespace indigo::wire
