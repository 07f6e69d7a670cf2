#include "engine/exec/aggregate/window_frame.h"

#include <algorithm>
#include <array>

#include "base/sqlstate.h"
#include "types/oids.h"

namespace indigo::engine::exec {
namespace {

constexpr SqlState kInvalidFrameOffset{"22013"};

bool has_offset(sql::FrameBound::Kind kind) {
  return kind == sql::FrameBound::Kind::kPreceding || kind == sql::FrameBound::Kind::kFollowing;
}

}  // namespace

Result<WindowFrame> WindowFrame::make(Builder& b, const sql::Window& window) {
  WindowFrame f;
  f.mode_ = window.mode;
  f.exclude_ = window.exclude;
  f.start_ = window.start.kind;
  f.end_ = window.end.kind;
  sql::ExprList offsets;
  if (has_offset(f.start_)) {
    f.start_offset_ = 0;
    offsets.push_back(window.start.offset);
  }
  if (has_offset(f.end_)) {
    f.end_offset_ = static_cast<int>(offsets.size());
    offsets.push_back(window.end.offset);
  }
  INDIGO_ASSIGN(f.offsets_, b.compile_all(offsets));
  if (!window.order.empty()) f.descending_ = window.order[0].descending;
  if (f.mode_ == sql::Window::Mode::kRange && !offsets.empty()) {
    f.order_type_ = window.order[0].expr->type;
    f.offset_type_ = offsets[0]->type;
    f.in_range_oid_ = window.in_range;
    const types::ScalarFunction* function = types::find_scalar(window.in_range);
    if (function == nullptr) {
      return Error(sqlstate::kFeatureNotSupported,
                   "RANGE with offset PRECEDING/FOLLOWING is not supported for this type");
    }
    f.in_range_ = function->kernel;
  }
  return f;
}

Status WindowFrame::check_offset(const Vector& value, const char* which, bool range) const {
  std::string name = std::string("frame ") + which + " offset";
  if (value.is_null(0)) return Error(sqlstate::kNullValueNotAllowed, name + " must not be null");
  if (!range && value.get<int64_t>(0) < 0) {
    return Error(kInvalidFrameOffset, name + " must not be negative");
  }
  return {};
}

Status WindowFrame::begin(QueryState& state) {
  if (offsets_.empty()) return {};
  arena_->reset();
  ArenaScope scope(state, *arena_);
  INDIGO_TRY(offsets_.evaluate_constant());
  bool range = mode_ == sql::Window::Mode::kRange;
  if (start_offset_ >= 0) INDIGO_TRY(check_offset(offsets_[static_cast<size_t>(start_offset_)], "starting", range));
  if (end_offset_ >= 0) INDIGO_TRY(check_offset(offsets_[static_cast<size_t>(end_offset_)], "ending", range));
  return {};
}

uint32_t WindowFrame::rows_bound(const WindowPartition& p, uint32_t row, Kind kind, size_t offset, bool is_end) const {
  uint64_t n = has_offset(kind) ? static_cast<uint64_t>(offsets_[offset].get<int64_t>(0)) : 0;
  uint64_t at = uint64_t{row} + (is_end ? 1 : 0);
  switch (kind) {
    case Kind::kUnboundedPreceding: return 0;
    case Kind::kUnboundedFollowing: return p.size();
    case Kind::kPreceding: return n > at ? 0 : static_cast<uint32_t>(at - n);
    case Kind::kFollowing:
      return n >= p.size() ? p.size() : static_cast<uint32_t>(std::min<uint64_t>(at + n, p.size()));
    case Kind::kCurrentRow: break;
  }
  return static_cast<uint32_t>(at);
}

uint32_t WindowFrame::groups_bound(const WindowPartition& p, uint32_t row, Kind kind, size_t offset,
                                   bool is_end) const {
  uint64_t groups = p.group_begin.size() - 1;
  uint64_t n = has_offset(kind) ? static_cast<uint64_t>(offsets_[offset].get<int64_t>(0)) : 0;
  uint64_t at = uint64_t{p.group[row]} + (is_end ? 1 : 0);
  switch (kind) {
    case Kind::kUnboundedPreceding: return 0;
    case Kind::kUnboundedFollowing: return p.size();
    case Kind::kPreceding: at = n > at ? 0 : at - n; break;
    case Kind::kFollowing: at = n >= groups ? groups : std::min(at + n, groups); break;
    case Kind::kCurrentRow: break;
  }
  return p.group_begin[static_cast<size_t>(at)];
}

// RANGE with an offset: the first row (is_end: the first row after the last) that lies within it, nulls apart. Bounds move
// forward only, so the search continues where the row before ended.
Result<uint32_t> WindowFrame::range_bound(QueryState& state, const WindowPartition& p, uint32_t row, Kind kind,
                                          size_t offset, bool is_end) {
  if (kind == Kind::kUnboundedPreceding) return 0;
  if (kind == Kind::kUnboundedFollowing) return p.size();
  if (kind == Kind::kCurrentRow || p.rows->is_null(row, p.order_column))
    return is_end ? p.peer_end[row] : p.peer_begin[row];
  arena_->reset();
  ArenaScope scope(state, *arena_);
  base_.set_constant(p.rows->datum(row, p.order_column));
  offset_.set_constant(offsets_[offset].datum(0));
  before_.set_constant(Datum::of((kind == Kind::kPreceding) != descending_));
  less_.set_constant(Datum::of(is_end != descending_));
  const types::CallInfo call{in_range_oid_,
                             {oid::kBool, -1, kInvalidOid},
                             {order_type_, order_type_, offset_type_, {oid::kBool}, {oid::kBool}},
                             kInvalidOid};
  const std::array<const Vector*, 5> arguments{&value_, &base_, &offset_, &before_, &less_};
  uint32_t& at = is_end ? last_end_ : last_begin_;
  // Nulls stand together at one end of the partition.
  if (at == 0 && p.rows->is_null(at, p.order_column)) at = p.peer_end[at];
  while (at < p.size() && !p.rows->is_null(at, p.order_column)) {
    value_.set_constant(p.rows->datum(at, p.order_column));
    result_.init(Phys::kBool, 1);
    in_range_(state.functions(), call, arguments, {nullptr, 1}, result_);
    if (auto error = state.functions().take_error()) return error;
    if (result_.get<bool>(0) != is_end) break;
    at = p.peer_end[at];
  }
  return at;
}

Result<FrameRange> WindowFrame::range(QueryState& state, const WindowPartition& p, uint32_t row) {
  auto s = static_cast<size_t>(std::max(start_offset_, 0)), e = static_cast<size_t>(std::max(end_offset_, 0));
  FrameRange r;
  if (row == 0 || row < last_row_) last_begin_ = last_end_ = 0;
  last_row_ = row;
  switch (mode_) {
    case sql::Window::Mode::kRows: r = {rows_bound(p, row, start_, s, false), rows_bound(p, row, end_, e, true)}; break;
    case sql::Window::Mode::kGroups:
      r = {groups_bound(p, row, start_, s, false), groups_bound(p, row, end_, e, true)};
      break;
    case sql::Window::Mode::kRange: {
      INDIGO_ASSIGN(r.begin, range_bound(state, p, row, start_, s, false));
      INDIGO_ASSIGN(r.end, range_bound(state, p, row, end_, e, true));
      break;
    }
  }
  if (r.end < r.begin) r.end = r.begin;
  return r;
}

bool WindowFrame::excluded(const WindowPartition& p, uint32_t row, uint32_t i) const {
  switch (exclude_) {
    case sql::Window::Exclude::kNoOthers: return false;
    case sql::Window::Exclude::kCurrentRow: return i == row;
    case sql::Window::Exclude::kGroup: return p.group[i] == p.group[row];
    case sql::Window::Exclude::kTies: return p.group[i] == p.group[row] && i != row;
  }
  return false;
}

}  // namespace indigo::engine::exec
