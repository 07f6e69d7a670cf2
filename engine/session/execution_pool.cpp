#include "engine/session/execution_pool.h"

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
    auto execution = std::move(idle->second.back());
    idle->second.pop_back();
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
    if (idle_.size() > StatementCache::kEntriesMax) idle_.clear();
    const MustNotFail scope;  // a hash table of Abseil's that cannot grow is broken
    auto& idle = idle_[last_.plan];
    if (idle.size() < kIdleOfOnePlanMax) idle.push_back(std::move(last_.execution));
  }
  last_ = {prepared.plan.get(), std::move(execution), prepared.has_run};
  prepared.has_run = true;
}

void ExecutionPool::clear() {
  idle_.clear();
  last_ = {};
}

}  // namespace indigo::engine
