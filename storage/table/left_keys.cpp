#include "storage/table/left_keys.h"

#include <absl/hash/hash.h>

#include "base/fiber/wait_point.h"

namespace indigo::storage {

namespace {
constexpr uint32_t kNowhere = UINT32_MAX;
}

void LeftKeys::begin(const std::shared_ptr<const IndexList>& indexes) {
  indexes_ = indexes;
  lowest_.clear();
  unknown_.assign(indexes->size(), kNowhere);
  older_.clear();
  for (size_t i = 0; i < indexes->size(); i++) older_.emplace_back(table_, &pending_);
  known_ = 0;
}

void LeftKeys::popped(const PendingEntry& e) {
  known_ = std::min(known_, e.depth - 1);
  for (uint32_t& lowest : unknown_) {
    if (lowest >= e.depth) lowest = kNowhere;
  }
}

void LeftKeys::learn(const PendingEntry& e) {
  if (e.tombstone) return;
  const Bytes image = table_.image_of(pending_, e, image_);
  for (size_t i = 0; i < indexes_->size(); i++) {
    const TableIndex& index = *(*indexes_)[i];
    bool has_null;
    const auto outcome = index.extractor->extract(pending_.key, image, key_, has_null);
    if (outcome == KeyExtractor::Outcome::kError) unknown_[i] = std::min(unknown_[i], e.depth);
    if (outcome != KeyExtractor::Outcome::kKey) continue;
    index.for_each_key(key_, [&](Bytes key) {
      uint32_t& lowest = lowest_.try_emplace(absl::HashOf(i, key), kNowhere).first->second;
      lowest = std::min(lowest, e.depth);
      return true;
    });
  }
}

void LeftKeys::follow(const std::shared_ptr<const IndexList>& indexes) {
  constexpr uint32_t kAtOnce = 1024;
  if (indexes_ != indexes) begin(indexes);
  const PendingEntry* top = pending_.top.load(std::memory_order_relaxed);
  const uint32_t known = known_;
  for (const PendingEntry* e = top; e != nullptr && e->depth > known; e = e->below) {
    learn(*e);
    if (e->depth % kAtOnce == 0) Waiter::current().yield_if_due();
  }
  known_ = top == nullptr ? 0 : top->depth;
}

bool LeftKeys::has(size_t index, Bytes key, uint32_t popped) {
  const auto at = lowest_.find(absl::HashOf(index, key));
  const bool left = at != lowest_.end() && at->second < popped;
  if (at != lowest_.end() && !left) lowest_.erase(at);
  return left || unknown_[index] != kNowhere;
}

}  // namespace indigo::storage
