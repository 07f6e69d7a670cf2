#include "engine/exec/scan/bounds.h"

#include <algorithm>

#include "base/fiber/stack.h"
#include "types/oids.h"
#include "types/value/array_format.h"

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

KeyValuePlacer::KeyValuePlacer(Builder& b, const types::TypeRef& value, const types::KeyColumn& column)
    : state_(&b.state()), from_(base_type(b, value.oid)), to_(column.type) {
  same_ = types::value_placement(from_, to_) <= types::ValuePlacement::kSame;
  zoned_ = from_ == oid::kTimestampTz || to_ == oid::kTimestampTz;
}

types::ValuePlace KeyValuePlacer::place_other(const Datum& value, types::ValueEdge edge) const {
  const types::TimeZone* zone = zoned_ ? &types::session_time_zone(state_->functions()) : nullptr;
  return types::place_among(from_, value, to_, edge, zone);
}

bool KeyValuePlacer::equal_other(Datum& value) const {
  types::ValuePlace place = place_other(value, types::ValueEdge::kLow);
  value = place.value;
  return place.where == types::ValuePlace::Where::kAt;
}

namespace {

void prefix_range(const std::string& prefix, storage::KeyRange& out) {
  out.low.assign(prefix);
  out.has_low = !prefix.empty();
  out.low_inclusive = true;
  out.high.assign(prefix);
  types::KeyLayout::successor(out.high);
  out.has_high = !out.high.empty();
  out.high_inclusive = false;
}

void point_range(const std::string& key, storage::KeyRange& out) {
  out.low.assign(key);
  out.high.assign(key);
  out.has_low = out.has_high = out.low_inclusive = out.high_inclusive = true;
}

}  // namespace

Result<KeyBoundsEvaluator> KeyBoundsEvaluator::make(Builder& b, const sql::KeyBounds& bounds,
                                                    const types::KeyLayout& layout) {
  KeyBoundsEvaluator e;
  e.layout_ = &layout;
  sql::ExprList exprs;
  INDIGO_TRY(e.add_step(b, bounds, 0, e.root_, exprs));
  INDIGO_ASSIGN(ExpressionSet values, b.compile_all(exprs));
  e.values_ = std::make_unique<ExpressionSet>(std::move(values));
  e.many_ = bounds.lists != 0 || !bounds.any_of.empty();
  e.has_ranges_ = e.many_ || e.root_.has_range();
  e.fixed_columns_ = e.fixed_columns(e.root_, 0);
  e.point_ = bounds.plain() && e.root_.count > 0 && e.root_.count == layout.column_count();
  return e;
}

Status KeyBoundsEvaluator::add_step(Builder& b, const sql::KeyBounds& bounds, size_t column, Step& step,
                                    sql::ExprList& exprs) {
  INDIGO_TRY(check_stack_depth());
  auto add = [&](const sql::ExprPtr& e, const sql::TypeRef& type, size_t at) {
    placers_.emplace_back(b, type, layout_->column(at));
    exprs.push_back(e);
    return static_cast<int>(exprs.size()) - 1;
  };
  step.first = exprs.size();
  step.count = bounds.equal.size();
  step.lists = bounds.lists;
  step.nulls = bounds.nulls;
  if (step.lists != 0) step.elements.resize(step.count);
  for (size_t i = 0; i < step.count; i++) {
    const sql::TypeRef& type = bounds.equal[i]->type;
    add(bounds.equal[i], bounds.is_list(i) ? b.element_of(type) : type, column + i);
  }
  column += step.count;
  step.low.inclusive = bounds.low_inclusive;
  step.high.inclusive = bounds.high_inclusive;
  if (bounds.low != nullptr) step.low.value = add(bounds.low, bounds.low->type, column);
  if (bounds.high != nullptr) step.high.value = add(bounds.high, bounds.high->type, column);
  step.any_of.resize(bounds.any_of.size());
  for (size_t i = 0; i < step.any_of.size(); i++) {
    INDIGO_TRY(add_step(b, bounds.any_of[i], column, step.any_of[i], exprs));
  }
  return {};
}

size_t KeyBoundsEvaluator::fixed_columns(const Step& step, size_t column) const {
  column += step.count;
  if (step.has_range()) return 0;
  if (step.any_of.empty()) return column;
  const size_t first = fixed_columns(step.any_of[0], column);
  const bool same = std::all_of(step.any_of.begin(), step.any_of.end(),
                                [&](const Step& s) { return fixed_columns(s, column) == first; });
  return same ? first : 0;
}

Result<bool> KeyBoundsEvaluator::evaluate() {
  key_.clear();
  if (values_->empty()) return true;
  INDIGO_TRY(values_->evaluate_constant());
  key_count_ = range_count_ = 0;
  cut_ = false;
  if (many_) encode_lists(root_, 0);
  if (!has_ranges_) {
    for (size_t i = 0; i < root_.count; i++) {
      if (!append_value(root_, i, i)) return false;
    }
    return true;
  }
  expand(root_, 0, 0, Way());
  if (is_list()) {
    sort_keys();
    return key_count_ > 0;
  }
  // Keys that were found before lists turned out to be too long for combining.
  for (size_t i = 0; i < key_count_; i++) prefix_range(keys_[i], next_range());
  unite_ranges();
  return range_count_ > 0;
}

// The value of an equality behind the key; false: no row has it.
bool KeyBoundsEvaluator::append_value(const Step& step, size_t i, size_t column) {
  Datum value = (*values_)[step.first + i].datum(0);
  if ((step.nulls >> i & 1) != 0) {
    value = Datum::make_null(layout_->column(column).phys);
  } else if (value.null || !placers_[step.first + i].equal(value)) {
    return false;
  }
  layout_->append_column(column, value, key_);
  return true;
}

void KeyBoundsEvaluator::encode_lists(Step& step, size_t column) {
  for (size_t i = 0; i < step.count; i++) {
    if ((step.lists >> i & 1) == 0) continue;
    std::vector<std::string>& out = step.elements[i];
    out.clear();
    const auto& list = (*values_)[step.first + i];
    if (list.is_null(0)) continue;
    ArrayView array(list.get<Str>(0));
    for (int32_t k = 0; k < array.count(); k++) {
      Datum element = array.element(k);
      if (element.null || !placers_[step.first + i].equal(element)) continue;
      layout_->append_column(column + i, element, out.emplace_back());
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
  for (Step& s : step.any_of) encode_lists(s, column + step.count);
}

// Adds the ranges below key_, which is left as it was.
void KeyBoundsEvaluator::expand(Step& step, size_t from, size_t column, Way way) {
  const size_t bytes = key_.size();
  bool possible = true;
  for (size_t i = from; i < step.count && possible; i++, column++) {
    if ((step.lists >> i & 1) == 0) {
      possible = append_value(step, i, column);
      continue;
    }
    const std::vector<std::string>& elements = step.elements[i];
    way.combinations *= static_cast<double>(elements.size());
    if (way.lists && way.combinations > sql::kMaxKeyCombinations) {
      cut_ = true;
      add_prefix();
    } else {
      way.lists = true;
      const size_t prefix = key_.size();
      for (const std::string& element : elements) {
        key_.append(element);
        expand(step, i + 1, column + 1, way);
        key_.resize(prefix);
      }
    }
    possible = false;  // all done
  }
  if (possible) {
    way.combinations *= static_cast<double>(std::max<size_t>(1, step.any_of.size()));
    for (Step& s : step.any_of) expand(s, 0, column, way);
    if (step.has_range()) {
      add_interval(step, column);
    } else if (step.any_of.empty()) {
      add_prefix();
    }
  }
  key_.resize(bytes);
}

void KeyBoundsEvaluator::add_prefix() {
  if (!is_list()) {
    prefix_range(key_, next_range());
    return;
  }
  if (keys_.size() == key_count_) keys_.emplace_back();
  keys_[key_count_++] = key_;
}

storage::KeyRange& KeyBoundsEvaluator::next_range() {
  if (ranges_.size() == range_count_) ranges_.emplace_back();
  return ranges_[range_count_++];
}

void KeyBoundsEvaluator::sort_keys() {
  auto end = keys_.begin() + static_cast<ptrdiff_t>(key_count_);
  std::sort(keys_.begin(), end);
  key_count_ = static_cast<size_t>(std::unique(keys_.begin(), end) - keys_.begin());
}

// Ranges in key order, none overlapping another.
void KeyBoundsEvaluator::unite_ranges() {
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

void KeyBoundsEvaluator::add_interval(Step& step, size_t column) {
  if (!place(step.low, types::ValueEdge::kLow) || !place(step.high, types::ValueEdge::kHigh)) return;
  interval_range(step, column, next_range());
}

// False: the bound leaves nothing.
bool KeyBoundsEvaluator::place(Bound& bound, types::ValueEdge edge) {
  if (bound.value < 0) return true;
  using Where = types::ValuePlace::Where;
  auto i = static_cast<size_t>(bound.value);
  const Datum value = (*values_)[i].datum(0);
  if (value.null) return false;
  types::ValuePlace place = placers_[i].place(value, edge);
  const bool low = edge == types::ValueEdge::kLow;
  if (place.where == (low ? Where::kAbove : Where::kBelow)) return false;
  bound.open = place.where == Where::kBelow || place.where == Where::kAbove;
  bound.at = place.value;
  bound.at_inclusive = place.where == Where::kAfter ? !low : bound.inclusive;
  return true;
}

const storage::KeyRange& KeyBoundsEvaluator::range(size_t i) {
  if (has_ranges_ && !is_list()) return ranges_[i];
  const std::string& key = is_list() ? keys_[i] : key_;
  if (fixed_columns_ == layout_->column_count() && fixed_columns_ > 0) {
    point_range(key, range_);
  } else {
    prefix_range(key, range_);
  }
  return range_;
}

void KeyBoundsEvaluator::interval_range(const Step& step, size_t column_number, storage::KeyRange& out) const {
  prefix_range(key_, out);
  // In bytes a descending column runs the other way round.
  const types::KeyColumn& column = layout_->column(column_number);
  const Bound &first = column.descending ? step.high : step.low, &last = column.descending ? step.low : step.high;
  if (column.nullable) restrict_nulls(column_number, out);
  if (first.value >= 0 && !first.open) {
    out.low.assign(key_);
    layout_->append_column(column_number, first.at, out.low);
    out.has_low = true;
    if (!first.at_inclusive) {
      types::KeyLayout::successor(out.low);
      if (out.low.empty()) {  // nothing can follow
        out.has_high = true;
        out.high.clear();
        out.high_inclusive = false;
      }
    }
  }
  if (last.value >= 0 && !last.open) {
    out.high.assign(key_);
    layout_->append_column(column_number, last.at, out.high);
    if (last.at_inclusive) types::KeyLayout::successor(out.high);
    out.has_high = !out.high.empty();
    out.high_inclusive = false;
  }
}

void KeyBoundsEvaluator::restrict_nulls(size_t column_number, storage::KeyRange& range) const {
  const types::KeyColumn& column = layout_->column(column_number);
  std::string null_key = key_;
  layout_->append_column(column_number, Datum::make_null(column.phys), null_key);
  if (column.nulls_first) {
    types::KeyLayout::successor(null_key);
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
