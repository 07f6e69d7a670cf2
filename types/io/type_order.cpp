// Order, equality and hash of each type's default operator classes. All integers hash alike and both floats do, so that
// values which compare equal across those types also meet in a hash table.
#include <algorithm>
#include <array>
#include <utility>

#include <absl/hash/hash.h>

#include "base/fiber/long_work.h"
#include "types/function/compare.h"
#include "types/function/registry.h"
#include "types/io/held_order.h"
#include "types/io/record.h"
#include "types/io/type_definition.h"
#include "types/io/type_orders.h"
#include "types/json/jsonb.h"
#include "types/network/address.h"
#include "types/number/float.h"
#include "types/numeric/numeric.h"
#include "types/oids.h"
#include "types/range/range.h"
#include "types/text/strings.h"
#include "types/value/array_format.h"
#include "types/value/collator.h"
#include "types/value/numeric_format.h"

namespace indigo::types {

namespace {

using CompareFunction = int (*)(const Datum&, const Datum&);
using HashFunction = uint64_t (*)(const Datum&);

// A TypeOrder made of a comparison and a hash that know no collations.
template <CompareFunction C, HashFunction H>
constexpr TypeOrder kOrder{[](const Datum& a, const Datum& b, const Collator*) { return C(a, b); },
                           [](const Datum& a, const Datum& b, const Collator*) { return C(a, b) == 0; },
                           [](const Datum& v, const Collator*) { return H(v); }};

uint64_t hash_integer(int64_t v) { return absl::HashOf(v); }
uint64_t hash_float(double v) {
  if (v != v) return absl::HashOf(0x7ff8000000000000ull);
  return absl::HashOf(v == 0 ? 0.0 : v);
}
void note_bytes(size_t bytes) {
  constexpr size_t kLongBytes = 4096;
  if (bytes > kLongBytes) note_work(bytes / 4);
}
uint64_t hash_string(Str s) {
  note_bytes(s.size());
  return absl::HashOf(absl::string_view(s.data(), s.size()));
}

int compare_interval(const Datum& a, const Datum& b) {
  const auto total = [](const Interval& v) {
    return static_cast<Int128>(v.microseconds) +
           (static_cast<Int128>(v.months) * 30 + v.days) * (int64_t{86400} * 1000000);
  };
  return three_way(total(a.interval), total(b.interval));
}
uint64_t hash_interval(const Datum& d) {
  const Interval& v = d.interval;
  const Int128 total =
      static_cast<Int128>(v.microseconds) + (static_cast<Int128>(v.months) * 30 + v.days) * (int64_t{86400} * 1000000);
  return absl::HashOf(static_cast<int64_t>(total), static_cast<int64_t>(total >> 64));
}
int compare_timetz(const Datum& a, const Datum& b) {
  const auto utc = [](const TimeTz& v) { return v.microseconds + int64_t{v.zone_seconds_west} * 1000000; };
  const int c = three_way(utc(a.timetz), utc(b.timetz));
  return c != 0 ? c : three_way(a.timetz.zone_seconds_west, b.timetz.zone_seconds_west);
}

// Text: F is what of it counts.
template <Str (*F)(Str)>
constexpr TypeOrder kTextOrder{[](const Datum& a, const Datum& b, const Collator* c) {
                                 note_bytes(std::min(a.str.size(), b.str.size()));
                                 return collate(c, F(a.str), F(b.str));
                               },
                               [](const Datum& a, const Datum& b, const Collator* c) {
                                 return c == nullptr ? F(a.str) == F(b.str) : c->equal(F(a.str), F(b.str));
                               },
                               [](const Datum& v, const Collator* c) {
                                 if (c == nullptr || c->deterministic()) return hash_string(F(v.str));
                                 std::string key;
                                 c->append_equality_key(F(v.str), key);
                                 return hash_string(key);
                               }};
Str whole_text(Str s) { return s; }
// Bit strings: the bits, then the length.
int compare_bits(const Datum& a, const Datum& b) {
  const int c = a.str.substr(4).compare(b.str.substr(4));
  return c != 0 ? c : three_way(load_unaligned<int32_t>(a.str.data()), load_unaligned<int32_t>(b.str.data()));
}

// ---- arrays: elements, then their number, dimensions and bounds. Nulls equal each other and are above all.
// An element type that is not built in is an enum or a composite type.
int compare_elements(const TypeOrder& order, const Datum& a, const Datum& b, const Collator* collator) {
  note_work(8);
  if (a.null || b.null) return three_way(a.null, b.null);
  // An order that a class of users' own defines, or a range's bounds have.
  if (collator != nullptr && collator->values() != nullptr) return collator->values()->compare(a, b);
  return order.compare(a, b, collator);
}

int compare_arrays(const Datum& x, const Datum& y, const Collator* collator) {
  const ArrayView a(x.str), b(y.str);
  if (a.element_type() != b.element_type()) return three_way(a.element_type(), b.element_type());  // of type anyarray
  const HeldOrder held = order_of_member(a.element_type(), a.element_phys(), collator);
  for (int32_t i = 0; held.order != nullptr && i < std::min(a.count(), b.count()); i++)
    if (const int c = compare_elements(*held.order, a.element(i), b.element(i), held.collator)) return c;
  if (const int c = three_way(a.count(), b.count())) return c;
  if (const int c = three_way(a.dimensions(), b.dimensions())) return c;
  for (int d = 0; d < a.dimensions(); d++)
    if (const int c = three_way(a.dimension(d).length, b.dimension(d).length)) return c;
  for (int d = 0; d < a.dimensions(); d++)
    if (const int c = three_way(a.dimension(d).lower, b.dimension(d).lower)) return c;
  return 0;
}
uint64_t hash_array(const Datum& v, const Collator* collator) {
  const ArrayView a(v.str);
  const HeldOrder held = order_of_member(a.element_type(), a.element_phys(), collator);
  uint64_t hash = 1;
  for (int32_t i = 0; held.order != nullptr && i < a.count(); i++) {
    note_work(8);
    hash = hash * 31 + (a.is_null(i) ? 0 : held.order->hash(a.element(i), held.collator));
  }
  return hash;
}

// The texts in a record are in C order, whatever the record is compared under.
const Collator* collator_of_fields(const Collator* collator) {
  return collator != nullptr && collator->members() != nullptr ? collator : nullptr;
}

// A value from before an attribute was added is as one with a null there.
int compare_records(const Datum& x, const Datum& y, const Collator* collator) {
  const RecordFields a = read_record(x.str), b = read_record(y.str);
  for (size_t i = 0; i < std::max(a.values.size(), b.values.size()); i++) {
    const RecordFields& longer = i < a.values.size() ? a : b;
    const Phys phys = longer.values[i].phys;
    // Values of different types are not looked into; records of different shapes are still in some order.
    if (i < a.values.size() && i < b.values.size() && a.types[i].oid != b.types[i].oid)
      return three_way(a.types[i].oid, b.types[i].oid);
    const HeldOrder held = order_of_member(longer.types[i].oid, phys, collator_of_fields(collator));
    const Datum null = Datum::make_null(phys);
    const Datum& left = i < a.values.size() ? a.values[i] : null;
    const Datum& right = i < b.values.size() ? b.values[i] : null;
    if (held.order == nullptr || left.phys != right.phys) continue;
    if (const int c = compare_elements(*held.order, left, right, held.collator)) return c;
  }
  return 0;
}
uint64_t hash_record(const Datum& v, const Collator* collator) {
  RecordFields a = read_record(v.str);
  while (!a.values.empty() && a.values.back().null) a.values.pop_back();
  uint64_t hash = 1;
  for (size_t i = 0; i < a.values.size(); i++) {
    const HeldOrder held = order_of_member(a.types[i].oid, a.values[i].phys, collator_of_fields(collator));
    hash = hash * 31 + (a.values[i].null || held.order == nullptr ? 0 : held.order->hash(a.values[i], held.collator));
  }
  return hash;
}
constexpr TypeOrder kRecordOrder{
    compare_records, [](const Datum& a, const Datum& b, const Collator* c) { return compare_records(a, b, c) == 0; },
    hash_record};

// Records, and what arrays of pseudo-types have for elements, have no definition.
const TypeOrder* order_of_builtin(Oid type) {
  if (const TypeDefinition* definition = type_definition(type)) return definition->order;
  switch (type) {
    case oid::kAnyEnum: return &kOidOrder;
    case oid::kAnyArray: return &kArrayOrder;
    case oid::kRecord: return &kRecordOrder;
    default: return nullptr;
  }
}

// Without the catalog it is not known whether a user's type is a composite one, an array or a domain: a value that is no record is
// compared as the collator says, which who knows the type has chosen (CatalogView::collator_of_type), else byte by byte.
int compare_of_user_type(const Datum& a, const Datum& b, const Collator* collator) {
  const bool left = is_record_image(a.str), right = is_record_image(b.str);
  if (left != right) return three_way(left, right);  // records are above all else, as in keys
  return left ? compare_records(a, b, collator) : collate(collator, a.str, b.str);
}
uint64_t hash_of_user_type(const Datum& v, const Collator* collator) {
  return is_record_image(v.str) ? hash_record(v, collator) : kCollatedOrder.hash(v, collator);
}
constexpr TypeOrder kUserOrder{
    compare_of_user_type,
    [](const Datum& a, const Datum& b, const Collator* c) { return compare_of_user_type(a, b, c) == 0; },
    hash_of_user_type};

}  // namespace

constinit const TypeOrder kBoolOrder = kOrder<[](const Datum& a, const Datum& b) { return three_way(a.b, b.b); },
                                              [](const Datum& v) { return hash_integer(v.b); }>;
constinit const TypeOrder kI16Order = kOrder<[](const Datum& a, const Datum& b) { return three_way(a.i16, b.i16); },
                                             [](const Datum& v) { return hash_integer(v.i16); }>;
constinit const TypeOrder kI32Order = kOrder<[](const Datum& a, const Datum& b) { return three_way(a.i32, b.i32); },
                                             [](const Datum& v) { return hash_integer(v.i32); }>;
constinit const TypeOrder kI64Order = kOrder<[](const Datum& a, const Datum& b) { return three_way(a.i64, b.i64); },
                                             [](const Datum& v) { return hash_integer(v.i64); }>;
constinit const TypeOrder kOidOrder = kOrder<[](const Datum& a, const Datum& b) { return three_way(a.oid(), b.oid()); },
                                             [](const Datum& v) { return hash_integer(v.oid()); }>;
constinit const TypeOrder kU64Order = kOrder<[](const Datum& a, const Datum& b) {
  return three_way(static_cast<uint64_t>(a.i64), static_cast<uint64_t>(b.i64));
},
                                             [](const Datum& v) { return hash_integer(v.i64); }>;
constinit const TypeOrder kF32Order =
    kOrder<[](const Datum& a, const Datum& b) { return compare_floats(a.f32, b.f32); },
           [](const Datum& v) { return hash_float(v.f32); }>;
constinit const TypeOrder kF64Order =
    kOrder<[](const Datum& a, const Datum& b) { return compare_floats(a.f64, b.f64); },
           [](const Datum& v) { return hash_float(v.f64); }>;
constinit const TypeOrder kBytesOrder = kOrder<[](const Datum& a, const Datum& b) { return a.str.compare(b.str); },
                                               [](const Datum& v) { return hash_string(v.str); }>;
constinit const TypeOrder kNumericOrder =
    kOrder<[](const Datum& a, const Datum& b) { return numeric_compare(a.str, b.str); },
           [](const Datum& v) { return numeric_hash(v.str); }>;
constinit const TypeOrder kIntervalOrder = kOrder<compare_interval, hash_interval>;
constinit const TypeOrder kTimeTzOrder = kOrder<compare_timetz, [](const Datum& v) {
  return absl::HashOf(v.timetz.microseconds + int64_t{v.timetz.zone_seconds_west} * 1000000,
                      v.timetz.zone_seconds_west);
}>;
constinit const TypeOrder kUuidOrder =
    kOrder<[](const Datum& a, const Datum& b) { return std::memcmp(a.uuid.bytes, b.uuid.bytes, 16); },
           [](const Datum& v) { return absl::HashOf(v.block.words[0], v.block.words[1]); }>;
constinit const TypeOrder kJsonbOrder =
    kOrder<[](const Datum& a, const Datum& b) { return compare_jsonb(JsonbView(a.str), JsonbView(b.str)); },
           [](const Datum& v) { return hash_jsonb(JsonbView(v.str)); }>;
constinit const TypeOrder kNetworkOrder = kOrder<[](const Datum& a, const Datum& b) {
  return compare_addresses(NetworkAddress::from_image(a.str), NetworkAddress::from_image(b.str));
},
                                                 [](const Datum& v) { return hash_string(v.str); }>;
constinit const TypeOrder kBitsOrder = kOrder<compare_bits, [](const Datum& v) { return hash_string(v.str); }>;
constinit const TypeOrder kArrayOrder{
    compare_arrays, [](const Datum& a, const Datum& b, const Collator* c) { return compare_arrays(a, b, c) == 0; },
    hash_array};
constinit const TypeOrder kCollatedOrder = kTextOrder<whole_text>;
constinit const TypeOrder kPaddedOrder = kTextOrder<without_trailing_blanks>;

namespace {

std::string label_of(const Datum& v, const Collator* c) {
  std::string key;
  c->append_value_key(v, key);
  return key;
}
int compare_by_function(const Datum& a, const Datum& b, const Collator* c) { return c->values()->compare(a, b); }
int compare_labels(const Datum& a, const Datum& b, const Collator* c) { return label_of(a, c).compare(label_of(b, c)); }
uint64_t hash_label(const Datum& v, const Collator* c) { return hash_string(label_of(v, c)); }

template <int (*C)(const Datum&, const Datum&, const Collator*)>
constexpr TypeOrder kOrderOfClass{C, [](const Datum& a, const Datum& b, const Collator* c) { return C(a, b, c) == 0; },
                                  hash_label};

}  // namespace

const TypeOrder& defined_order() { return kOrderOfClass<compare_by_function>; }
const TypeOrder& labelled_order() { return kOrderOfClass<compare_labels>; }

const TypeOrder* order_of_held(Oid type, Phys phys) {
  if (const TypeOrder* order = type_order(type)) return order;
  if (type < oid::kFirstUserOid) return nullptr;
  switch (phys) {  // domains; of four bytes: enums, too
    case Phys::kBool: return order_of_builtin(oid::kBool);
    case Phys::kI16: return order_of_builtin(oid::kInt2);
    case Phys::kI32: return &kOidOrder;
    case Phys::kI64: return order_of_builtin(oid::kInt8);
    case Phys::kF32: return order_of_builtin(oid::kFloat4);
    case Phys::kF64: return order_of_builtin(oid::kFloat8);
    case Phys::kB16: return order_of_builtin(oid::kUuid);
    case Phys::kStr: break;
  }
  return &kUserOrder;
}

HeldOrder order_of_member(Oid type, Phys phys, const Collator* collator) {
  const MemberOrders* members = collator == nullptr ? nullptr : collator->members();
  if (members == nullptr) return {order_of_held(type, phys), collator};
  if (type >= oid::kFirstUserOid)
    if (const MemberOrder* own = members->find(type)) return {own->order, own->collator};
  const TypeOrder* order = order_of_held(type, phys);
  const bool looked_into = order == &kArrayOrder || order == &kRecordOrder || order == &kUserOrder;
  return {order, looked_into ? collator : nullptr};
}

const TypeOrder* type_order(Oid type) {
  if (const TypeOrder* order = order_of_builtin(type)) return order;
  return is_array_type(type) ? &kArrayOrder : nullptr;
}

const TypeOrder* type_order(const TypeInfo& type) {
  if (const TypeOrder* order = type_order(type.oid)) return order;
  if (type.is_array()) return &kArrayOrder;
  if (type.definition != nullptr) return type.definition->order;
  if (!type.comparison.empty()) return &kCollatedOrder;  // an extension's string type, under a collator of its own
  switch (type.kind) {
    case 'e': return &kOidOrder;
    case 'c': return &kRecordOrder;
    case 'd': return type_order(type.base);
    case 'r': return &kRangeOrder;
    case 'm': return &kMultirangeOrder;
    default: return nullptr;
  }
}

}  // namespace indigo::types
