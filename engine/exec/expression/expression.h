// Compiled expressions: trees of nodes that compute one vector for the selected rows of a chunk.
//
// Evaluation rules (invariants):
//  1. A node computes the selected rows only; other rows of its result are garbage.
//  2. A result is valid until the node's next evaluation; strings live in the arena that was current in FuncContext.
//  3. On an error the FuncContext has failed() and the result is garbage; callers stop.
//  4. CASE, COALESCE, AND, OR evaluate their arguments for the rows that reach them, as PostgreSQL does row by row.
// ExpressionSet adds what operators need: errors belong to rows, volatile functions run in row order. The row of an error is
// found by evaluating again, row by row: what calls functions of users' own is evaluated row by row from the start, as no call
// may be repeated.
// Thread safety: none; nodes belong to one execution.
#pragma once

#include <memory>
#include <vector>

#include "engine/exec/query_state.h"
#include "sql/expr.h"
#include "types/function/registry.h"
#include "types/value/vector.h"

namespace indigo::engine::exec {

// The rows that expressions look at: one or two chunks with the same row numbering (their own selections are not used).
struct Frame {
  const Chunk* inputs[2] = {nullptr, nullptr};
  uint32_t extent = 1;  // one more than the largest row number that may be selected
};

// The extent of a frame whose chunk has this selection.
inline uint32_t extent_of(Selection selection) {
  if (selection.count == 0) return 1;
  return selection.rows == nullptr ? selection.count : uint32_t{selection.rows[selection.count - 1]} + 1;
}

class Node {
 public:
  virtual ~Node() = default;
  // Does nothing but take time when it is evaluated again for the same rows?
  bool is_repeatable() const { return !calls_routine && !(runs_plan && state_.calls_routines()); }
  virtual const Vector& evaluate(const Frame& frame, Selection selection) = 0;
  // Boolean nodes: the rows of `selection` for which the value is true, into `passed` (room for selection.count;
  // may be the selection's own array). Answers their number.
  virtual uint32_t filter(const Frame& frame, Selection selection, uint16_t* passed);

  types::TypeRef type;
  Phys phys = Phys::kI64;
  bool is_volatile = false;
  bool invariant = false;      // reads no column: one value for every row of a chunk
  bool uses_slots = false;     // reads runtime slots
  bool constant = false;       // a ConstExpr
  bool calls_routine = false;  // evaluating it again would repeat a call of a function of users' own
  bool runs_plan = false;      // runs a subquery, which may read what another part of the statement computes

 protected:
  explicit Node(QueryState& state) : state_(state) {}
  types::FuncContext& functions() { return state_.functions(); }
  bool failed() { return state_.functions().failed(); }
  QueryState& state_;
};
using NodePtr = std::unique_ptr<Node>;

// A selection that a node or operator owns.
class SelectionBuffer {
 public:
  uint16_t* reserve(uint32_t rows) {
    if (rows_.size() < rows) rows_.resize(rows);
    return rows_.data();
  }
  // The same rows with numbers, which a selection of all rows lacks: it can be taken in pieces.
  Selection numbered(Selection selection) {
    if (selection.rows != nullptr) return selection;
    uint16_t* rows = reserve(selection.count);
    for (uint32_t i = 0; i < selection.count; i++) rows[i] = static_cast<uint16_t>(i);
    return {rows, selection.count};
  }

 private:
  std::vector<uint16_t> rows_;
};

// Several expressions over the same rows, with row-exact errors.
class ExpressionSet {
 public:
  ExpressionSet() = default;
  ExpressionSet(QueryState& state, std::vector<NodePtr> nodes);

  bool empty() const { return nodes_.empty(); }
  size_t size() const { return nodes_.size(); }
  bool is_volatile() const { return volatile_; }
  const Node& node(size_t i) const { return *nodes_[i]; }

  // Evaluates all; answers how many leading rows of the selection are good. When fewer than all, `error` is why.
  uint32_t evaluate(const Frame& frame, Selection selection, std::unique_ptr<Error>& error);
  // One value for no particular row (bounds, limits): expressions without columns.
  Status evaluate_constant();
  const Vector& operator[](size_t i) const { return *results_[i]; }

 private:
  uint32_t evaluate_rows(const Frame& frame, Selection selection, std::unique_ptr<Error>& error);
  // Nodes that may be evaluated again for all rows at once, the others row by row.
  uint32_t evaluate_mixed(const Frame& frame, Selection selection, std::unique_ptr<Error>& error);

  QueryState* state_ = nullptr;
  std::vector<NodePtr> nodes_;
  std::vector<const Vector*> results_;
  std::vector<Vector> copies_;               // results of row-by-row evaluation
  bool volatile_ = false, careful_ = false;  // careful: some node may not be repeatable
};

// A condition: which rows pass, with row-exact errors.
class Condition {
 public:
  Condition() = default;
  Condition(QueryState& state, NodePtr node) : state_(&state), node_(std::move(node)) {}
  explicit operator bool() const { return node_ != nullptr; }
  bool is_volatile() const { return node_ != nullptr && node_->is_volatile; }

  // Rows that pass, of those before the first error. The answer borrows from this object until the next call.
  Selection filter(const Frame& frame, Selection selection, std::unique_ptr<Error>& error);

 private:
  QueryState* state_ = nullptr;
  NodePtr node_;
  SelectionBuffer passed_;
};

}  // namespace indigo::engine::exec
