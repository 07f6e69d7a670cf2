// Bytes received and not yet consumed. Grows with what has arrived, never with what a length field announces.
// Views into it stay valid until the next prepare(), release() or unpin().
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace indigo::wire {

class InputBuffer {
 public:
  std::string_view unread() const { return {data_.get() + begin_, end_ - begin_}; }
  void consume(size_t bytes) { begin_ += bytes; }

  struct Space {
    char* at;
    size_t bytes;
  };
  // Room for at least one byte behind the unread ones. Moves them to the front or into a buffer twice as large.
  Space prepare() {
    if (begin_ == end_ && !pinned_now_) begin_ = end_ = 0;
    if (end_ == capacity_ || pinned_now_) make_room();
    return {data_.get() + end_, capacity_ - end_};
  }
  void received(size_t bytes) { end_ += bytes; }

  // Keeps the bytes where they are (a message in use while more input is read) until unpin().
  void pin() { pinned_now_ = true; }
  void unpin() {
    pinned_now_ = false;
    pinned_.clear();
  }
  // Frees everything if nothing is unread; large buffers only, unless `all`.
  void release(bool all) {
    if (begin_ != end_ || pinned_now_) return;
    begin_ = end_ = 0;
    if (all || capacity_ > kKeptBytes) {
      data_.reset();
      capacity_ = 0;
    }
  }
  size_t capacity() const { return capacity_; }

 private:
  static constexpr size_t kFirstBytes = 8 * 1024;
  static constexpr size_t kKeptBytes = 256 * 1024;

  void make_room() {
    size_t unread = end_ - begin_;
    if (!pinned_now_ && unread <= capacity_ / 2 && capacity_ > 0) {
      std::memmove(data_.get(), data_.get() + begin_, unread);
    } else {
      size_t capacity = capacity_ == 0 ? kFirstBytes : unread > capacity_ / 2 ? capacity_ * 2 : capacity_;
      std::unique_ptr<char[]> data(new char[capacity]);
      if (unread > 0) std::memcpy(data.get(), data_.get() + begin_, unread);
      if (pinned_now_) {
        pinned_.push_back(std::move(data_));
        pinned_now_ = false;  // the new buffer holds nothing that is in use
      }
      data_ = std::move(data);
      capacity_ = capacity;
    }
    begin_ = 0;
    end_ = unread;
  }

  std::unique_ptr<char[]> data_;
  size_t capacity_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool pinned_now_ = false;                      // data_ itself is in use
  std::vector<std::unique_ptr<char[]>> pinned_;  // older buffers in use
};

}  // namespace indigo::wire
