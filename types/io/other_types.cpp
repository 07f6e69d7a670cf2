// uuid, tid, pg_lsn, int2vector, oidvector, bit, varbit, aclitem, void and the pseudo-types that are only printed.
#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/io/bit_string.h"
#include "types/io/type_definition.h"
#include "types/number/integer_text.h"
#include "types/oids.h"
#include "types/system/acl_item.h"
#include "types/text/strings.h"
#include "types/value/acl.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

Datum null_of(Phys p) { return Datum::make_null(p); }
Datum null_string() { return null_of(Phys::kStr); }

// Accepts hyphens after any group of four digits, and braces around.
Datum uuid_in(FuncContext& context, const TypeRef&, Str text) {
  Str rest = text;
  const auto fail = [&] {
    fail_syntax(context, "uuid", text);
    return null_of(Phys::kB16);
  };
  const bool braces = !rest.empty() && rest[0] == '{';
  if (braces) rest.remove_prefix(1);
  Datum d = Datum::of(Block16{{0, 0}});
  for (int i = 0; i < 16; i++) {
    if (rest.size() < 2) return fail();
    const int high = hex_value(rest[0]), low = hex_value(rest[1]);
    if (high < 0 || low < 0) return fail();
    d.uuid.bytes[i] = static_cast<uint8_t>(high * 16 + low);
    rest.remove_prefix(2);
    if (!rest.empty() && rest[0] == '-' && i % 2 == 1 && i < 15) rest.remove_prefix(1);
  }
  if (braces) {
    if (rest != "}") return fail();
  } else if (!rest.empty()) {
    return fail();
  }
  return d;
}
void uuid_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  const Str bytes(reinterpret_cast<const char*>(d.uuid.bytes), 16);
  size_t at = 0;
  for (size_t group : {4, 2, 2, 2, 6}) {
    if (at > 0) out.push_back('-');
    append_hex(bytes.substr(at, group), out);
    at += group;
  }
}
Datum uuid_receive(FuncContext& context, const TypeRef&, Str bytes) {
  if (bytes.size() != 16) {
    uint64_t unused = 0;
    (void)receive_integer(context, bytes.size() < 16 ? bytes.substr(0, std::min<size_t>(bytes.size(), 7)) : bytes,
                          unused);
    return null_of(Phys::kB16);
  }
  Datum d = Datum::of(Block16{{0, 0}});
  std::memcpy(d.uuid.bytes, bytes.data(), 16);
  return d;
}
void uuid_send(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  out.append(reinterpret_cast<const char*>(d.uuid.bytes), 16);
}

// (block,offset); held as big-endian uint32 and uint16, which is the wire's form too.
// The numbers are what C's strtoul takes, what is around the parentheses is not looked at: (-1,0) is the last block.
Datum tid_in(FuncContext& context, const TypeRef&, Str text) {
  const std::string copy(text);
  const size_t open = copy.find('('), comma = copy.find(',');
  const auto number = [&](size_t from, char end, unsigned long& out) {
    char* rest = nullptr;
    errno = 0;
    out = std::strtoul(copy.c_str() + from, &rest, 10);
    return errno == 0 && *rest == end;
  };
  unsigned long wide = 0, place = 0;
  if (open == std::string::npos || comma == std::string::npos || comma < open || copy.find(')') < comma ||
      !number(open + 1, ',', wide) || !number(comma + 1, ')', place) || place > UINT16_MAX ||
      (wide > UINT32_MAX && wide < ~0ul - INT32_MAX)) {
    fail_syntax(context, "tid", text);
    return null_string();
  }
  const auto block = static_cast<uint32_t>(wide);
  const auto offset = static_cast<uint16_t>(place);
  std::string image;
  send_integer(block, image);
  send_integer(offset, image);
  return Datum::of(context.arena().copy(image));
}
void tid_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  out.push_back('(');
  append_integer(big_endian(load_unaligned<uint32_t>(d.str.data())), out);
  out.push_back(',');
  append_integer(big_endian(load_unaligned<uint16_t>(d.str.data() + 4)), out);
  out.push_back(')');
}
Datum tid_receive(FuncContext& context, const TypeRef&, Str bytes) {
  if (bytes.size() != 6) {
    fail_binary(context, "incorrect binary data format");
    return null_string();
  }
  return Datum::of(context.arena().copy(bytes));
}
void bytes_send(FuncContext&, const TypeRef&, const Datum& d, std::string& out) { out.append(d.str); }

Datum lsn_in(FuncContext& context, const TypeRef&, Str text) {
  const size_t slash = text.find('/');
  const auto hex = [](Str s, uint32_t& v) {
    const auto r = std::from_chars(s.data(), s.data() + s.size(), v, 16);
    return r.ec == std::errc() && r.ptr == s.data() + s.size() && s.size() <= 8;
  };
  uint32_t high = 0, low = 0;
  if (slash == Str::npos || !hex(text.substr(0, slash), high) || !hex(text.substr(slash + 1), low)) {
    fail_syntax(context, "pg_lsn", text);
    return null_of(Phys::kI64);
  }
  return Datum::of(static_cast<int64_t>(uint64_t{high} << 32 | low));
}
void lsn_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  char buffer[32];
  const auto v = static_cast<uint64_t>(d.i64);
  out.append(buffer, static_cast<size_t>(std::snprintf(buffer, sizeof buffer, "%X/%X", static_cast<uint32_t>(v >> 32),
                                                       static_cast<uint32_t>(v))));
}
Datum i64_receive(FuncContext& context, const TypeRef&, Str bytes) {
  uint64_t v = 0;
  if (!receive_integer(context, bytes, v)) return null_of(Phys::kI64);
  return Datum::of(static_cast<int64_t>(v));
}
void i64_send(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  send_integer(static_cast<uint64_t>(d.i64), out);
}

// ---- int2vector, oidvector: numbers between blanks
// oidvector takes what C's strtoul takes, and ends the number there.
Datum vector_oid(FuncContext& context, Str& rest) {
  const std::string text(rest);
  char* end = nullptr;
  errno = 0;
  const unsigned long v = std::strtoul(text.c_str(), &end, 10);
  if (end == text.c_str()) {
    fail_syntax(context, "oid", rest);
  } else if (errno == ERANGE || (v > UINT32_MAX && v < ~0ul - INT32_MAX)) {
    fail_value_range(context, "oid", rest);
  }
  rest.remove_prefix(static_cast<size_t>(end - text.c_str()));
  return Datum::of_oid(static_cast<Oid>(v));
}
TypeRef vector_element(const TypeRef& type) {
  return {type.oid == oid::kOidVector ? oid::kOid : oid::kInt2, -1, kInvalidOid};
}
Datum vector_in(FuncContext& context, const TypeRef& type, Str text) {
  const TypeRef element = vector_element(type);
  std::vector<Datum> values;
  for (Str rest = trim_blanks(text); !rest.empty(); rest = trim_blanks(rest)) {
    if (type.oid == oid::kOidVector) {
      values.push_back(vector_oid(context, rest));
      if (context.failed()) return null_string();
      continue;
    }
    const size_t n = std::min(rest.find_first_of(" \t\n\r\f\v"), rest.size());
    values.push_back(type_input(context, element, rest.substr(0, n)));
    if (context.failed()) return null_string();
    rest.remove_prefix(n);
  }
  const ArrayDimension dimension{static_cast<int32_t>(values.size()), 0};
  return Datum::of(context.arena().copy(make_array(element.oid, physical_of(element.oid), {&dimension, 1}, values)));
}
void vector_out(FuncContext& context, const TypeRef& type, const Datum& d, std::string& out) {
  const ArrayView array(d.str);
  for (int32_t i = 0; i < array.count(); i++) {
    if (i > 0) out.push_back(' ');
    type_output(context, vector_element(type), array.element(i), out);
  }
}
Datum vector_receive(FuncContext& context, const TypeRef& type, Str bytes) {
  const Datum d = array_receive(context, vector_element(type), bytes);
  if (context.failed()) return d;
  const ArrayView array(d.str);
  const bool flat = array.dimensions() == 0 || (array.dimensions() == 1 && array.dimension(0).lower == 0);
  if (flat && !array.has_nulls()) return d;
  fail_binary(context, type.oid == oid::kOidVector ? "invalid oidvector data" : "invalid int2vector data");
  return Datum::make_null(Phys::kStr);
}
// Unlike arrays, an empty vector keeps its dimension.
void vector_send(FuncContext& context, const TypeRef& type, const Datum& d, std::string& out) {
  if (ArrayView(d.str).count() > 0) return array_send(context, vector_element(type).oid, d.str, out);
  for (uint32_t word : {1u, 0u, vector_element(type).oid, 0u, 0u}) send_integer(word, out);
}

// ---- bit, varbit
Datum bits_checked(FuncContext& context, const TypeRef& type, const std::string& image) {
  const int32_t bits = bit_count(image);
  if (type.oid == oid::kBit) {
    const int32_t want = type.typmod < 0 ? bits : type.typmod;
    if (bits != want) {
      context.fail(SqlState("22026"), "bit string length " + std::to_string(bits) + " does not match type bit(" +
                                          std::to_string(want) + ")");
      return null_string();
    }
  } else if (type.typmod >= 0 && bits > type.typmod) {
    context.fail(sqlstate::kStringDataRightTruncation,
                 "bit string too long for type bit varying(" + std::to_string(type.typmod) + ")");
    return null_string();
  }
  return Datum::of(context.arena().copy(image));
}
Datum bits_in(FuncContext& context, const TypeRef& type, Str text) {
  Str digits = text;
  const bool hex = !digits.empty() && (digits[0] == 'x' || digits[0] == 'X');
  if (!digits.empty() && (hex || digits[0] == 'b' || digits[0] == 'B')) digits.remove_prefix(1);
  std::string bits;
  for (size_t i = 0; i < digits.size(); i++) {
    const int v = hex_value(digits[i]);
    if (v < 0 || (!hex && v > 1)) {
      context.fail(sqlstate::kInvalidTextRepresentation, "\"" + std::string(digits.substr(i, utf8_length(digits[i]))) +
                                                             "\" is not a valid " + (hex ? "hexadecimal" : "binary") +
                                                             " digit");
      return null_string();
    }
    for (int b = hex ? 3 : 0; b >= 0; b--) bits.push_back(static_cast<char>('0' + ((v >> b) & 1)));
  }
  return bits_checked(context, type, bits_from_digits(bits));
}
void bits_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  const int32_t n = bit_count(d.str);
  for (int32_t i = 0; i < n; i++) out.push_back(bit_at(d.str, i) ? '1' : '0');
}
Datum bits_receive(FuncContext& context, const TypeRef& type, Str bytes) {
  if (bytes.size() < 4) {
    context.fail(sqlstate::kProtocolViolation, "insufficient data left in message");
    return null_string();
  }
  const auto n = static_cast<int32_t>(big_endian(load_unaligned<uint32_t>(bytes.data())));
  if (n < 0 || static_cast<size_t>((int64_t{n} + 7) / 8) != bytes.size() - 4) {
    fail_binary(context, "invalid length in external bit string");
    return null_string();
  }
  std::string image(bytes);
  store_unaligned(image.data(), n);
  if (n % 8 != 0) image.back() = static_cast<char>(static_cast<uint8_t>(image.back()) & (0xFF << (8 - n % 8)));
  return bits_checked(context, type, image);
}
void bits_send(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  send_integer(load_unaligned<uint32_t>(d.str.data()), out);
  out.append(d.str.substr(4));
}

// ---- aclitem: grantee=privileges/grantor
void aclitem_out(FuncContext& context, const TypeRef&, const Datum& d, std::string& out) {
  out.append(
      acl_item_text(read_acl_item(d.str), [&](Oid role) { return context.session().catalog().role_name(role); }));
}
Datum aclitem_in(FuncContext& context, const TypeRef&, Str text) { return acl_item_of_text(context, text); }

// ---- what is only printed
Datum void_in(FuncContext&, const TypeRef&, Str) { return Datum::of(Str()); }
void empty_out(FuncContext&, const TypeRef&, const Datum&, std::string&) {}

// As arrays, but that where a vector begins does not count: ARRAY[...]::oidvector begins at 1, and what has been read at 0.
int compare_oid_vectors(const Datum& x, const Datum& y, const Collator*) {
  const ArrayView a(x.str), b(y.str);
  for (int32_t i = 0; i < std::min(a.count(), b.count()); i++) {
    if (const Oid left = a.element(i).oid(), right = b.element(i).oid(); left != right) return left < right ? -1 : 1;
  }
  return a.count() == b.count() ? 0 : a.count() < b.count() ? -1 : 1;
}
constexpr TypeOrder kOidVectorOrder{
    compare_oid_vectors,
    [](const Datum& a, const Datum& b, const Collator* c) { return compare_oid_vectors(a, b, c) == 0; },
    [](const Datum& v, const Collator* c) { return kArrayOrder.hash(v, c); }};

const TypeDefinition kOtherTypes[] = {
    {oid::kUuid, uuid_in, uuid_out, uuid_receive, uuid_send, Phys::kB16, &kUuidOrder, KeyForm::kUuid},
    {oid::kTid, tid_in, tid_out, tid_receive, bytes_send, Phys::kStr, &kBytesOrder, KeyForm::kFixedBytes},
    {oid::kPgLsn, lsn_in, lsn_out, i64_receive, i64_send, Phys::kI64, &kU64Order, KeyForm::kU64},
    {oid::kInt2Vector, vector_in, vector_out, vector_receive, vector_send, Phys::kStr, &kArrayOrder, KeyForm::kArray},
    {oid::kOidVector, vector_in, vector_out, vector_receive, vector_send, Phys::kStr, &kOidVectorOrder,
     KeyForm::kArray},
    {oid::kBit, bits_in, bits_out, bits_receive, bits_send, Phys::kStr, &kBitsOrder, KeyForm::kBit},
    {oid::kVarbit, bits_in, bits_out, bits_receive, bits_send, Phys::kStr, &kBitsOrder, KeyForm::kBit},
    {oid::kAclItem, aclitem_in, aclitem_out, nullptr, nullptr, Phys::kStr, &kBytesOrder},
    {oid::kVoid, void_in, empty_out, void_in, empty_out},
    {oid::kTrigger, nullptr, empty_out, nullptr, empty_out},
    {oid::kInternal, nullptr, empty_out, nullptr, empty_out},
    {oid::kLanguageHandler, nullptr, empty_out, nullptr, empty_out},
};

}  // namespace

std::span<const TypeDefinition> other_types() { return kOtherTypes; }

}  // namespace indigo::types
