// How each kind of value becomes ordered bytes, besides what the header says:
//   oid and its aliases, "char"   unsigned big-endian
//   bool                          one byte
//   uuid, tid, macaddr, macaddr8  their bytes, as many for all values; a tid's image is big-endian already
//   inet, cidr                    family, network (the address without its host bits), bits of the mask, address
//   interval                      128-bit count of microseconds with 30-day months and 24-hour days
//   timetz                        UTC time of day, then the zone
//   bit, varbit                   the escaped bytes, then the length in bits
//   array                         per element 0x01 and its key, or 0x02 for null; 0x00; then dimensions and lower bounds
//   range                         0x01 when empty, else 0x02 and its bounds: infinity, or the value's key and the bound's side
//   multirange                    its ranges, 0x00
//   jsonb                         its kind (empty array, scalar, array, object), then the value: its kind and
//                                 text, number, boolean, or count and members
//   composite type                per field as an array's elements, but 0x03 behind the last that is not null: what was added
//                                 since counts as null
//   enum                          its label's oid (labels are numbered in their order)
//   under an operator class       a label of its own (types/value/order_labels.h)
//     of users' own
#include "types/value/key_codec.h"

#include <bit>
#include <cstring>

#include "types/builtin/static_table.h"
#include "types/function/registry.h"
#include "types/generated/columns.h"
#include "types/io/record.h"
#include "types/io/type_definition.h"
#include "types/json/jsonb.h"
#include "types/oids.h"
#include "types/range/range.h"
#include "types/textsearch/tsquery.h"
#include "types/textsearch/tsvector.h"
#include "types/value/array_format.h"
#include "types/value/collator.h"
#include "types/value/numeric_format.h"

namespace indigo::types {

namespace {

using Kind = KeyForm;

// Forms of types whose definition names none: they order as what they are made of does.
constexpr Kind kJsonbForm = static_cast<Kind>(200), kRecordForm = static_cast<Kind>(201);
// Of a user's type that is held as bytes: a composite value, or others.
constexpr Kind kUserForm = static_cast<Kind>(202);
// In the order that a function defines.
constexpr Kind kDefinedForm = static_cast<Kind>(203);

Oid element_of_array(Oid array) {
  const StaticTable& types = static_table_of(pg_type::kOid);
  return types.columns[pg_type::c_typelem].cell(static_cast<uint32_t>(types.find_oid(array)));
}

// Forms of one type each, which the types' own folders write.
constexpr auto kTsVectorForm = static_cast<Kind>(64), kTsQueryForm = static_cast<Kind>(65);

Kind kind_of(Oid type) {
  if (type == oid::kTsVector) return kTsVectorForm;
  if (type == oid::kTsQuery) return kTsQueryForm;
  if (type == oid::kRecord) return kRecordForm;
  if (type == oid::kJsonb) return kJsonbForm;
  if (const TypeDefinition* definition = type_definition(type)) return definition->key;
  if (!is_array_type(type)) return Kind::kNone;
  const TypeDefinition* element = type_definition(element_of_array(type));
  return element == nullptr || element->key == Kind::kNone || element->key == Kind::kArray ? Kind::kNone : Kind::kArray;
}

// User-defined types: enums are the only ones that are held as kI32.
Kind kind_of(Oid type, Phys phys) {
  if (type >= oid::kFirstUserOid && phys == Phys::kI32) return Kind::kU32;
  return kind_of(type);
}

// Within a value nothing is known of a user's type but how it is held (io/type_order.cpp compares it likewise).
Kind kind_of_member(Oid type, Phys phys) {
  const Kind kind = kind_of(type, phys);
  if (kind != Kind::kNone || type < oid::kFirstUserOid) return kind;
  switch (phys) {
    case Phys::kBool: return Kind::kBool;
    case Phys::kI16: return Kind::kI16;
    case Phys::kI64: return Kind::kI64;
    case Phys::kF32: return Kind::kF32;
    case Phys::kF64: return Kind::kF64;
    case Phys::kB16: return Kind::kUuid;
    default: return kUserForm;
  }
}

template <class U>
void append_unsigned(U value, std::string& out) {
  value = big_endian(value);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
template <class U>
void append_signed(U bits, std::string& out) {
  append_unsigned(static_cast<U>(bits ^ (U{1} << (sizeof(U) * 8 - 1))), out);
}

// Positive floats get the sign bit, negative ones are inverted; all NaNs are one value above infinity.
template <class U, class F>
void append_float(F value, std::string& out) {
  constexpr U kSign = U{1} << (sizeof(U) * 8 - 1);
  U bits = std::bit_cast<U>(value == 0 ? F{0} : value);
  if (value != value) bits = static_cast<U>(~U{0} >> 1);
  append_unsigned(static_cast<U>(bits & kSign ? ~bits : bits | kSign), out);
}

// One byte for exponents (of 100) in -100..100, else a marker and three bytes.
void append_exponent(int32_t exponent, std::string& out) {
  if (exponent >= -100 && exponent <= 100) {
    out.push_back(static_cast<char>(128 + exponent));
    return;
  }
  out.push_back(exponent > 0 ? '\xF0' : '\x10');
  const uint32_t biased = static_cast<uint32_t>(exponent + (1 << 23));
  out.push_back(static_cast<char>(biased >> 16));
  out.push_back(static_cast<char>(biased >> 8));
  out.push_back(static_cast<char>(biased));
}

// Class byte (0 -inf, 1 negative, 2 zero, 3 positive, 4 +inf, 5 NaN); then exponent and base-100 digits + 1, ended by
// 0, all inverted for negatives.
void append_numeric(Str image, std::string& out) {
  switch (static_cast<uint8_t>(image[0])) {
    case kNumericMinusInfinity: out.push_back(0); return;
    case kNumericPlusInfinity: out.push_back(4); return;
    case kNumericNan: out.push_back(5); return;
    default: break;
  }
  const DecimalDigits decimal = numeric_digits(image);
  if (decimal.digits.empty()) {
    out.push_back(2);
    return;
  }
  out.push_back(decimal.negative ? 1 : 3);
  const size_t from = out.size();
  // The first pair has one digit when the exponent is even.
  const int32_t exponent100 = decimal.exponent >> 1;
  append_exponent(exponent100, out);
  const auto digit = [&](size_t i) { return i < decimal.digits.size() ? decimal.digits[i] - '0' : 0; };
  size_t i = 0;
  if (decimal.exponent - exponent100 * 2 == 0) out.push_back(static_cast<char>(digit(i++) + 1));
  for (; i < decimal.digits.size(); i += 2) out.push_back(static_cast<char>(digit(i) * 10 + digit(i + 1) + 1));
  out.push_back(0);
  if (decimal.negative)
    for (size_t k = from; k < out.size(); k++) out[k] = static_cast<char>(~out[k]);
}

void append_interval(const Interval& v, std::string& out) {
  constexpr int64_t kDay = int64_t{86400} * 1000000;
  const Int128 total = static_cast<Int128>(v.microseconds) + (static_cast<Int128>(v.months) * 30 + v.days) * kDay;
  append_signed(static_cast<uint64_t>(total >> 64), out);
  append_unsigned(static_cast<uint64_t>(total), out);
}

// Of addresses of one family the network decides, as far as both masks reach; then the shorter mask comes first: its
// network, filled up with zeros, is the smaller one or the same. (The image: types/network/address.h.)
void append_network(Str image, std::string& out) {
  const auto bits = static_cast<uint8_t>(image[1]);
  const Str address = image.substr(2);
  out.push_back(image[0]);
  out.append(address.substr(0, bits / 8));
  if (bits % 8 != 0) out.push_back(static_cast<char>(address[bits / 8] & (0xFF00 >> (bits % 8))));
  out.append(address.size() - (bits + 7) / 8, '\0');
  out.push_back(image[1]);
  out.append(address);
}

void append_value(Kind kind, const Datum& value, const Collator* collator, std::string& out);

void append_text(Str text, const Collator* collator, std::string& out) {
  if (collator == nullptr) {
    append_escaped_text(text, out);
  } else {
    collator->append_key(text, out);
  }
}

// Of what is in a value whose key is made under `collator` (as order_of_member in io/type_order.cpp).
struct MemberKey {
  Kind kind;
  const Collator* collator;
};
MemberKey key_of_member(Oid type, Phys phys, const Collator* collator) {
  const MemberOrders* members = collator == nullptr ? nullptr : collator->members();
  if (members == nullptr) return {kind_of_member(type, phys), collator};
  if (type >= oid::kFirstUserOid)
    if (const MemberOrder* own = members->find(type)) return {kind_of_member(own->key_type, own->phys), own->collator};
  const Kind kind = kind_of_member(type, phys);
  return {kind, kind == Kind::kArray || kind == kRecordForm || kind == kUserForm ? collator : nullptr};
}

void append_array(Str image, const Collator* collator, std::string& out) {
  const ArrayView array(image);
  const MemberKey element = key_of_member(array.element_type(), array.element_phys(), collator);
  for (int32_t i = 0; i < array.count(); i++) {
    out.push_back(array.is_null(i) ? 2 : 1);
    if (!array.is_null(i)) append_value(element.kind, array.element(i), element.collator, out);
  }
  out.push_back(0);
  out.push_back(static_cast<char>(array.dimensions()));
  for (int d = 0; d < array.dimensions(); d++) append_signed(static_cast<uint32_t>(array.dimension(d).length), out);
  for (int d = 0; d < array.dimensions(); d++) append_signed(static_cast<uint32_t>(array.dimension(d).lower), out);
}

// An exclusive lower bound is just above its value, an exclusive upper one just below.
void append_bound(const RangeBound& bound, Kind element, std::string& out) {
  if (bound.infinite) {
    out.push_back(bound.lower ? 0 : 2);
    return;
  }
  out.push_back(1);
  append_value(element, bound.value, nullptr, out);
  out.push_back(bound.inclusive ? 1 : bound.lower ? 2 : 0);
}

void append_range(const RangeValue& range, std::string& out) {
  out.push_back(range.empty ? 1 : 2);
  if (range.empty) return;
  const Kind element = kind_of(range.element, range.phys);
  append_bound(range.lower, element, out);
  append_bound(range.upper, element, out);
}

void append_member(JsonbView v, std::string& out);

void append_members(JsonbView v, std::string& out) {
  append_unsigned(static_cast<uint32_t>(v.count()), out);
  for (int32_t i = 0; i < v.count(); i++) {
    if (v.kind() == JsonKind::kObject) append_escaped_text(v.key(i), out);
    append_member(v.value(i), out);
  }
}

void append_member(JsonbView v, std::string& out) {
  out.push_back(static_cast<char>(v.kind()));
  switch (v.kind()) {
    case JsonKind::kNull: break;
    case JsonKind::kString: append_escaped_text(v.string(), out); break;
    case JsonKind::kNumber: append_numeric(v.number(), out); break;
    case JsonKind::kBool: out.push_back(v.boolean() ? 1 : 0); break;
    case JsonKind::kArray:
    case JsonKind::kObject: append_members(v, out); break;
  }
}

// A scalar document lies between the empty array and those with elements (compare_jsonb).
void append_jsonb(JsonbView v, std::string& out) {
  if (v.kind() == JsonKind::kObject) {
    out.push_back(3);
    append_members(v, out);
  } else if (v.kind() != JsonKind::kArray) {
    out.push_back(1);
    append_member(v, out);
  } else {
    out.push_back(v.count() == 0 ? 0 : 2);
    append_members(v, out);
  }
}

void append_record(Str image, const Collator* collator, std::string& out) {
  const Collator* fields_collator = collator != nullptr && collator->members() != nullptr ? collator : nullptr;
  RecordFields fields = read_record(image);
  while (!fields.values.empty() && fields.values.back().null) fields.values.pop_back();
  for (size_t i = 0; i < fields.values.size(); i++) {
    const Datum& value = fields.values[i];
    out.push_back(value.null ? 2 : 1);
    if (value.null) continue;
    const MemberKey field = key_of_member(fields.types[i].oid, value.phys, fields_collator);
    append_value(field.kind, value, field.collator, out);
  }
  out.push_back(3);
}

void append_user_text(Str bytes, const Collator* collator, std::string& out) {
  const bool record = is_record_image(bytes);
  out.push_back(record ? 1 : 0);
  if (record) return append_record(bytes, collator, out);
  append_text(bytes, collator, out);
}

void append_value(Kind kind, const Datum& value, const Collator* collator, std::string& out) {
  if (kind == kTsVectorForm) return append_tsvector_key(value.str, out);
  if (kind == kTsQueryForm) return append_tsquery_key(value.str, out);
  if (kind == kJsonbForm) return append_jsonb(JsonbView(value.str), out);
  if (kind == kRecordForm) return append_record(value.str, collator, out);
  if (kind == kUserForm) return append_user_text(value.str, collator, out);
  if (kind == kDefinedForm) return collator->append_value_key(value, out);
  switch (kind) {
    case Kind::kNone: break;
    case Kind::kBool: out.push_back(value.b ? 1 : 0); break;
    case Kind::kI16: append_signed(static_cast<uint16_t>(value.i16), out); break;
    case Kind::kI32: append_signed(static_cast<uint32_t>(value.i32), out); break;
    case Kind::kI64: append_signed(static_cast<uint64_t>(value.i64), out); break;
    case Kind::kU32: append_unsigned(static_cast<uint32_t>(value.i32), out); break;
    case Kind::kU64: append_unsigned(static_cast<uint64_t>(value.i64), out); break;
    case Kind::kF32: append_float<uint32_t>(value.f32, out); break;
    case Kind::kF64: append_float<uint64_t>(value.f64, out); break;
    case Kind::kText: append_text(value.str, collator, out); break;
    case Kind::kBpchar: append_text(value.str.substr(0, value.str.find_last_not_of(' ') + 1), collator, out); break;
    case Kind::kNumeric: append_numeric(value.str, out); break;
    case Kind::kInterval: append_interval(value.interval, out); break;
    case Kind::kUuid: out.append(reinterpret_cast<const char*>(value.uuid.bytes), sizeof value.uuid.bytes); break;
    case Kind::kTimeTz:
      append_signed(
          static_cast<uint64_t>(value.timetz.microseconds + value.timetz.zone_seconds_west * int64_t{1000000}), out);
      append_signed(static_cast<uint32_t>(value.timetz.zone_seconds_west), out);
      break;
    case Kind::kFixedBytes: out.append(value.str); break;
    case Kind::kNetwork: append_network(value.str, out); break;
    case Kind::kBit:
      append_escaped_text(value.str.substr(4), out);
      append_unsigned(load_unaligned<uint32_t>(value.str.data()), out);
      break;
    case Kind::kArray: append_array(value.str, collator, out); break;
    case Kind::kRange: append_range(read_range(value.str), out); break;
    case Kind::kMultirange:
      for (const RangeValue& range : read_multirange(value.str).ranges) append_range(range, out);
      out.push_back(0);
      break;
  }
}

}  // namespace

void append_escaped_text(Str s, std::string& out) {
  while (true) {
    const void* zero = s.empty() ? nullptr : std::memchr(s.data(), 0, s.size());
    if (zero == nullptr) break;
    const size_t n = static_cast<size_t>(static_cast<const char*>(zero) - s.data()) + 1;
    out.append(s.data(), n);
    out.push_back('\xFF');
    s.remove_prefix(n);
  }
  out.append(s);
  out.append("\0\1", 2);
}

KeyLayout::KeyLayout(std::vector<KeyColumn> columns) : columns_(std::move(columns)) {
  kinds_.reserve(columns_.size());
  for (const KeyColumn& c : columns_) {
    const bool defined = c.collator != nullptr && c.collator->values() != nullptr;
    kinds_.push_back(static_cast<uint8_t>(defined ? kDefinedForm : kind_of(c.type, c.phys)));
  }
}

bool KeyLayout::encodable(Oid type) { return kind_of(type) != Kind::kNone; }
bool KeyLayout::encodable(Oid type, Phys phys) { return kind_of(type, phys) != Kind::kNone; }

void KeyLayout::append(std::span<const Datum> values, std::string& out) const {
  for (size_t i = 0; i < values.size(); i++) append_column(i, values[i], out);
}

void KeyLayout::append_column(size_t column, const Datum& value, std::string& out) const {
  const KeyColumn& c = columns_[column];
  if (value.null) {
    out.push_back(c.nulls_first ? 0 : 2);
    return;
  }
  if (c.nullable) out.push_back(1);
  const size_t from = out.size();
  append_value(static_cast<Kind>(kinds_[column]), value, c.collator, out);
  if (c.descending)
    for (size_t i = from; i < out.size(); i++) out[i] = static_cast<char>(~out[i]);
}

void KeyLayout::successor(std::string& key) {
  while (!key.empty() && key.back() == '\xFF') key.pop_back();
  if (!key.empty()) key.back() = static_cast<char>(key.back() + 1);
}

}  // namespace indigo::types
