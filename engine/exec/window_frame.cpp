#include "engine/exec/window_frame.h"

#include <algorithm>
#include <array>

#include "base/sqlstate.h"
#include "catalog/oids.h"

namespace indigo::engine::exec {
namespace {

constexpr SqlState kInvalidFrameOffset{"22013"};

bool has_offset(sql::FrameBound::Kind kind) {
  return kind == sql::FrameBound::Kind::kPreceding || kind == sql::FrameBound::Kind::kFollowing;
}

// Whether a RANGE offset is below zero; its kind decides how to see that.
bool is_negative(const sql::TypeRef& type, const Datum& d) {
  switch (d.phys) {
    case Phys::kI16: return d.i16 < 0;
    case Phys::kI32: return d.i32 < 0;
    case Phys::kI64: return d.i64 < 0;
    case Phys::kF32: return d.f32 < 0;
    case Phys::kF64: return d.f64 < 0;
    case Phys::kB16: {
      const sql::TypeOrder* order = sql::type_order(type.oid);
      return order != nullptr && order->compare(d, Datum::of(Interval{0, 0, 0}), nullptr) < 0;
    }
    default: {
      const sql::TypeOrder* order = sql::type_order(type.oid);
      const Datum zero = Datum::of(Str());
      return order != nullptr && type.oid != oid::kNumeric && order->compare(d, zero, nullptr) < 0;
    }
  }
}

// Days to microseconds; the infinities stay what they are.
int64_t timestamp_of_date(int32_t days) {
  if (days == INT32_MAX) return INT64_MAX;
  if (days == INT32_MIN) return INT64_MIN;
  return int64_t{days} * 86'400'000'000;
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
    f.order_ = b.order_of(f.order_type_);
    f.order_phys_ = b.phys_of(f.order_type_);
    const sql::ScalarFunction* plus = sql::find_scalar(window.range_plus);
    const sql::ScalarFunction* minus = sql::find_scalar(window.range_minus);
    if (plus == nullptr || minus == nullptr || f.order_ == nullptr) {
      return Error(sqlstate::kFeatureNotSupported,
                   "RANGE with offset PRECEDING/FOLLOWING is not supported for this type");
    }
    const auto function = b.state().session().catalog().function(window.range_plus);
    if (function != nullptr && sql::physical_of(function->result) == Phys::kI64 && f.order_type_.oid == oid::kDate) {
      f.bound_phys_ = Phys::kI64;  // date and interval make a timestamp
      f.date_bound_ = true;
    } else {
      f.bound_phys_ = f.order_phys_;
    }
    f.plus_ = plus->kernel;
    f.minus_ = minus->kernel;
    f.plus_oid_ = window.range_plus;
    f.minus_oid_ = window.range_minus;
  }
  return f;
}

Status WindowFrame::check_offset(const Vector& value, const char* which, bool range) const {
  std::string name = std::string("frame ") + which + " offset";
  if (value.is_null(0)) return Error(sqlstate::kNullValueNotAllowed, name + " must not be null");
  if (range) {
    if (is_negative(offset_type_, value.datum(0))) {
      return Error(kInvalidFrameOffset, "invalid preceding or following size in window function");
    }
  } else if (value.get<int64_t>(0) < 0) {
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

// RANGE with an offset: the first row not before (is_end: the first row after) value -/+ offset, nulls apart.
Result<uint32_t> WindowFrame::range_bound(QueryState& state, const WindowPartition& p, uint32_t row, Kind kind,
                                          size_t offset, bool is_end) {
  if (kind == Kind::kUnboundedPreceding) return 0;
  if (kind == Kind::kUnboundedFollowing) return p.size();
  if (kind == Kind::kCurrentRow || p.rows->is_null(row, p.order_column))
    return is_end ? p.peer_end[row] : p.peer_begin[row];
  arena_->reset();
  ArenaScope scope(state, *arena_);
  key_.set_constant(p.rows->datum(row, p.order_column));
  offset_.set_constant(offsets_[offset].datum(0));
  bool add = (kind == Kind::kFollowing) != descending_;
  sql::CallInfo call{add ? plus_oid_ : minus_oid_, order_type_, {order_type_, offset_type_}, kInvalidOid};
  bound_.init(bound_phys_, 1);
  std::array<const Vector*, 2> arguments{&key_, &offset_};
  (add ? plus_ : minus_)(state.functions(), call, arguments, {nullptr, 1}, bound_);
  bool beyond = state.functions().failed();  // past the type's end: nothing lies there
  if (beyond) state.functions().take_error();
  // Nulls stand together at one end of the partition.
  uint32_t low = 0, high = p.size();
  while (low < high && p.rows->is_null(low, p.order_column)) low = p.peer_end[low];
  while (high > low && p.rows->is_null(high - 1, p.order_column)) high = p.peer_begin[high - 1];
  if (beyond) return kind == Kind::kFollowing ? high : low;
  Datum bound = bound_.datum(0);
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const Datum value = p.rows->datum(middle, p.order_column);
    int c = 0;
    if (date_bound_) {
      const int64_t at = timestamp_of_date(value.i32);
      c = at < bound.i64 ? -1 : at > bound.i64 ? 1 : 0;
    } else {
      c = order_->compare(value, bound, nullptr);
    }
    if (descending_) c = -c;
    if (is_end ? c <= 0 : c < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

Result<FrameRange> WindowFrame::range(QueryState& state, const WindowPartition& p, uint32_t row) {
  auto s = static_cast<size_t>(std::max(start_offset_, 0)), e = static_cast<size_t>(std::max(end_offset_, 0));
  FrameRange r;
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
