// bool, the integers, oid, xid, cid, floats and numeric.
#include <bit>
#include <cstdlib>

#include "base/sqlstate.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/io/type_definition.h"
#include "types/number/float.h"
#include "types/number/integer_text.h"
#include "types/numeric/numeric.h"
#include "types/oids.h"
#include "types/text/boolean_word.h"

namespace indigo::types {

namespace {

template <class T>
constexpr Phys kPhysOf = sizeof(T) == 2   ? Phys::kI16
                         : sizeof(T) == 4 ? Phys::kI32
                                          : Phys::kI64;
template <class T>
constexpr const char* kNameOf = sizeof(T) == 2   ? "smallint"
                                : sizeof(T) == 4 ? "integer"
                                                 : "bigint";

template <class T>
Datum integer_in(FuncContext& context, const TypeRef&, Str text) {
  T value{};
  switch (parse_integer(text, value)) {
    case IntegerParse::kOk: return Datum::of(value);
    case IntegerParse::kSyntax: fail_syntax(context, kNameOf<T>, text); break;
    case IntegerParse::kRange: fail_value_range(context, kNameOf<T>, text); break;
  }
  return Datum::make_null(kPhysOf<T>);
}
template <class T>
T value_of(const Datum& d) {
  if constexpr (sizeof(T) == 2) return d.i16;
  if constexpr (sizeof(T) == 4) return d.i32;
  if constexpr (sizeof(T) == 8) return d.i64;
}
template <class T>
void integer_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  append_integer(value_of<T>(d), out);
}
template <class T>
Datum integer_receive(FuncContext& context, const TypeRef&, Str bytes) {
  std::make_unsigned_t<T> v{};
  if (!receive_integer(context, bytes, v)) return Datum::make_null(kPhysOf<T>);
  return Datum::of(static_cast<T>(v));
}
template <class T>
void integer_send(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  send_integer(static_cast<std::make_unsigned_t<T>>(value_of<T>(d)), out);
}

// oid takes -1 for 4294967295, as strtoul does.
Datum oid_in(FuncContext& context, const TypeRef&, Str text) {
  int64_t v = 0;
  switch (parse_integer(text, v)) {
    case IntegerParse::kOk:
      if (v >= INT32_MIN && v <= UINT32_MAX) return Datum::of_oid(static_cast<Oid>(v));
      fail_value_range(context, "oid", text);
      break;
    case IntegerParse::kSyntax: fail_syntax(context, "oid", text); break;
    case IntegerParse::kRange: fail_value_range(context, "oid", text); break;
  }
  return Datum::make_null(Phys::kI32);
}
// Reads what leads as a number, like PostgreSQL.
Datum xid_in(FuncContext&, const TypeRef&, Str text) {
  // As C reads integers: 0x17 and 017 are other bases.
  return Datum::of_oid(static_cast<Oid>(std::strtoul(std::string(text).c_str(), nullptr, 0)));
}
void oid_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) { append_integer(d.oid(), out); }
Datum xid8_in(FuncContext&, const TypeRef&, Str text) {
  const uint64_t v = std::strtoull(std::string(text).c_str(), nullptr, 0);
  return Datum::of(static_cast<int64_t>(v));
}
void xid8_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  append_integer(static_cast<uint64_t>(d.i64), out);
}

Datum bool_in(FuncContext& context, const TypeRef&, Str text) {
  if (const std::optional<bool> value = boolean_word(trim_blanks(text))) return Datum::of(*value);
  fail_syntax(context, "boolean", text);
  return Datum::make_null(Phys::kBool);
}
void bool_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) { out.push_back(d.b ? 't' : 'f'); }
Datum bool_receive(FuncContext& context, const TypeRef&, Str bytes) {
  uint8_t v = 0;
  if (!receive_integer(context, bytes, v)) return Datum::make_null(Phys::kBool);
  return Datum::of(v != 0);
}
void bool_send(FuncContext&, const TypeRef&, const Datum& d, std::string& out) { out.push_back(d.b ? 1 : 0); }

Datum float8_in(FuncContext& context, const TypeRef&, Str text) {
  double v = 0;
  switch (parse_double(text, v)) {
    case FloatParse::kOk: return Datum::of(v);
    case FloatParse::kSyntax: fail_syntax(context, "double precision", text); break;
    case FloatParse::kRange:
      context.fail(sqlstate::kNumericValueOutOfRange,
                   "\"" + std::string(trim_blanks(text)) + "\" is out of range for type double precision");
  }
  return Datum::make_null(Phys::kF64);
}
Datum float4_in(FuncContext& context, const TypeRef&, Str text) {
  float v = 0;
  switch (parse_float(text, v)) {
    case FloatParse::kOk: return Datum::of(v);
    case FloatParse::kSyntax: fail_syntax(context, "real", text); break;
    case FloatParse::kRange:
      context.fail(sqlstate::kNumericValueOutOfRange,
                   "\"" + std::string(trim_blanks(text)) + "\" is out of range for type real");
  }
  return Datum::make_null(Phys::kF32);
}
void float8_out(FuncContext& context, const TypeRef&, const Datum& d, std::string& out) {
  append_double(d.f64, context.session().format().extra_float_digits, out);
}
void float4_out(FuncContext& context, const TypeRef&, const Datum& d, std::string& out) {
  append_float(d.f32, context.session().format().extra_float_digits, out);
}
Datum float8_receive(FuncContext& context, const TypeRef&, Str bytes) {
  uint64_t v = 0;
  if (!receive_integer(context, bytes, v)) return Datum::make_null(Phys::kF64);
  return Datum::of(std::bit_cast<double>(v));
}
Datum float4_receive(FuncContext& context, const TypeRef&, Str bytes) {
  uint32_t v = 0;
  if (!receive_integer(context, bytes, v)) return Datum::make_null(Phys::kF32);
  return Datum::of(std::bit_cast<float>(v));
}
void float8_send(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  send_integer(std::bit_cast<uint64_t>(d.f64), out);
}
void float4_send(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  send_integer(std::bit_cast<uint32_t>(d.f32), out);
}

// ---- numeric
Datum numeric_in(FuncContext& context, const TypeRef& type, Str text) {
  char buffer[32];
  Str image;
  if (const size_t n = parse_small_numeric(text, buffer); n != 0) {
    image = context.arena().copy({buffer, n});
  } else {
    Numeric value;
    switch (parse_numeric(text, value)) {
      case NumericParse::kOk: break;
      case NumericParse::kSyntax: fail_syntax(context, "numeric", text); return Datum::make_null(Phys::kStr);
      case NumericParse::kOverflow:
        context.fail(sqlstate::kNumericValueOutOfRange, "value overflows numeric format");
        return Datum::make_null(Phys::kStr);
    }
    image = numeric_image(context, std::move(value));
  }
  image = numeric_apply_typmod(context, image, type.typmod);
  return context.failed() ? Datum::make_null(Phys::kStr) : Datum::of(image);
}
void numeric_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) { append_numeric_text(d.str, out); }

constexpr uint16_t kSignNegative = 0x4000, kSignNan = 0xC000, kSignPlusInfinity = 0xD000, kSignMinusInfinity = 0xF000;

// int16 group count, weight, sign, scale; then base-10000 groups.
Datum numeric_receive(FuncContext& context, const TypeRef& type, Str bytes) {
  const auto fail = [&](const char* message) {
    fail_binary(context, message);
    return Datum::make_null(Phys::kStr);
  };
  if (bytes.size() < 8) {
    context.fail(sqlstate::kProtocolViolation, "insufficient data left in message");
    return Datum::make_null(Phys::kStr);
  }
  const auto word = [&](size_t i) { return big_endian(load_unaligned<uint16_t>(bytes.data() + i * 2)); };
  const size_t groups = word(0);
  const auto weight = static_cast<int16_t>(word(1));
  const uint16_t sign = word(2), scale = word(3);
  if (sign != 0 && sign != kSignNegative && sign != kSignNan && sign != kSignPlusInfinity && sign != kSignMinusInfinity)
    return fail("invalid sign in external \"numeric\" value");
  if (scale > 0x3fff) return fail("invalid scale in external \"numeric\" value");
  if (bytes.size() < 8 + groups * 2) {
    context.fail(sqlstate::kProtocolViolation, "insufficient data left in message");
    return Datum::make_null(Phys::kStr);
  }
  if (bytes.size() > 8 + groups * 2) return fail("incorrect binary data format");
  Numeric value;
  if (sign >= kSignNan) {
    value = Numeric::special(sign == kSignNan            ? Numeric::Kind::kNan
                             : sign == kSignPlusInfinity ? Numeric::Kind::kPlusInfinity
                                                         : Numeric::Kind::kMinusInfinity);
  } else {
    std::string digits;
    for (size_t i = 0; i < groups; i++) {
      const uint16_t group = word(4 + i);
      if (group > 9999) return fail("invalid digit in external \"numeric\" value");
      for (int divisor = 1000; divisor > 0; divisor /= 10)
        digits.push_back(static_cast<char>('0' + group / divisor % 10));
    }
    value.magnitude = Magnitude::from_digits(digits);
    value.negative = sign == kSignNegative && !value.magnitude.is_zero();
    const int32_t digits_after = (static_cast<int32_t>(groups) - weight - 1) * 4;
    if (digits_after < 0) value.magnitude.multiply_power_of_ten(static_cast<uint32_t>(-digits_after));
    value.scale = std::max(digits_after, 0);
    value.truncate(scale);
  }
  Str image = numeric_image(context, std::move(value));
  image = numeric_apply_typmod(context, image, type.typmod);
  return context.failed() ? Datum::make_null(Phys::kStr) : Datum::of(image);
}

void numeric_send(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  const Numeric value = Numeric::from_image(d.str);
  const auto header = [&out](size_t groups, int16_t weight, uint16_t sign, int32_t scale) {
    send_integer(static_cast<uint16_t>(groups), out);
    send_integer(static_cast<uint16_t>(weight), out);
    send_integer(sign, out);
    send_integer(static_cast<uint16_t>(scale), out);
  };
  switch (value.kind) {
    case Numeric::Kind::kNan: return header(0, 0, kSignNan, 0);
    case Numeric::Kind::kPlusInfinity: return header(0, 0, kSignPlusInfinity, 32);
    case Numeric::Kind::kMinusInfinity: return header(0, 0, kSignMinusInfinity, 32);
    case Numeric::Kind::kFinite: break;
  }
  // Pad so that the point falls between groups.
  std::string digits = value.is_zero() ? std::string() : value.magnitude.digits();
  int32_t after = value.scale;
  for (; after % 4 != 0; after++) digits.push_back('0');
  const auto before = static_cast<int32_t>(digits.size()) - after;
  if (before % 4 != 0) digits.insert(0, static_cast<size_t>(before > 0 ? 4 - before % 4 : -before % 4), '0');
  std::vector<uint16_t> groups;
  for (size_t i = 0; i + 4 <= digits.size(); i += 4)
    groups.push_back(static_cast<uint16_t>((digits[i] - '0') * 1000 + (digits[i + 1] - '0') * 100 +
                                           (digits[i + 2] - '0') * 10 + (digits[i + 3] - '0')));
  int32_t weight = static_cast<int32_t>(groups.size()) - after / 4 - 1;
  size_t first = 0;
  while (first < groups.size() && groups[first] == 0) {
    first++;
    weight--;
  }
  while (groups.size() > first && groups.back() == 0) groups.pop_back();
  if (first == groups.size()) weight = 0;
  header(groups.size() - first, static_cast<int16_t>(weight), value.negative ? kSignNegative : 0, value.scale);
  for (size_t i = first; i < groups.size(); i++) send_integer(groups[i], out);
}

const TypeDefinition kNumberTypes[] = {
    {oid::kBool, bool_in, bool_out, bool_receive, bool_send, Phys::kBool, &kBoolOrder, KeyForm::kBool},
    {oid::kInt2, integer_in<int16_t>, integer_out<int16_t>, integer_receive<int16_t>, integer_send<int16_t>, Phys::kI16,
     &kI16Order, KeyForm::kI16},
    {oid::kInt4, integer_in<int32_t>, integer_out<int32_t>, integer_receive<int32_t>, integer_send<int32_t>, Phys::kI32,
     &kI32Order, KeyForm::kI32},
    {oid::kInt8, integer_in<int64_t>, integer_out<int64_t>, integer_receive<int64_t>, integer_send<int64_t>, Phys::kI64,
     &kI64Order, KeyForm::kI64},
    {oid::kOid, oid_in, oid_out, integer_receive<int32_t>, integer_send<int32_t>, Phys::kI32, &kOidOrder,
     KeyForm::kU32},
    {oid::kXid, xid_in, oid_out, integer_receive<int32_t>, integer_send<int32_t>, Phys::kI32, &kOidOrder},
    {oid::kCid, xid_in, oid_out, integer_receive<int32_t>, integer_send<int32_t>, Phys::kI32, &kOidOrder},
    {oid::kXid8, xid8_in, xid8_out, integer_receive<int64_t>, integer_send<int64_t>, Phys::kI64, &kU64Order,
     KeyForm::kU64},
    {oid::kFloat4, float4_in, float4_out, float4_receive, float4_send, Phys::kF32, &kF32Order, KeyForm::kF32},
    {oid::kFloat8, float8_in, float8_out, float8_receive, float8_send, Phys::kF64, &kF64Order, KeyForm::kF64},
    {oid::kNumeric, numeric_in, numeric_out, numeric_receive, numeric_send, Phys::kStr, &kNumericOrder,
     KeyForm::kNumeric},
};

}  // namespace

std::span<const TypeDefinition> number_types() { return kNumberTypes; }

}  // namespace indigo::types
