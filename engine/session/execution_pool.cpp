#include "engine/session/execution_pool.h"

#include <algorithm>

#include "base/memory/memory_reserve.h"
#include "engine/statement/statement_cache.h"

namespace indigo::engine {

namespace {

constexpr size_t kIdleOfOnePlanMax = 2;

}  // namespace

std::unique_ptr<Execution> ExecutionPool::take(const Prepared& prepared, uint64_t catalog_version) {
  if (catalog_version != catalog_version_) clear();
  catalog_version_ = catalog_version;
  const sql::PlannedStatement* plan = prepared.plan.get();
  if (last_.plan == plan && last_.execution) return std::move(last_.execution);
  if (const auto idle = idle_.find(plan); idle != idle_.end() && !idle->second.empty()) {
    auto execution = std::move(idle->second.back().execution);
    idle->second.pop_back();
    idle_count_--;
    return execution;
  }
  return Execution::create(prepared.plan);
}

void ExecutionPool::give_back(const Prepared& prepared, std::unique_ptr<Execution> execution,
                              uint64_t catalog_version) {
  execution->close();
  if (prepared.custom) return;  // not to be run again
  if (catalog_version != catalog_version_) return;
  if (last_.execution && last_.again && last_.plan != prepared.plan.get()) {
    const MustNotFail scope;  // a hash table of Abseil's that cannot grow is broken
    make_room();
    auto& idle = idle_[last_.plan];
    if (idle.size() < kIdleOfOnePlanMax) {
      idle.push_back({std::move(last_.execution), ++changes_});
      idle_count_++;
    }
  }
  last_ = {prepared.plan.get(), std::move(execution), prepared.has_run};
  prepared.has_run = true;
}

void ExecutionPool::make_room() {
  const size_t share = kOfProcessMax / std::max<size_t>(pools.load(std::memory_order_relaxed), 1);
  const size_t most = std::clamp(share, kOfSessionMin, StatementCache::kEntriesMax);
  if (idle_count_ < most) return;
  std::vector<uint64_t> times;
  times.reserve(idle_count_);
  for (const auto& [plan, idle] : idle_) {
    for (const Idle& one : idle) times.push_back(one.since);
  }
  const auto last_to_go = times.begin() + static_cast<ptrdiff_t>(idle_count_ - most + most / 4);
  std::nth_element(times.begin(), last_to_go, times.end());
  absl::erase_if(idle_, [oldest = *last_to_go](auto& entry) {
    std::erase_if(entry.second, [oldest](const Idle& one) { return one.since <= oldest; });
    return entry.second.empty();
  });
  idle_count_ = most - most / 4 - 1;
}

void ExecutionPool::clear() {
  idle_.clear();
  idle_count_ = 0;
  last_ = {};
}

}  // namespace indigo::engine
