// Arrays: shape, comparison, containment and search. Elements are compared by their type's default order.
#include <algorithm>

#include "base/fiber/long_work.h"
#include "base/fiber/turns.h"
#include "types/array/array_shape.h"
#include "types/array/element_collator.h"
#include "types/function/collation.h"
#include "types/function/compare.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/io/held_order.h"
#include "types/oids.h"

namespace indigo::types {

namespace {

using OptionalArray = std::optional<Str>;
using OptionalInt = std::optional<int32_t>;

// ---- shape
OptionalInt dimension_count(Str image) {
  const int n = ArrayView(image).dimensions();
  return n == 0 ? std::nullopt : OptionalInt(n);
}
std::optional<std::string> dimensions_text(Str image) {
  const ArrayView a(image);
  if (a.dimensions() == 0) return {};
  std::string text;
  for (int d = 0; d < a.dimensions(); d++)
    text += "[" + std::to_string(a.dimension(d).lower) + ":" + std::to_string(a.upper(d)) + "]";
  return text;
}
bool has_dimension(const ArrayView& a, int32_t d) { return d >= 1 && d <= a.dimensions(); }
OptionalInt lower(Str image, int32_t d) {
  const ArrayView a(image);
  return has_dimension(a, d) ? OptionalInt(a.dimension(d - 1).lower) : std::nullopt;
}
OptionalInt upper(Str image, int32_t d) {
  const ArrayView a(image);
  return has_dimension(a, d) ? OptionalInt(a.upper(d - 1)) : std::nullopt;
}
OptionalInt length(Str image, int32_t d) {
  const ArrayView a(image);
  return has_dimension(a, d) ? OptionalInt(a.dimension(d - 1).length) : std::nullopt;
}
int32_t cardinality(Str image) { return ArrayView(image).count(); }

// ---- comparison
int compare(FuncContext& context, const CallInfo& call, Str a, Str b) {
  if (ArrayView(a).element_type() != ArrayView(b).element_type()) {
    fail_different_elements(context);
    return 0;
  }
  return type_order(oid::kAnyArray)->compare(Datum::of(a), Datum::of(b), element_collator(context, call));
}
// What tells the elements apart, and under what; no order: the context has the error.
HeldOrder element_order(FuncContext& context, const CallInfo& call, const ArrayView& a) {
  const TypeOrder* order = array_equality(context, a);
  const Collator* collator = element_collator(context, call);
  if (order == nullptr || collator == nullptr || collator->members() == nullptr) return {order, collator};
  return order_of_member(a.element_type(), a.element_phys(), collator);
}
bool is_equal(int c) { return c == 0; }
bool is_unequal(int c) { return c != 0; }
bool is_less(int c) { return c < 0; }
bool is_less_equal(int c) { return c <= 0; }
bool is_greater(int c) { return c > 0; }
bool is_greater_equal(int c) { return c >= 0; }
template <bool (*F)(int)>
bool compare_by(FuncContext& context, const CallInfo& call, Str a, Str b) {
  constexpr bool kEquality = F == is_equal || F == is_unequal;
  const TypeOrder* order = kEquality ? array_equality(context, ArrayView(a)) : array_order(context, ArrayView(a));
  return order != nullptr && F(compare(context, call, a, b));
}
int32_t compare_three_way(FuncContext& context, const CallInfo& call, Str a, Str b) {
  return array_order(context, ArrayView(a)) != nullptr ? three_way(compare(context, call, a, b), 0) : 0;
}
Str larger(FuncContext& context, const CallInfo& call, Str a, Str b) {
  return compare(context, call, a, b) > 0 ? a : b;
}
Str smaller(FuncContext& context, const CallInfo& call, Str a, Str b) {
  return compare(context, call, a, b) < 0 ? a : b;
}

// Comparing may take long where one of them is.
bool equal_elements(const TypeOrder& order, const Datum& a, const Datum& b, const Collator* collator) {
  note_work(a.phys == Phys::kStr && !a.null && !b.null ? 4 + a.str.size() + b.str.size() : 4);
  return order.equal(a, b, collator);
}

// ---- containment: null is in no array
bool has_element(const TypeOrder& order, const ArrayView& a, const Datum& v, const Collator* collator) {
  for (int32_t i = 0; i < a.count(); i++) {
    if (!a.is_null(i) && equal_elements(order, a.element(i), v, collator)) return true;
  }
  return false;
}
bool overlap(FuncContext& context, const CallInfo& call, Str x, Str y) {
  const ArrayView a(x), b(y);
  const auto [order, collator] = element_order(context, call, a);
  if (order == nullptr) return false;
  for (int32_t i = 0; i < a.count(); i++)
    if (!a.is_null(i) && has_element(*order, b, a.element(i), collator)) return true;
  return false;
}
bool contains(FuncContext& context, const CallInfo& call, Str x, Str y) {
  const ArrayView a(x), b(y);
  const auto [order, collator] = element_order(context, call, a);
  if (order == nullptr) return false;
  for (int32_t i = 0; i < b.count(); i++)
    if (b.is_null(i) || !has_element(*order, a, b.element(i), collator)) return false;
  return true;
}
bool contained(FuncContext& context, const CallInfo& call, Str x, Str y) { return contains(context, call, y, x); }

// ---- search, where null equals null
bool same_element(const TypeOrder& order, const Datum& a, const Datum& b, const Collator* collator) {
  if (a.null || b.null) return a.null && b.null;
  return equal_elements(order, a, b, collator);
}
bool one_dimensional(FuncContext& context, const ArrayView& a, const char* otherwise) {
  if (a.dimensions() <= 1) return true;
  context.fail(sqlstate::kFeatureNotSupported, otherwise);
  return false;
}
OptionalInt position_from(FuncContext& context, const CallInfo& call, const ArrayView& a, const Datum& v,
                          int64_t from) {
  if (!one_dimensional(context, a, "searching for elements in multidimensional arrays is not supported")) return {};
  const auto [order, collator] = element_order(context, call, a);
  if (order == nullptr || a.count() == 0) return {};
  const int32_t low = a.dimension(0).lower;
  Turns turns;
  for (int64_t i = std::max<int64_t>(from - low, 0); i < a.count(); i++) {
    turns.work(16);
    if (same_element(*order, a.element(static_cast<int32_t>(i)), v, collator)) return static_cast<int32_t>(i + low);
  }
  return {};
}
OptionalInt position(FuncContext& context, const CallInfo& call, OptionalArray image, std::optional<Datum> v) {
  return image ? position_from(context, call, ArrayView(*image), v.value_or(Datum()), INT32_MIN) : std::nullopt;
}
bool has_nulls(const ArrayView& a) {
  for (int32_t i = 0; i < a.count(); i++) {
    if (a.is_null(i)) return true;
  }
  return false;
}
OptionalInt position_start(FuncContext& context, const CallInfo& call, OptionalArray image, std::optional<Datum> v,
                           OptionalInt start) {
  if (!image) return {};
  if (!v && !has_nulls(ArrayView(*image))) return {};  // seen before the position is
  if (!start) {
    context.fail(sqlstate::kNullValueNotAllowed, "initial position must not be null");
    return {};
  }
  return position_from(context, call, ArrayView(*image), v.value_or(Datum()), *start);
}
OptionalArray positions(FuncContext& context, const CallInfo& call, OptionalArray image, std::optional<Datum> v) {
  if (!image) return {};
  const ArrayView a(*image);
  if (!one_dimensional(context, a, "searching for elements in multidimensional arrays is not supported")) return {};
  const auto [order, collator] = element_order(context, call, a);
  if (order == nullptr) return {};
  std::vector<Datum> found;
  Turns turns;
  for (int32_t i = 0; i < a.count(); i++) {
    turns.work(16);
    if (same_element(*order, a.element(i), v.value_or(Datum()), collator))
      found.push_back(Datum::of(i + a.dimension(0).lower));
  }
  return context.arena().copy(make_array(oid::kInt4, Phys::kI32, found));
}
// `to` null: removes.
OptionalArray substitute(FuncContext& context, const CallInfo& call, Str image, const Datum& from, const Datum* to) {
  const ArrayView a(image);
  if (to == nullptr && !one_dimensional(context, a, "removing elements from multidimensional arrays is not supported"))
    return {};
  const auto [order, collator] = element_order(context, call, a);
  if (order == nullptr) return {};
  std::vector<Datum> elements;
  bool changed = false;
  Turns turns;
  for (int32_t i = 0; i < a.count(); i++) {
    turns.work(16);
    const Datum e = a.element(i);
    const bool same = same_element(*order, e, from, collator);
    changed |= same;
    if (!same) elements.push_back(e);
    if (same && to != nullptr) elements.push_back(*to);
  }
  if (!changed) return image;
  ArrayDimensions dimensions = array_dimensions(a);
  if (to == nullptr) dimensions[0].length = static_cast<int32_t>(elements.size());
  return build_array(context, a.element_type(), a.element_phys(), dimensions, elements);
}
OptionalArray remove(FuncContext& context, const CallInfo& call, OptionalArray image, std::optional<Datum> v) {
  return image ? substitute(context, call, *image, v.value_or(Datum()), nullptr) : std::nullopt;
}
OptionalArray replace(FuncContext& context, const CallInfo& call, OptionalArray image, std::optional<Datum> from,
                      std::optional<Datum> to) {
  if (!image) return {};
  const Datum replacement = to.value_or(Datum());
  return substitute(context, call, *image, from.value_or(Datum()), &replacement);
}

int32_t width_bucket(FuncContext& context, const CallInfo& call, Datum v, Str thresholds) {
  const ArrayView a(thresholds);
  if (a.dimensions() > 1) {
    context.fail(sqlstate::kArraySubscriptError, "thresholds must be one-dimensional array");
    return 0;
  }
  if (a.has_nulls()) {
    context.fail(sqlstate::kNullValueNotAllowed, "thresholds array must not contain NULLs");
    return 0;
  }
  const auto [order, collator] = element_order(context, call, a);
  int32_t low = 0, high = a.count();
  while (order != nullptr && low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (order->compare(v, a.element(middle), collator) < 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

const ScalarEntry kArrayEntries[] = {
    {"array_ndims", kernel<dimension_count>},
    {"array_dims", kernel<dimensions_text>},
    {"array_lower", kernel<lower>},
    {"array_upper", kernel<upper>},
    {"array_length", kernel<length>},
    {"array_cardinality", kernel<cardinality>},
    {"array_eq", kernel<compare_by<is_equal>>},
    {"array_ne", kernel<compare_by<is_unequal>>},
    {"array_lt", kernel<compare_by<is_less>>},
    {"array_le", kernel<compare_by<is_less_equal>>},
    {"array_gt", kernel<compare_by<is_greater>>},
    {"array_ge", kernel<compare_by<is_greater_equal>>},
    {"btarraycmp", kernel<compare_three_way>},
    {"array_larger", kernel<larger>},
    {"array_smaller", kernel<smaller>},
    {"arrayoverlap", kernel<overlap>},
    {"arraycontains", kernel<contains>},
    {"arraycontained", kernel<contained>},
    {"array_position", kernel<position>},
    {"array_position_start", kernel<position_start>},
    {"array_positions", kernel<positions>},
    {"array_remove", kernel<remove>},
    {"array_replace", kernel<replace>},
    {"width_bucket_array", kernel<width_bucket>},
};

}  // namespace

std::span<const ScalarEntry> array_functions() { return kArrayEntries; }

}  // namespace indigo::types
