// What has become of transactions whose numbers somebody has asked for: txid_status() tells a client whose connection broke at
// COMMIT whether it happened. The newest kKept are remembered, while the server lives.
// Thread safety: all functions, from any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/ids.h"

namespace indigo::engine {

enum class TransactionOutcome : uint8_t { kInProgress, kCommitted, kAborted };

class TransactionOutcomes {
 public:
  static constexpr size_t kKept = size_t{1} << 16;

  void began(TxnId id) {
    const std::lock_guard lock(mutex_);
    if (!outcomes_.emplace(id.value, TransactionOutcome::kInProgress).second) return;
    order_.push_back(id.value);
    // Those that go on stay.
    for (size_t tries = order_.size(); order_.size() > kKept && tries > 0; tries--) {
      const uint64_t oldest = order_.front();
      order_.pop_front();
      if (outcomes_.at(oldest) == TransactionOutcome::kInProgress) {
        order_.push_back(oldest);
      } else {
        outcomes_.erase(oldest);
      }
    }
  }
  void ended(TxnId id, bool committed) {
    const std::lock_guard lock(mutex_);
    const auto at = outcomes_.find(id.value);
    if (at != outcomes_.end()) at->second = committed ? TransactionOutcome::kCommitted : TransactionOutcome::kAborted;
  }
  std::optional<TransactionOutcome> find(uint64_t id) const {
    const std::lock_guard lock(mutex_);
    const auto at = outcomes_.find(id);
    if (at == outcomes_.end()) return std::nullopt;
    return at->second;
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::unordered_map<uint64_t, TransactionOutcome> outcomes_;
  std::deque<uint64_t> order_;
};

}  // namespace indigo::engine
