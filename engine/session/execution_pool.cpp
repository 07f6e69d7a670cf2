#include "engine/session/execution_pool.h"

#include <algorithm>

#include "base/memory/memory_account.h"
#include "base/memory/memory_reserve.h"
#include "engine/session/auto_explain.h"
#include "engine/statement/statement_cache.h"

namespace indigo::engine {

namespace {

constexpr size_t kIdleOfOnePlanMax = 2;

}  // namespace

std::unique_ptr<Execution> ExecutionPool::take(const Prepared& prepared, uint64_t catalog_version) {
  if (catalog_version != catalog_version_) clear();
  catalog_version_ = catalog_version;
  const sql::PlannedStatement* plan = prepared.plan.get();
  const int64_t held = MemoryAccount::held_bytes();
  std::unique_ptr<Execution> execution;
  if (last_.plan == plan && last_.execution) {
    execution = std::move(last_.execution);
  } else if (const auto idle = idle_.find(plan); idle != idle_.end() && !idle->second.empty()) {
    execution = std::move(idle->second.back().execution);
    idle->second.pop_back();
    idle_count_--;
    idle_bytes_ -= execution->kept_bytes;
  } else {
    execution = maker_.execution(prepared);
  }
  execution->held_before = held;
  return execution;
}

void ExecutionPool::give_back(const Prepared& prepared, std::unique_ptr<Execution> execution,
                              uint64_t catalog_version) {
  execution->close();
  if (prepared.custom) return;  // not to be run again
  if (catalog_version != catalog_version_) return;
  // Others' allocations are in this, too: too much rather than too little.
  execution->kept_bytes += std::max<int64_t>(MemoryAccount::held_bytes() - execution->held_before, 0);
  if (last_.execution && last_.again && last_.plan != prepared.plan.get()) {
    const MustNotFail scope;  // a hash table of Abseil's that cannot grow is broken
    const int64_t bytes = last_.execution->kept_bytes;
    make_room(bytes);
    auto& idle = idle_[last_.plan];
    if (idle.size() < kIdleOfOnePlanMax && bytes <= bytes_most()) {
      idle.push_back({std::move(last_.execution), ++changes_});
      idle_count_++;
      idle_bytes_ += bytes;
    }
  }
  last_ = {prepared.plan.get(), std::move(execution), prepared.has_run};
  prepared.has_run = true;
}

size_t ExecutionPool::share_of(size_t all, size_t least, size_t most) {
  return std::clamp(all / std::max<size_t>(pools.load(std::memory_order_relaxed), 1), least, most);
}

int64_t ExecutionPool::bytes_most() {
  return static_cast<int64_t>(share_of(kBytesOfProcess, kBytesOfSessionMin, kBytesOfProcess));
}

void ExecutionPool::make_room(int64_t bytes) {
  const size_t most = share_of(kOfProcessMax, kOfSessionMin, StatementCache::kEntriesMax);
  const int64_t most_bytes = bytes_most();
  if (idle_count_ < most && idle_bytes_ + bytes <= most_bytes) return;
  struct Waiting {
    uint64_t since;
    int64_t bytes;
  };
  std::vector<Waiting> newest;
  newest.reserve(idle_count_);
  for (const auto& [plan, idle] : idle_) {
    for (const Idle& one : idle) newest.push_back({one.since, one.execution->kept_bytes});
  }
  std::sort(newest.begin(), newest.end(), [](const Waiting& a, const Waiting& b) { return a.since > b.since; });
  const size_t stay_most = most - most / 4 - 1;
  const int64_t stay_bytes_most = most_bytes - most_bytes / 4 - bytes;
  size_t stay = 0;
  int64_t stay_bytes = 0;
  for (; stay < std::min(newest.size(), stay_most); stay++) {
    if (stay_bytes + newest[stay].bytes > stay_bytes_most) break;
    stay_bytes += newest[stay].bytes;
  }
  const uint64_t oldest = stay == 0 ? UINT64_MAX : newest[stay - 1].since;
  absl::erase_if(idle_, [oldest](auto& entry) {
    std::erase_if(entry.second, [oldest](const Idle& one) { return one.since < oldest; });
    return entry.second.empty();
  });
  idle_count_ = stay;
  idle_bytes_ = stay_bytes;
}

void ExecutionPool::clear() {
  idle_.clear();
  idle_count_ = 0;
  idle_bytes_ = 0;
  last_ = {};
}

}  // namespace indigo::engine
