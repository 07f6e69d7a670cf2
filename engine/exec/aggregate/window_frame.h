// The frame of each row of a partition: ROWS, RANGE and GROUPS with all bounds and exclusions.
// Thread safety: none.
#pragma once

#include <vector>

#include "engine/exec/builder.h"
#include "engine/exec/row_keys.h"

namespace indigo::engine::exec {

// Rows of one partition, numbered from 0, with the bounds of each row's peer group.
struct WindowPartition {
  const RowStore* rows = nullptr;
  size_t order_column = 0;  // column of `rows` with the first ORDER BY value
  std::vector<uint32_t> peer_begin, peer_end;
  std::vector<uint32_t> group;        // number of the peer group
  std::vector<uint32_t> group_begin;  // first row of each group, then the row count
  uint32_t size() const { return static_cast<uint32_t>(group.size()); }
};

struct FrameRange {
  uint32_t begin = 0, end = 0;  // empty when begin >= end
};

class WindowFrame {
 public:
  static Result<WindowFrame> make(Builder& b, const sql::Window& window);

  // Evaluates the offsets; once for each run.
  Status begin(QueryState& state);
  Result<FrameRange> range(QueryState& state, const WindowPartition& p, uint32_t row);
  // Whether row `i` of the frame of `row` is excluded.
  bool excludes() const { return exclude_ != sql::Window::Exclude::kNoOthers; }
  bool excluded(const WindowPartition& p, uint32_t row, uint32_t i) const;
  bool begins_with_partition() const { return start_ == sql::FrameBound::Kind::kUnboundedPreceding; }
  // The frame begins with the partition and has no exclusion: aggregates only grow.
  bool grows() const {
    return start_ == sql::FrameBound::Kind::kUnboundedPreceding && exclude_ == sql::Window::Exclude::kNoOthers;
  }

 private:
  using Kind = sql::FrameBound::Kind;
  Status check_offset(const Vector& value, const char* which, bool range) const;
  uint32_t rows_bound(const WindowPartition& p, uint32_t row, Kind kind, size_t offset, bool is_end) const;
  uint32_t groups_bound(const WindowPartition& p, uint32_t row, Kind kind, size_t offset, bool is_end) const;
  Result<uint32_t> range_bound(QueryState& state, const WindowPartition& p, uint32_t row, Kind kind, size_t offset,
                               bool is_end);

  sql::Window::Mode mode_ = sql::Window::Mode::kRange;
  sql::Window::Exclude exclude_ = sql::Window::Exclude::kNoOthers;
  Kind start_ = Kind::kUnboundedPreceding, end_ = Kind::kCurrentRow;
  ExpressionSet offsets_;  // start's, end's as present
  int start_offset_ = -1, end_offset_ = -1;
  bool descending_ = false;
  // RANGE with offsets: PostgreSQL's in_range(value, base, offset, before, less).
  types::TypeRef order_type_, offset_type_;
  types::ScalarKernel in_range_ = nullptr;
  Oid in_range_oid_ = kInvalidOid;
  Vector value_, base_, offset_, before_, less_, result_;
  uint32_t last_row_ = 0, last_begin_ = 0, last_end_ = 0;  // of the row that was asked about before
  std::unique_ptr<Arena> arena_ = std::make_unique<Arena>(256);
};

}  // namespace indigo::engine::exec
