// What the array function files share.
// Thread safety: pure functions but for the context.
#pragma once

#include <vector>

#include "base/sqlstate.h"
#include "types/function/phys_of.h"
#include "types/io/order_of.h"
#include "types/value/array_format.h"

namespace indigo::types {

using ArrayDimensions = std::vector<ArrayDimension>;

inline TypeRef array_element_type(const ArrayView& a) { return {a.element_type(), -1, kInvalidOid}; }
inline ArrayDimensions array_dimensions(const ArrayView& a) {
  ArrayDimensions d;
  for (int i = 0; i < a.dimensions(); i++) d.push_back(a.dimension(i));
  return d;
}
inline Str build_array(FuncContext& context, Oid type, Phys phys, const ArrayDimensions& dimensions,
                       const std::vector<Datum>& elements) {
  return context.arena().copy(make_array(type, phys, dimensions, elements));
}
// Arrays of type anyarray, as in pg_statistic, may have elements of any types.
inline void fail_different_elements(FuncContext& context) {
  context.fail(sqlstate::kDatatypeMismatch, "cannot compare arrays of different element types");
}
// The elements' order; null: the context has 42883.
inline const TypeOrder* array_order(FuncContext& context, const ArrayView& a) {
  const TypeOrder* order = order_of(context, a.element_type());
  if (order == nullptr) fail_no_comparison(context, a.element_type());
  return order;
}
// The same for those that only ask what is equal.
inline const TypeOrder* array_equality(FuncContext& context, const ArrayView& a) {
  const TypeOrder* order = order_of(context, a.element_type());
  if (order == nullptr) fail_no_equality(context, a.element_type());
  return order;
}

}  // namespace indigo::types
