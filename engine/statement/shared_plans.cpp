#include "engine/statement/shared_plans.h"

#include <algorithm>

namespace indigo::engine {

SharedPlanPtr SharedPlans::find(const std::string& key) {
  const std::lock_guard guard(mutex_);
  const auto at = plans_.find(key);
  return at == plans_.end() ? nullptr : at->second.lock();
}

void SharedPlans::add(const std::string& key, const SharedPlanPtr& plan) {
  const std::lock_guard guard(mutex_);
  plans_[key] = plan;
  if (plans_.size() < sweep_at_) return;
  std::erase_if(plans_, [](const auto& entry) { return entry.second.expired(); });
  sweep_at_ = std::max(kFirstSweep, 2 * plans_.size());
}

size_t SharedPlans::size() {
  const std::lock_guard guard(mutex_);
  return plans_.size();
}

}  // namespace indigo::engine
