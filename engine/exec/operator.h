// An operator: one node of a running plan. Operators pull chunks from their inputs.
//
// Life: open(kFresh) -> next ... -> open(kAgain) -> next ... -> close. Buffers survive close and open, so that a session that
// runs a plan again allocates nothing on the point path.
// Invariants:
//  1. next(max_rows) answers at most max_rows selected rows (1..kChunkRows), never an empty chunk; nullptr is the end, and
//     stays the end until the next open.
//  2. A chunk and its strings live until the operator's next call of next, open or close.
//  3. An error is answered only when its row is reached: the rows before it come first.
// Thread safety: none; an operator belongs to one execution.
#pragma once

#include <memory>
#include <vector>

#include "base/error.h"
#include "sql/explain/plan_counters.h"
#include "sql/plan.h"
#include "types/value/vector.h"

namespace indigo::engine::exec {

// kFresh: a new run, nothing kept from before is true any more. kAgain: a rescan within one run; an operator whose slots
// have not changed may replay what it has built.
enum class Open : uint8_t { kFresh, kAgain };

using OperatorCounters = sql::PlanCounters;

class Operator {
 public:
  virtual ~Operator() = default;
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  virtual Status open(Open mode) = 0;
  virtual Result<Chunk*> next(uint32_t max_rows) = 0;
  virtual void close() = 0;

  // Runtime slots that this subtree reads and an operator above it sets, ascending.
  const std::vector<int>& slots() const { return slots_; }
  void set_slots(std::vector<int> slots) { slots_ = std::move(slots); }
  // A volatile function anywhere below: rows must not be computed ahead of need.
  bool is_volatile() const { return volatile_; }
  void set_volatile(bool v) { volatile_ = v; }

  OperatorCounters& counters() { return counters_; }

 protected:
  Operator() = default;

 private:
  std::vector<int> slots_;
  bool volatile_ = false;
  OperatorCounters counters_;
};
using OperatorPtr = std::unique_ptr<Operator>;

}  // namespace indigo::engine::exec
