#include "types/value/member_orders.h"

namespace indigo::types {

void MemberOrders::add(Oid type, const MemberOrder& order) {
  const std::lock_guard lock(mutex_);
  if (const MemberOrder* known = find(type); known != nullptr && *known == order) return;
  std::atomic<const Entry*>& chain = chains_[type % kChains];
  auto entry = std::make_unique<const Entry>(Entry{type, order, chain.load(std::memory_order_relaxed)});
  const Entry* published = entries_.emplace_back(std::move(entry)).get();
  chain.store(published, std::memory_order_release);
}

const MemberOrder* MemberOrders::find(Oid type) const {
  for (const Entry* e = chains_[type % kChains].load(std::memory_order_acquire); e != nullptr; e = e->next)
    if (e->type == type) return &e->order;
  return nullptr;
}

}  // namespace indigo::types
