#include "engine/exec/bounds.h"

#include <algorithm>

#include "catalog/array_format.h"

namespace indigo::engine::exec {

Result<KeyBoundsEvaluator> KeyBoundsEvaluator::make(Builder& b, const sql::KeyBounds& bounds,
                                                    const catalog::KeyLayout& layout) {
  KeyBoundsEvaluator e;
  e.layout_ = &layout;
  sql::ExprList exprs = bounds.equal;
  e.equal_ = exprs.size();
  if (bounds.low != nullptr) {
    e.low_ = static_cast<int>(exprs.size());
    exprs.push_back(bounds.low);
  }
  if (bounds.high != nullptr) {
    e.high_ = static_cast<int>(exprs.size());
    exprs.push_back(bounds.high);
  }
  if (bounds.in_array != nullptr) exprs.push_back(bounds.in_array);
  e.low_inclusive_ = bounds.low_inclusive;
  e.high_inclusive_ = bounds.high_inclusive;
  INDIGO_ASSIGN(ExpressionSet values, b.compile_all(exprs));
  e.values_ = std::make_unique<ExpressionSet>(std::move(values));
  if (bounds.in_array != nullptr) e.in_array_ = &e.values_->node(exprs.size() - 1);
  e.point_ = e.equal_ > 0 && e.equal_ == layout.column_count();
  return e;
}

Result<bool> KeyBoundsEvaluator::evaluate() {
  key_.clear();
  if (values_->empty()) return true;
  INDIGO_TRY(values_->evaluate_constant());
  for (size_t i = 0; i < values_->size(); i++) {
    if ((*values_)[i].is_null(0)) return false;
  }
  for (size_t i = 0; i < equal_; i++) layout_->append_column(i, (*values_)[i].datum(0), key_);
  if (in_array_ != nullptr) return evaluate_list();
  return true;
}

Result<bool> KeyBoundsEvaluator::evaluate_list() {
  ArrayView array((*values_)[values_->size() - 1].get<Str>(0));
  keys_.clear();
  for (int32_t i = 0; i < array.count(); i++) {
    Datum element = array.element(i);
    if (element.null) continue;
    std::string key = key_;
    layout_->append_column(equal_, element, key);
    keys_.push_back(std::move(key));
  }
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  return !keys_.empty();
}

void KeyBoundsEvaluator::prefix_range(const std::string& prefix, storage::KeyRange& out) {
  out.low.assign(prefix);
  out.has_low = !prefix.empty();
  out.low_inclusive = true;
  out.high.assign(prefix);
  catalog::KeyLayout::successor(out.high);
  out.has_high = !out.high.empty();
  out.high_inclusive = false;
}

const storage::KeyRange& KeyBoundsEvaluator::range() {
  prefix_range(key_, range_);
  if (low_ < 0 && high_ < 0) return range_;
  // In bytes a descending column runs the other way round.
  const catalog::KeyColumn& column = layout_->column(equal_);
  int first = column.descending ? high_ : low_, last = column.descending ? low_ : high_;
  bool first_inclusive = column.descending ? high_inclusive_ : low_inclusive_;
  bool last_inclusive = column.descending ? low_inclusive_ : high_inclusive_;
  if (column.nullable) restrict_nulls(range_);
  if (first >= 0) {
    range_.low.assign(key_);
    layout_->append_column(equal_, (*values_)[static_cast<size_t>(first)].datum(0), range_.low);
    range_.has_low = true;
    if (!first_inclusive) {
      catalog::KeyLayout::successor(range_.low);
      if (range_.low.empty()) {  // nothing can follow
        range_.has_high = true;
        range_.high.clear();
        range_.high_inclusive = false;
      }
    }
  }
  if (last >= 0) {
    range_.high.assign(key_);
    layout_->append_column(equal_, (*values_)[static_cast<size_t>(last)].datum(0), range_.high);
    if (last_inclusive) catalog::KeyLayout::successor(range_.high);
    range_.has_high = !range_.high.empty();
    range_.high_inclusive = false;
  }
  return range_;
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
