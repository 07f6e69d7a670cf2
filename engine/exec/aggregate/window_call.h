// One window function call: computes its column for a whole partition.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/exec/aggregate/aggregate_call.h"
#include "engine/exec/aggregate/window_frame.h"

namespace indigo::engine::exec {

// How much of a partition must have been read before a call's value for a row is known.
enum class Needed : uint8_t { kRow, kPeers, kPartition };

class WindowCall {
 public:
  virtual ~WindowCall() = default;
  static Needed needed(const sql::WindowCallExpr& e, const sql::Window& window);
  // 0A000 for functions that are not built here.
  static Result<std::unique_ptr<WindowCall>> make(Builder& b, const sql::WindowCallExpr& e);

  // Arguments (and the aggregate's FILTER as a last boolean), evaluated for every row and stored from column `first` on.
  const sql::ExprList& arguments() const { return arguments_; }
  void set_first_column(size_t column) { first_column_ = column; }
  Phys result_phys() const { return result_phys_; }

  // Values of all rows of the partition, in order; strings may lie in `arena`.
  virtual Status compute(QueryState& state, const WindowPartition& p, WindowFrame& frame, Arena& arena,
                         std::vector<Datum>& values) = 0;

 protected:
  Datum argument(const WindowPartition& p, size_t i, uint32_t row) const {
    return p.rows->datum(row, first_column_ + i);
  }

  sql::ExprList arguments_;
  size_t first_column_ = 0;
  Phys result_phys_ = Phys::kI64;
};

}  // namespace indigo::engine::exec
