// The memory of one Store, by kind, and its limit. Everything that tables keep is counted here in coarse steps: chunks,
// nodes, large rows, the growth of a transaction's arena.
//
// Thread safety: all functions. Counters are relaxed: they order nothing, and a limit is kept within a few megabytes.
// Two kinds of users: a statement asks full() first and fails (53200); a commit must not fail and only adds.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace indigo::storage {

enum class MemoryKind : uint8_t { kLeaves, kInnerNodes, kVersions, kLargeRows, kIndexes, kTransactions };
inline constexpr size_t kMemoryKinds = 6;
constexpr const char* memory_kind_name(MemoryKind kind) {
  constexpr const char* kNames[kMemoryKinds] = {"leaves",     "inner nodes", "versions",
                                                "large rows", "indexes",     "transactions"};
  return kNames[static_cast<size_t>(kind)];
}

// May an allocation fail? Statements' may. What gives memory back may pass the limit, and does without when the system has
// none. What a commit or a rollback needs has a reserve, and waits.
enum class Need : uint8_t { kMayFail, kAboveLimit, kMust };

class MemoryAccount {
 public:
  explicit MemoryAccount(uint64_t limit_bytes = 0) : limit_bytes_(limit_bytes) {}  // 0: none
  MemoryAccount(const MemoryAccount&) = delete;
  MemoryAccount& operator=(const MemoryAccount&) = delete;

  void add(MemoryKind kind, int64_t bytes) {
    kinds_[static_cast<size_t>(kind)].fetch_add(bytes, std::memory_order_relaxed);
    total_.fetch_add(bytes, std::memory_order_relaxed);
  }
  int64_t bytes(MemoryKind kind) const { return kinds_[static_cast<size_t>(kind)].load(std::memory_order_relaxed); }
  uint64_t total() const {
    int64_t n = total_.load(std::memory_order_relaxed);
    return n < 0 ? 0 : static_cast<uint64_t>(n);
  }
  uint64_t limit_bytes() const { return limit_bytes_; }
  // Would `bytes` more pass the limit?
  bool full(uint64_t bytes = 0) const { return limit_bytes_ != 0 && total() + bytes > limit_bytes_; }
  // For deletes, which take memory until their commit and give it back after: an eighth above the limit.
  bool overfull() const { return limit_bytes_ != 0 && total() > limit_bytes_ + limit_bytes_ / 8; }

 private:
  const uint64_t limit_bytes_;
  alignas(64) std::atomic<int64_t> total_{0};
  std::array<std::atomic<int64_t>, kMemoryKinds> kinds_{};
};

}  // namespace indigo::storage
