// The inputs of an Append of which only those are read that may hold rows: partitions are left out by values that are known
// when the plan is opened.
// Thread safety: none; belongs to one operator.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engine/exec/builder.h"
#include "engine/exec/operator.h"
#include "sql/partition/partition_map.h"

namespace indigo::engine::exec {

class PrunedInputs {
 public:
  PrunedInputs() = default;
  static Result<PrunedInputs> make(Builder& b, const sql::AppendPlan& p);

  Status open(Open mode);
  // Before the first row is asked for: the inputs to read are open after this. Does nothing the second time.
  Status prune();
  void close();

  // Of the inputs to read.
  size_t size() const { return active_.size(); }
  Operator& operator[](size_t i) const { return *inputs_[active_[i]]; }

 private:
  // One table's partitions against values that are known when the plan is opened.
  struct Pruning {
    const sql::PartitionPruning* plan;
    std::shared_ptr<const sql::partition::PartitionMap> map;
    ExpressionSet values;
    std::vector<types::TypeRef> types;
  };

  Result<std::vector<size_t>> left();
  // Tells the statement of foreign tables among the inputs that are changed.
  void note_changed(size_t input) const;

  QueryState* state_ = nullptr;
  const sql::AppendPlan* plan_ = nullptr;
  std::vector<OperatorPtr> inputs_;  // null: not made before it is read
  std::vector<Pruning> prunings_;
  std::vector<size_t> active_;
  std::vector<uint64_t> opened_in_;              // by input: the run
  std::vector<std::pair<size_t, Oid>> changed_;  // foreign tables that the statement changes, by input
  Open mode_ = Open::kFresh;
  bool pruned_ = true;
};

}  // namespace indigo::engine::exec
