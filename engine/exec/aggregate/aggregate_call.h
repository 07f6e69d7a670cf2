// One aggregate of an aggregation: its arguments, FILTER, DISTINCT and ORDER BY, and the state it keeps in each group.
//
// Plain aggregates update their state chunk by chunk. ORDER BY collects (group, arguments, sort keys) first and feeds the
// function in order when the groups are finished (flush); DISTINCT collects what is new in its group, in a hash table.
// count(*), count, and sum, min and max of integers have inlined updates. What has another's arguments and does the same with
// them (sum(x) and avg(x)) makes its result of the other's state, as in PostgreSQL (src/backend/executor/nodeAgg.c).
// Thread safety: none.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/exec/aggregate/group_table.h"
#include "engine/exec/builder.h"
#include "engine/exec/row_keys.h"

namespace indigo::engine::exec {

class AggregateCall {
 public:
  static Result<AggregateCall> make(Builder& b, const sql::AggregateExpr& e);
  // An aggregate used as a window function.
  static Result<AggregateCall> make(Builder& b, const sql::WindowCallExpr& e);

  uint32_t state_bytes() const { return state_bytes_; }
  Phys result_phys() const { return result_phys_; }
  uint32_t offset() const { return offset_; }
  void set_offset(uint32_t offset) { offset_ = offset; }
  // Whether two built-in aggregates of one plan, neither DISTINCT nor ordered, could have one state. Their expressions are in `e`
  // and `other_e`.
  bool could_share(const sql::AggregateExpr& e, const AggregateCall& other, const sql::AggregateExpr& other_e) const;
  // This one's state is that of the call with this index, which comes before it.
  void share(uint32_t index) {
    shared_ = index;
    state_bytes_ = 0;
  }
  std::optional<uint32_t> shared() const { return shared_; }
  // Its arguments or its FILTER answer differently each time.
  bool is_volatile() const { return volatile_; }
  bool can_retract() const {
    if (function_ != nullptr) return function_->retract != nullptr;
    return fast_ == Fast::kCountStar || fast_ == Fast::kCount || fast_ == Fast::kSumI16 || fast_ == Fast::kSumI32;
  }

  void reset() {
    if (collected_ != nullptr) collected_->clear();
    if (distinct_ != nullptr) distinct_->clear();
  }
  // Row selection[i] belongs to the group with index groups[i], whose states begin at states[groups[i]].
  Status accumulate(QueryState& state, const Frame& frame, Selection selection, const uint32_t* groups,
                    char* const* states);
  // Feeds what was collected for groups below `limit`; the rows of group `limit` stay and become group 0's.
  Status flush(QueryState& state, uint32_t limit, char* const* states);
  // Rows in or out of one state (window frames); arguments as evaluated before.
  Status update_rows(QueryState& state, std::span<const Vector* const> arguments, Selection rows, char* group);
  // False: the row cannot be taken out of this state.
  Result<bool> retract_one(QueryState& state, std::span<const Vector* const> arguments, uint32_t row, char* group);
  // For a frame whose beginning moves: an aggregate that has functions of its own for it runs these.
  void use_moving_functions() {
    if (moving_ != nullptr) function_ = moving_;
  }

  Status finalize(QueryState& state, char* group, Vector& out, uint32_t row);
  void destroy(char* group);

  uint64_t bytes() const {
    return (collected_ != nullptr ? collected_->bytes() : 0) + (distinct_ != nullptr ? distinct_->bytes() : 0);
  }
  // Windows evaluate the arguments themselves.
  ExpressionSet& arguments() { return arguments_; }
  Condition& filter() { return filter_; }

 private:
  enum class Fast : uint8_t { kNone, kCountStar, kCount, kSumI16, kSumI32, kMinI32, kMaxI32, kMinI64, kMaxI64 };
  struct FastState {
    int64_t value;
    int64_t seen;
  };
  // A collected row's place in the order that flush feeds: by group, then by the order-preserving bytes of its keys.
  struct CollectedKey {
    uint32_t group, row;
    uint64_t prefix;  // the first bytes; equal prefixes are decided by the values unless both are whole
    bool whole;
  };
  const RowStore& collected() const { return distinct_ != nullptr ? distinct_->keys() : *collected_; }
  std::vector<CollectedKey> collected_keys() const;
  std::vector<CollectedKey> in_order() const;
  // Forgets what was fed: those of `kept` go on, as rows of groups that are counted from `limit`.
  void keep(const std::vector<uint32_t>& kept, uint32_t limit);
  static Fast fast_kind(Oid function);
  Status set_up(Builder& b, const sql::Expr& e, Oid function, Oid collation, const sql::ExprList& arguments,
                const sql::ExprPtr& filter);
  Status update(QueryState& state, std::span<const Vector* const> arguments, Selection selection, void* const* states);
  template <class T, class Step>
  void fast_loop(const Vector& v, Selection selection, void* const* states, Step step);

  const types::AggregateFunction* function_ = nullptr;
  const types::AggregateFunction* moving_ = nullptr;  // with the same state
  Fast fast_ = Fast::kNone;
  types::CallInfo call_;
  ExpressionSet arguments_;  // then the sort keys
  size_t argument_count_ = 0;
  Condition filter_;
  uint32_t state_bytes_ = 0, offset_ = 0;
  std::optional<uint32_t> shared_;
  bool volatile_ = false;
  Phys result_phys_ = Phys::kI64;

  // DISTINCT and ORDER BY
  SortOps order_;
  std::vector<size_t> order_columns_;  // collected columns that order_ compares
  // One of them, or none: group, arguments, sort keys; of DISTINCT the sort keys are arguments.
  std::unique_ptr<RowStore> collected_;
  std::unique_ptr<GroupTable> distinct_;
  std::vector<uint32_t> found_;

  std::vector<const Vector*> values_;
  std::vector<void*> states_;
  std::vector<uint32_t> groups_;
};

}  // namespace indigo::engine::exec
