// What has become of transactions whose numbers somebody has asked for: txid_status() tells a client whose connection broke at
// COMMIT whether it happened, and pg_current_snapshot() which of them a statement does not see. The newest kKept are
// remembered, while the server lives.
// Thread safety: all functions, from any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

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
    running_.insert(id.value);
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
  // `stamp`: of a snapshot that sees what it has committed.
  void ended(TxnId id, bool committed, uint64_t stamp) {
    const std::lock_guard lock(mutex_);
    const auto at = outcomes_.find(id.value);
    if (at == outcomes_.end()) return;
    at->second = committed ? TransactionOutcome::kCommitted : TransactionOutcome::kAborted;
    running_.erase(id.value);
    if (!committed) return;
    commits_.push_back({id.value, std::max(stamp, commits_.empty() ? 0 : commits_.back().stamp)});
    if (commits_.size() > kKept) commits_.pop_front();
  }
  // Those that a snapshot of this stamp does not see, as they go on or were committed later.
  std::vector<uint64_t> unseen_at(uint64_t stamp) const {
    const std::lock_guard lock(mutex_);
    std::vector<uint64_t> out(running_.begin(), running_.end());
    for (auto c = commits_.rbegin(); c != commits_.rend() && c->stamp > stamp; ++c) out.push_back(c->id);
    return out;
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
  std::unordered_set<uint64_t> running_;
  struct Commit {
    uint64_t id, stamp;
  };
  std::deque<Commit> commits_;  // the stamps ascend
};

}  // namespace indigo::engine
