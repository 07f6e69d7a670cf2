#include "engine/exec/bounds.h"

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
  if (bounds.low != nullptr) {
    e.low_.value = static_cast<int>(exprs.size());
    e.low_.inclusive = bounds.low_inclusive;
    exprs.push_back(bounds.low);
  }
  if (bounds.high != nullptr) {
    e.high_.value = static_cast<int>(exprs.size());
    e.high_.inclusive = bounds.high_inclusive;
    exprs.push_back(bounds.high);
  }
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
  return e;
}

Result<bool> KeyBoundsEvaluator::evaluate() {
  key_.clear();
  if (values_->empty()) return true;
  INDIGO_TRY(values_->evaluate_constant());
  for (size_t i = 0; i < values_->size(); i++) {
    if ((*values_)[i].is_null(0)) return false;
  }
  for (size_t i = 0; i < equal_; i++) {
    Datum value = (*values_)[i].datum(0);
    if (!placers_[i].equal(value)) return false;
    layout_->append_column(i, value, key_);
  }
  if (in_array_ != nullptr) return evaluate_list();
  return place(low_, sql::ValueEdge::kLow) && place(high_, sql::ValueEdge::kHigh);
}

// False: the bound leaves nothing.
bool KeyBoundsEvaluator::place(Bound& bound, sql::ValueEdge edge) {
  if (bound.value < 0) return true;
  using Where = sql::ValuePlace::Where;
  auto i = static_cast<size_t>(bound.value);
  sql::ValuePlace place = placers_[i].place((*values_)[i].datum(0), edge);
  const bool low = edge == sql::ValueEdge::kLow;
  if (place.where == (low ? Where::kAbove : Where::kBelow)) return false;
  bound.open = place.where == Where::kBelow || place.where == Where::kAbove;
  bound.at = place.value;
  bound.at_inclusive = place.where == Where::kAfter ? !low : bound.inclusive;
  return true;
}

Result<bool> KeyBoundsEvaluator::evaluate_list() {
  ArrayView array((*values_)[values_->size() - 1].get<Str>(0));
  keys_.clear();
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
  if (low_.value < 0 && high_.value < 0) return range_;
  // In bytes a descending column runs the other way round.
  const catalog::KeyColumn& column = layout_->column(equal_);
  const Bound &first = column.descending ? high_ : low_, &last = column.descending ? low_ : high_;
  if (column.nullable) restrict_nulls(range_);
  if (first.value >= 0 && !first.open) {
    range_.low.assign(key_);
    layout_->append_column(equal_, first.at, range_.low);
    range_.has_low = true;
    if (!first.at_inclusive) {
      catalog::KeyLayout::successor(range_.low);
      if (range_.low.empty()) {  // nothing can follow
        range_.has_high = true;
        range_.high.clear();
        range_.high_inclusive = false;
      }
    }
  }
  if (last.value >= 0 && !last.open) {
    range_.high.assign(key_);
    layout_->append_column(equal_, last.at, range_.high);
    if (last.at_inclusive) catalog::KeyLayout::successor(range_.high);
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
