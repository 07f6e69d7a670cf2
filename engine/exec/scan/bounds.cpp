#include "engine/exec/scan/bounds.h"

#include <algorithm>

#include "catalog/array_format.h"
#include "catalog/oids.h"

namespace indigo::engine::exec {

namespace {

Oid base_type(Builder& b, Oid type) {
  for (int depth = 0; type >= oid::kFirstUserOid && depth < 32; depth++) {
    auto info = b.state().session().catalog().type(type);
    if (info == nullptr || info->kind != 'd') break;
    type = info->base;
  }
  return type;
}

}  // namespace

KeyValuePlacer::KeyValuePlacer(Builder& b, const sql::TypeRef& value, const catalog::KeyColumn& column)
    : state_(&b.state()), from_(base_type(b, value.oid)), to_(column.type) {
  same_ = sql::value_placement(from_, to_) <= sql::ValuePlacement::kSame;
  zoned_ = from_ == oid::kTimestampTz || to_ == oid::kTimestampTz;
}

sql::ValuePlace KeyValuePlacer::place_other(const Datum& value, sql::ValueEdge edge) const {
  const sql::TimeZone* zone = zoned_ ? &sql::session_time_zone(state_->functions()) : nullptr;
  return sql::place_among(from_, value, to_, edge, zone);
}

bool KeyValuePlacer::equal_other(Datum& value) const {
  sql::ValuePlace place = place_other(value, sql::ValueEdge::kLow);
  value = place.value;
  return place.where == sql::ValuePlace::Where::kAt;
}

Result<KeyBoundsEvaluator> KeyBoundsEvaluator::make(Builder& b, const sql::KeyBounds& bounds,
                                                    const catalog::KeyLayout& layout) {
  KeyBoundsEvaluator e;
  e.layout_ = &layout;
  sql::ExprList exprs = bounds.equal;
  e.equal_ = exprs.size();
  if (bounds.low != nullptr || bounds.high != nullptr)
    e.add_interval({bounds.low, bounds.high, bounds.low_inclusive, bounds.high_inclusive}, exprs);
  for (const sql::KeyInterval& i : bounds.any_of) e.add_interval(i, exprs);
  if (bounds.in_array != nullptr) exprs.push_back(bounds.in_array);
  for (size_t i = 0; i < exprs.size(); i++) {
    bool list = bounds.in_array != nullptr && i + 1 == exprs.size();
    e.placers_.emplace_back(b, list ? b.element_of(exprs[i]->type) : exprs[i]->type,
                            layout.column(std::min(i, e.equal_)));
  }
  INDIGO_ASSIGN(ExpressionSet values, b.compile_all(exprs));
  e.values_ = std::make_unique<ExpressionSet>(std::move(values));
  if (bounds.in_array != nullptr) e.in_array_ = &e.values_->node(exprs.size() - 1);
  e.point_ = e.equal_ > 0 && e.equal_ == layout.column_count();
  e.whole_key_ = e.point_ || (e.is_list() && e.equal_ + 1 == layout.column_count());
  return e;
}

Result<bool> KeyBoundsEvaluator::evaluate() {
  key_.clear();
  if (values_->empty()) return true;
  INDIGO_TRY(values_->evaluate_constant());
  for (size_t i = 0; i < equal_; i++) {
    Datum value = (*values_)[i].datum(0);
    if (value.null || !placers_[i].equal(value)) return false;
    layout_->append_column(i, value, key_);
  }
  if (in_array_ != nullptr) return evaluate_list();
  if (intervals_.empty()) return true;
  evaluate_intervals();
  return range_count_ > 0;
}

void KeyBoundsEvaluator::add_interval(const sql::KeyInterval& bounds, sql::ExprList& exprs) {
  Interval interval;
  auto add = [&](const sql::ExprPtr& e, bool inclusive, Bound& bound) {
    if (e == nullptr) return;
    bound.value = static_cast<int>(exprs.size());
    bound.inclusive = inclusive;
    exprs.push_back(e);
  };
  add(bounds.low, bounds.low_inclusive, interval.low);
  add(bounds.high, bounds.high_inclusive, interval.high);
  intervals_.push_back(interval);
}

void KeyBoundsEvaluator::evaluate_intervals() {
  ranges_.resize(intervals_.size());
  range_count_ = 0;
  for (Interval& i : intervals_) {
    if (!place(i.low, sql::ValueEdge::kLow) || !place(i.high, sql::ValueEdge::kHigh)) continue;
    interval_range(i, ranges_[range_count_++]);
  }
  if (range_count_ < 2) return;
  // Low ends are inclusive and high ends exclusive here, and a missing low end is an empty string.
  auto end = ranges_.begin() + static_cast<ptrdiff_t>(range_count_);
  std::sort(ranges_.begin(), end, [](const auto& a, const auto& b) { return a.low < b.low; });
  size_t last = 0;
  for (size_t i = 1; i < range_count_; i++) {
    storage::KeyRange &before = ranges_[last], &range = ranges_[i];
    if (before.has_high && before.high < range.low) {
      if (++last != i) std::swap(ranges_[last], range);
    } else if (before.has_high && (!range.has_high || before.high < range.high)) {
      before.has_high = range.has_high;
      before.high.swap(range.high);
    }
  }
  range_count_ = last + 1;
}

// False: the bound leaves nothing.
bool KeyBoundsEvaluator::place(Bound& bound, sql::ValueEdge edge) {
  if (bound.value < 0) return true;
  using Where = sql::ValuePlace::Where;
  auto i = static_cast<size_t>(bound.value);
  const Datum value = (*values_)[i].datum(0);
  if (value.null) return false;
  sql::ValuePlace place = placers_[i].place(value, edge);
  const bool low = edge == sql::ValueEdge::kLow;
  if (place.where == (low ? Where::kAbove : Where::kBelow)) return false;
  bound.open = place.where == Where::kBelow || place.where == Where::kAbove;
  bound.at = place.value;
  bound.at_inclusive = place.where == Where::kAfter ? !low : bound.inclusive;
  return true;
}

Result<bool> KeyBoundsEvaluator::evaluate_list() {
  keys_.clear();
  const auto& list = (*values_)[values_->size() - 1];
  if (list.is_null(0)) return false;
  ArrayView array(list.get<Str>(0));
  for (int32_t i = 0; i < array.count(); i++) {
    Datum element = array.element(i);
    if (element.null || !placers_.back().equal(element)) continue;
    std::string key = key_;
    layout_->append_column(equal_, element, key);
    keys_.push_back(std::move(key));
  }
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  return !keys_.empty();
}

namespace {

void prefix_range(const std::string& prefix, storage::KeyRange& out) {
  out.low.assign(prefix);
  out.has_low = !prefix.empty();
  out.low_inclusive = true;
  out.high.assign(prefix);
  catalog::KeyLayout::successor(out.high);
  out.has_high = !out.high.empty();
  out.high_inclusive = false;
}

void point_range(const std::string& key, storage::KeyRange& out) {
  out.low.assign(key);
  out.high.assign(key);
  out.has_low = out.has_high = out.low_inclusive = out.high_inclusive = true;
}

}  // namespace

const storage::KeyRange& KeyBoundsEvaluator::range(size_t i) {
  if (!is_list() && !intervals_.empty()) return ranges_[i];
  const std::string& key = is_list() ? keys_[i] : key_;
  whole_key_ ? point_range(key, range_) : prefix_range(key, range_);
  return range_;
}

void KeyBoundsEvaluator::interval_range(const Interval& interval, storage::KeyRange& out) const {
  prefix_range(key_, out);
  // In bytes a descending column runs the other way round.
  const catalog::KeyColumn& column = layout_->column(equal_);
  const Bound &first = column.descending ? interval.high : interval.low,
              &last = column.descending ? interval.low : interval.high;
  if (column.nullable) restrict_nulls(out);
  if (first.value >= 0 && !first.open) {
    out.low.assign(key_);
    layout_->append_column(equal_, first.at, out.low);
    out.has_low = true;
    if (!first.at_inclusive) {
      catalog::KeyLayout::successor(out.low);
      if (out.low.empty()) {  // nothing can follow
        out.has_high = true;
        out.high.clear();
        out.high_inclusive = false;
      }
    }
  }
  if (last.value >= 0 && !last.open) {
    out.high.assign(key_);
    layout_->append_column(equal_, last.at, out.high);
    if (last.at_inclusive) catalog::KeyLayout::successor(out.high);
    out.has_high = !out.high.empty();
    out.high_inclusive = false;
  }
}

void KeyBoundsEvaluator::restrict_nulls(storage::KeyRange& range) const {
  const catalog::KeyColumn& column = layout_->column(equal_);
  std::string null_key = key_;
  layout_->append_column(equal_, Datum::make_null(column.phys), null_key);
  if (column.nulls_first) {
    catalog::KeyLayout::successor(null_key);
    range.low = std::move(null_key);
    range.has_low = true;
    range.low_inclusive = true;
  } else {
    range.high = std::move(null_key);
    range.has_high = true;
    range.high_inclusive = false;
  }
}

}  // namespace indigo::engine::exec
