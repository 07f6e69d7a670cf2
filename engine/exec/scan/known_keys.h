// Keys that an index has computed lately by functions of users' own: a change computes the key of the old row again, a reader
// that of each row that it finds. And what keys it could not compute: who cleans up behind a change that has failed is told so
// without another call.
// Thread safety: any number of threads at once.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace indigo::engine::exec {

class KnownKeys {
 public:
  struct Known {
    std::string key;
    bool indexed = false, has_null = false;
  };

  // `read`: the columns that the key depends on.
  std::optional<Known> find(const std::string& read) const {
    const std::lock_guard lock(mutex_);
    const auto at = keys_.find(read);
    if (at == keys_.end()) return std::nullopt;
    return at->second;
  }
  void keep(std::string read, Known&& known) {
    const size_t bytes = read.size() + known.key.size();
    if (bytes > kBytesMax / 16) return;
    const std::lock_guard lock(mutex_);
    make_room(bytes);
    if (failed_.erase(read) > 0) bytes_ -= read.size() + kEntryBytes;
    if (keys_.try_emplace(std::move(read), std::move(known)).second) bytes_ += bytes + kEntryBytes;
  }

  void note_failed(const std::string& read) {
    if (read.size() > kBytesMax / 16) return;
    const std::lock_guard lock(mutex_);
    make_room(read.size());
    if (failed_.insert(read).second) bytes_ += read.size() + kEntryBytes;
  }
  bool has_failed(const std::string& read) const {
    const std::lock_guard lock(mutex_);
    return failed_.contains(read);
  }

 private:
  void make_room(size_t bytes) {
    if (bytes_ + bytes <= kBytesMax) return;
    keys_.clear();
    failed_.clear();
    bytes_ = 0;
  }

  static constexpr size_t kBytesMax = 256 << 10, kEntryBytes = 96;

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Known> keys_;
  std::unordered_set<std::string> failed_;
  size_t bytes_ = 0;
};

}  // namespace indigo::engine::exec
