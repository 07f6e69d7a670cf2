// inet, cidr, macaddr, macaddr8: text and binary forms.
#include <cstdio>

#include "catalog/oids.h"
#include "sql/func/errors.h"
#include "sql/func/network/address.h"
#include "sql/func/text/ascii.h"
#include "sql/func/types/type_io.h"

namespace indigo::sql {

namespace {

Datum null_value() { return Datum::make_null(Phys::kStr); }

Datum network_in(FuncContext& context, const TypeRef& type, Str text) {
  const bool cidr = type.oid == oid::kCidr;
  const auto a = parse_address(text, cidr);
  if (!a) {
    fail_syntax(context, cidr ? "cidr" : "inet", text);
    return null_value();
  }
  if (cidr && a->has_host_bits()) {
    context.fail(Error(sqlstate::kInvalidTextRepresentation, "invalid cidr value: \"" + std::string(text) + "\"")
                     .with_detail("Value has bits set to right of mask."));
    return null_value();
  }
  return Datum::of(context.arena().copy(a->image()));
}
void network_out(FuncContext&, const TypeRef& type, const Datum& d, std::string& out) {
  out.append(network_text(NetworkAddress::from_image(d.str), type.oid == oid::kCidr));
}
// family (2 or 3), bits, is_cidr, bytes, address
void network_send(FuncContext&, const TypeRef& type, const Datum& d, std::string& out) {
  const NetworkAddress a = NetworkAddress::from_image(d.str);
  out.push_back(a.family == 4 ? 2 : 3);
  out.push_back(static_cast<char>(a.bits));
  out.push_back(type.oid == oid::kCidr ? 1 : 0);
  out.push_back(static_cast<char>(a.size()));
  out.append(reinterpret_cast<const char*>(a.bytes), a.size());
}
Datum network_receive(FuncContext& context, const TypeRef& type, Str bytes) {
  const bool cidr = type.oid == oid::kCidr;
  const std::string name = cidr ? "cidr" : "inet";
  const auto fail = [&](std::string message) {
    fail_binary(context, std::move(message));
    return null_value();
  };
  if (bytes.size() < 4) {
    context.fail(sqlstate::kProtocolViolation, "insufficient data left in message");
    return null_value();
  }
  if (bytes[0] != 2 && bytes[0] != 3) return fail("invalid address family in external \"" + name + "\" value");
  NetworkAddress a;
  a.family = bytes[0] == 2 ? 4 : 6;
  a.bits = static_cast<uint8_t>(bytes[1]);
  if (a.bits > a.max_bits()) return fail("invalid bits in external \"" + name + "\" value");
  if (static_cast<uint8_t>(bytes[3]) != a.size() || bytes.size() != 4 + a.size())
    return fail("invalid length in external \"" + name + "\" value");
  std::memcpy(a.bytes, bytes.data() + 4, a.size());
  if (cidr && a.has_host_bits()) {
    context.fail(Error(sqlstate::kInvalidBinaryRepresentation, "invalid external \"cidr\" value")
                     .with_detail("Value has bits set to right of mask."));
    return null_value();
  }
  return Datum::of(context.arena().copy(a.image()));
}

// Six or eight bytes in hexadecimal, with : or - between bytes or groups of two, or . between groups of two, or nothing.
bool parse_mac(Str text, size_t bytes, std::string& out) {
  text = trim_blanks(text);
  char separator = '\0';
  int digits_since = 0, digits = 0, value = 0, group = -1;
  for (char c : text) {
    const int v = hex_value(c);
    if (v >= 0) {
      value = value * 16 + v;
      digits_since++;
      if (++digits % 2 == 0) {
        out.push_back(static_cast<char>(value));
        value = 0;
      }
      continue;
    }
    if ((c != ':' && c != '-' && c != '.') || (separator != '\0' && c != separator) || digits % 2 != 0 ||
        digits_since == 0)
      return false;
    if (group >= 0 && digits_since != group) return false;
    separator = c;
    group = digits_since;
    digits_since = 0;
  }
  if (digits % 2 != 0 || (separator != '\0' && digits_since != group)) return false;
  if (separator == '.' && group != 4) return false;
  if (separator != '\0' && group != 2 && group != 4 && group != 6 && group != 8) return false;
  return out.size() == bytes;
}
// macaddr8 is read pair by pair: between pairs may be a separator, always the same.
bool parse_mac8(Str text, std::string& out) {
  text = trim_blanks(text);
  char separator = '\0';
  for (size_t at = 0; at + 1 < text.size();) {  // a last letter alone is not looked at
    const int high = hex_value(text[at]), low = hex_value(text[at + 1]);
    if (high < 0 || low < 0) return false;
    out.push_back(static_cast<char>(high * 16 + low));
    at += 2;
    if (at >= text.size() || hex_value(text[at]) >= 0) continue;
    const char c = text[at++];
    if ((c != ':' && c != '-' && c != '.') || (separator != '\0' && c != separator)) return false;
    separator = c;
  }
  if (out.size() == 6) out.insert(3, "\xFF\xFE");  // a macaddr is widened in the middle
  return out.size() == 8;
}
template <size_t kBytes>
Datum mac_in(FuncContext& context, const TypeRef&, Str text) {
  std::string bytes;
  const bool good = kBytes == 8 ? parse_mac8(text, bytes) : parse_mac(text, kBytes, bytes);
  if (good) return Datum::of(context.arena().copy(bytes));
  fail_syntax(context, kBytes == 6 ? "macaddr" : "macaddr8", text);
  return null_value();
}
void mac_out(FuncContext&, const TypeRef&, const Datum& d, std::string& out) {
  for (size_t i = 0; i < d.str.size(); i++) {
    char text[4];
    std::snprintf(text, sizeof text, "%02x", static_cast<uint8_t>(d.str[i]));
    if (i > 0) out.push_back(':');
    out.append(text);
  }
}
template <size_t kBytes>
Datum mac_receive(FuncContext& context, const TypeRef&, Str bytes) {
  if (kBytes == 8 && bytes.size() == 6)
    return Datum::of(context.arena().copy(std::string(bytes.substr(0, 3)) + "\xFF\xFE" + std::string(bytes.substr(3))));
  if (bytes.size() != kBytes) {
    fail_binary(context, "incorrect binary data format");
    return null_value();
  }
  return Datum::of(context.arena().copy(bytes));
}
void bytes_send(FuncContext&, const TypeRef&, const Datum& d, std::string& out) { out.append(d.str); }

const TypeIo kTypes[] = {
    {oid::kInet, network_in, network_out, network_receive, network_send},
    {oid::kCidr, network_in, network_out, network_receive, network_send},
    {oid::kMacAddr, mac_in<6>, mac_out, mac_receive<6>, bytes_send},
    {oid::kMacAddr8, mac_in<8>, mac_out, mac_receive<8>, bytes_send},
};

}  // namespace

std::span<const TypeIo> network_types() { return kTypes; }

}  // namespace indigo::sql
