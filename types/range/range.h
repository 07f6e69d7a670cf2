// Ranges and multiranges as values, and the bytes that they are.
//
//   range       uint32 range type, uint32 element type, uint8 flags, uint8 physical kind of the elements, 2 zero bytes,
//               then each finite bound: a fixed-width value, or uint32 length and bytes
//   multirange  uint32 multirange type, uint32 range type, uint32 element type, uint8 physical kind, 3 zero bytes,
//               uint32 count, then for each range uint32 length and its image
//
// Invariants:
// 1. A range is normal: its lower bound is not above its upper one, a range without elements is the empty one, infinite bounds
//    are exclusive, and ranges with a canonical function are as it makes them: those of int4, int8 and date are [).
// 2. A multirange's ranges are ordered, not empty, and neither overlap nor touch.
// 3. Equal values have equal images, if equal elements have.
// Thread safety: values; a RangeValue of an image borrows its strings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "types/function/context.h"
#include "types/function/registry.h"
#include "types/value/datum.h"

namespace indigo::types {

// How bounds compare: what the range type's operator class, collation and element type say.
struct ElementOrder {
  const TypeOrder* order = nullptr;
  const Collator* collator = nullptr;
  int compare(const Datum& a, const Datum& b) const { return order->compare(a, b, collator); }
  uint64_t hash(const Datum& value) const { return order->hash(value, collator); }
};

struct RangeBound {
  Datum value;  // of a finite bound
  bool infinite = false, inclusive = false, lower = false;
};

struct RangeValue {
  Oid type = kInvalidOid, element = kInvalidOid;
  Phys phys = Phys::kI32;
  bool empty = false;
  ElementOrder order;
  RangeBound lower{{}, false, false, true}, upper;
};

struct MultirangeValue {
  Oid type = kInvalidOid, range = kInvalidOid, element = kInvalidOid;
  Phys phys = Phys::kI32;
  ElementOrder order;
  std::vector<RangeValue> ranges;
  bool empty() const { return ranges.empty(); }
};

// How images, the binary form and PostgreSQL's hash write what is not a value: empty 1, lower inclusive 2, upper inclusive 4,
// lower infinite 8, upper infinite 16.
uint8_t range_flags(const RangeValue& range);
void set_range_flags(RangeValue& range, uint8_t flags);

// ---- images
// Under the order that the elements' type has by itself.
RangeValue read_range(Str image);
MultirangeValue read_multirange(Str image);
RangeValue read_range(Str image, const ElementOrder& order);
MultirangeValue read_multirange(Str image, const ElementOrder& order);
// Under the order that its type has in the catalog.
RangeValue read_range(FuncContext& context, Str image);
MultirangeValue read_multirange(FuncContext& context, Str image);
std::string range_image(const RangeValue& range);
std::string multirange_image(const MultirangeValue& multirange);

// ---- the types. False: the context has an error.
bool describe_range(FuncContext& context, Oid range_type, RangeValue& out);  // an empty one
bool describe_multirange(FuncContext& context, Oid multirange_type, MultirangeValue& out);
RangeValue empty_like(const RangeValue& range);
RangeValue range_like(const MultirangeValue& multirange);  // empty

// ---- making. False: the context has an error.
// Empty when nothing lies between the bounds; false when they are in the wrong order.
bool settle(RangeValue& range);
bool normalize(FuncContext& context, RangeValue& range);
bool make_range(FuncContext& context, const RangeValue& like, RangeBound lower, RangeBound upper, RangeValue& out);
void normalize(MultirangeValue& multirange);  // its ranges are normal

// ---- order
extern const TypeOrder kRangeOrder, kMultirangeOrder;
inline const ElementOrder& element_order(const RangeValue& range) { return range.order; }
// Of bounds as places on the line; compare_values leaves out whether they are inclusive.
int compare_bounds(const ElementOrder& order, const RangeBound& a, const RangeBound& b);
int compare_values(const ElementOrder& order, const RangeBound& a, const RangeBound& b);
int compare_ranges(const RangeValue& a, const RangeValue& b);
int compare_multiranges(const MultirangeValue& a, const MultirangeValue& b);

// ---- relations of two ranges
bool range_contains(const RangeValue& a, const RangeValue& b);
bool range_contains_element(const RangeValue& a, const Datum& value);
bool range_before(const RangeValue& a, const RangeValue& b);
bool range_overlaps(const RangeValue& a, const RangeValue& b);
bool range_adjacent(const RangeValue& a, const RangeValue& b);
// The upper bound `a` and the lower bound `b` have nothing between them and nothing in common.
bool bounds_adjacent(const ElementOrder& order, const RangeBound& a, const RangeBound& b);
// From the lower one of the lower bounds to the upper one of the upper bounds.
RangeValue range_hull(const RangeValue& a, const RangeValue& b);
RangeValue range_intersection(const RangeValue& a, const RangeValue& b);
// The bound on the other side of the gap: [ becomes ), ( becomes ].
RangeBound turned(RangeBound bound);

// ---- text and binary forms, by the type's OID (range_io.cpp)
Datum range_input(FuncContext& context, const TypeRef& type, Str text);
void range_output(FuncContext& context, const TypeRef& type, const Datum& value, std::string& out);
Datum range_receive(FuncContext& context, const TypeRef& type, Str bytes);
void range_send(FuncContext& context, const TypeRef& type, const Datum& value, std::string& out);
Datum multirange_input(FuncContext& context, const TypeRef& type, Str text);
void multirange_output(FuncContext& context, const TypeRef& type, const Datum& value, std::string& out);
Datum multirange_receive(FuncContext& context, const TypeRef& type, Str bytes);
void multirange_send(FuncContext& context, const TypeRef& type, const Datum& value, std::string& out);

}  // namespace indigo::types
