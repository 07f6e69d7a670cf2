// What the search layers do not know yet: data nodes that a split has added or a merge has removed. Each processor appends
// to a log of its own; the thread that updates the search layers takes from all of them, in the order of the operations.
//
// Thread safety: all functions.
// Invariants:
// 1. An operation gets its number and its place in a log in one step, under the log's lock, while its data node is latched.
//    So what follows from another operation has a greater number.
// 2. collect() takes all operations with numbers below a bound that was read before it looked at the first log, and no others:
//    those numbers have been given, and invariant 1 lets it wait for their places. So batches are in order, too.
// Source: Mathew and Min, HydraList, 4.4.1; its clocks of several sockets are a counter here.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "storage/index/hydralist/data_node.h"
#include "storage/spin_lock.h"

namespace indigo::storage {

class OperationLog {
 public:
  enum class Kind : uint8_t { kInsert, kRemove };
  struct Operation {
    uint64_t number;
    DataNode* node;
    Kind kind;
  };

  // Answers how many wait, about.
  uint64_t post(Kind kind, DataNode* node) {
    Log& log = logs_[thread_shard() % logs_.size()];
    const std::lock_guard lock(log.lock);
    log.operations.push_back({next_.fetch_add(1, std::memory_order_seq_cst), node, kind});
    return waiting_.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  void collect(std::vector<Operation>& out) {
    out.clear();
    const uint64_t bound = next_.load(std::memory_order_seq_cst);
    for (Log& log : logs_) {
      const std::lock_guard lock(log.lock);
      const auto end = std::find_if(log.operations.begin(), log.operations.end(),
                                    [bound](const Operation& o) { return o.number >= bound; });
      out.insert(out.end(), log.operations.begin(), end);
      log.operations.erase(log.operations.begin(), end);
    }
    waiting_.fetch_sub(out.size(), std::memory_order_relaxed);
    std::sort(out.begin(), out.end(), [](const Operation& a, const Operation& b) { return a.number < b.number; });
  }
  uint64_t waiting() const { return waiting_.load(std::memory_order_relaxed); }

 private:
  struct alignas(64) Log {
    SpinLock lock;  // guards operations, which ascend
    std::vector<Operation> operations;
  };
  alignas(64) std::atomic<uint64_t> next_{1};
  std::atomic<uint64_t> waiting_{0};
  std::array<Log, 8> logs_;
};

}  // namespace indigo::storage
