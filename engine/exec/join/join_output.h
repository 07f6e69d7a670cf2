// What the join operators share: the two halves of an output chunk and the projection over them.
// Thread safety: none.
#pragma once

#include <vector>

#include "engine/exec/builder.h"

namespace indigo::engine::exec {

class JoinOutput {
 public:
  static Result<JoinOutput> make(Builder& b, const sql::JoinPlan& join, const sql::Plan& left, const sql::Plan& right);

  Chunk& left() { return *left_; }
  Chunk& right() { return *right_; }
  const std::vector<Phys>& left_phys() const { return left_phys_; }
  const std::vector<Phys>& right_phys() const { return right_phys_; }
  Condition& condition() { return condition_; }
  bool only_left() const { return only_left_; }
  // The columns that the condition or the answer reads, ascending; others need not be there.
  const std::vector<size_t>& left_used() const { return left_used_; }
  const std::vector<size_t>& right_used() const { return right_used_; }

  // Room for `rows` rows of each half.
  void prepare(uint32_t rows);
  void set_left_null();
  // The chunk to answer for the selected rows of (left, right); a failing row ends it and leaves its error in `error`.
  Result<Chunk*> finish(QueryState& state, const Chunk& left, const Chunk& right, Selection selection,
                        std::unique_ptr<Error>& error);

 private:
  std::unique_ptr<Chunk> left_ = std::make_unique<Chunk>(), right_ = std::make_unique<Chunk>(),
                         out_ = std::make_unique<Chunk>();
  std::vector<Phys> left_phys_, right_phys_;
  std::vector<size_t> left_used_, right_used_;
  Condition condition_;
  ExpressionSet projection_;
  bool only_left_ = false;  // semi and anti joins
};

}  // namespace indigo::engine::exec
