// Keys that an index has computed lately by functions of users' own: a change computes the key of the old row again, a reader
// that of each row that it finds.
// Thread safety: any number of threads at once.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

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
    if (bytes_ + bytes > kBytesMax) {
      keys_.clear();
      bytes_ = 0;
    }
    if (keys_.try_emplace(std::move(read), std::move(known)).second) bytes_ += bytes + kEntryBytes;
  }

 private:
  static constexpr size_t kBytesMax = 256 << 10, kEntryBytes = 96;

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Known> keys_;
  size_t bytes_ = 0;
};

}  // namespace indigo::engine::exec
