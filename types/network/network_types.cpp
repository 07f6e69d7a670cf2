// inet, cidr, macaddr, macaddr8: text and binary forms.
#include <array>
#include <cstdio>

#include "base/sqlstate.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/io/type_definition.h"
#include "types/network/address.h"
#include "types/oids.h"
#include "types/text/ascii.h"

namespace indigo::types {

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

// macaddr's six bytes: numbers of any width between : or -, or pairs of digits in groups of two or three, or all twelve
// digits. scanf's notion of a number allows blanks, signs and 0x. False: of no such form; a value beyond a byte stands in `out`.
bool parse_mac(Str text, std::array<int, 6>& out) {
  static constexpr const char* kForms[] = {
      "%x:%x:%x:%x:%x:%x%1s",    "%x-%x-%x-%x-%x-%x%1s",    "%2x%2x%2x:%2x%2x%2x%1s", "%2x%2x%2x-%2x%2x%2x%1s",
      "%2x%2x.%2x%2x.%2x%2x%1s", "%2x%2x-%2x%2x-%2x%2x%1s", "%2x%2x%2x%2x%2x%2x%1s"};
  const std::string copy(text);
  for (const char* form : kForms) {
    unsigned v[6];
    char rest[2];
    // NOLINTNEXTLINE(cert-err34-c,cert-err33-c): values beyond an int are refused as out of range
    if (std::sscanf(copy.c_str(), form, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], rest) != 6) continue;
    for (size_t i = 0; i < 6; i++) out[i] = static_cast<int>(v[i]);
    return true;
  }
  return false;
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
Datum mac_in(FuncContext& context, const TypeRef&, Str text) {
  std::array<int, 6> values{};
  if (!parse_mac(text, values)) {
    fail_syntax(context, "macaddr", text);
    return null_value();
  }
  std::string bytes;
  for (const int v : values) {
    if (v < 0 || v > 255) {
      context.fail(sqlstate::kNumericValueOutOfRange,
                   "invalid octet value in \"macaddr\" value: \"" + std::string(text) + "\"");
      return null_value();
    }
    bytes.push_back(static_cast<char>(v));
  }
  return Datum::of(context.arena().copy(bytes));
}
Datum mac8_in(FuncContext& context, const TypeRef&, Str text) {
  std::string bytes;
  if (parse_mac8(text, bytes)) return Datum::of(context.arena().copy(bytes));
  fail_syntax(context, "macaddr8", text);
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

const TypeDefinition kNetworkTypes[] = {
    {oid::kInet, network_in, network_out, network_receive, network_send, Phys::kStr, &kNetworkOrder, KeyForm::kNetwork},
    {oid::kCidr, network_in, network_out, network_receive, network_send, Phys::kStr, &kNetworkOrder, KeyForm::kNetwork},
    {oid::kMacAddr, mac_in, mac_out, mac_receive<6>, bytes_send, Phys::kStr, &kBytesOrder, KeyForm::kFixedBytes},
    {oid::kMacAddr8, mac8_in, mac_out, mac_receive<8>, bytes_send, Phys::kStr, &kBytesOrder, KeyForm::kFixedBytes},
};

}  // namespace

std::span<const TypeDefinition> network_types() { return kNetworkTypes; }

}  // namespace indigo::types
