// Operators and functions of inet, cidr, macaddr and macaddr8.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/sqlstate.h"
#include "types/function/compare.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/network/address.h"

namespace indigo::types {

namespace {

using Address = NetworkAddress;
Address address(Str image) { return Address::from_image(image); }

int compare_networks(Str a, Str b) { return compare_addresses(address(a), address(b)); }
int compare_macs(Str a, Str b) { return three_way(a.compare(b), 0); }

// ---- containment: a's network lies in b's
bool inside(const Address& a, const Address& b) {
  if (a.family != b.family || a.bits < b.bits) return false;
  for (int i = 0; i < b.bits; i++)
    if (a.bit(i) != b.bit(i)) return false;
  return true;
}
bool sub(Str a, Str b) { return address(a).bits > address(b).bits && inside(address(a), address(b)); }
bool sub_eq(Str a, Str b) { return inside(address(a), address(b)); }
bool sup(Str a, Str b) { return sub(b, a); }
bool sup_eq(Str a, Str b) { return sub_eq(b, a); }
bool overlap(Str a, Str b) { return sub_eq(a, b) || sub_eq(b, a); }
bool same_family(Str a, Str b) { return address(a).family == address(b).family; }

// ---- parts
int32_t family(Str a) { return address(a).family; }
int32_t mask_length(Str a) { return address(a).bits; }
std::string host(Str a) { return address_text(address(a)); }
std::string show(Str a) { return network_text(address(a), true); }
std::string abbreviated_inet(Str a) { return network_text(address(a), false); }
// The words that the mask covers, at least two, with a run of zeros as "::". PostgreSQL's counting joins a run to the
// shorter ones before it; what that gives is kept.
std::string abbreviated_cidr6(const Address& a) {
  if (a.bits == 0) return "::/0";
  const int words = std::max((a.bits + 15) / 16, 2);
  const auto word = [&](int i) { return a.bytes[2 * i] << 8 | a.bytes[2 * i + 1]; };
  int start = 0, length = 0, run_start = 0, run = 0;
  for (int i = 0; i <= words; i++) {
    if (i < words && word(i) == 0) {
      if (run++ == 0) run_start = i;
    } else if (run > length) {
      start = run_start;
      length = run;
      run = 0;
    }
  }
  const bool dotted = length != words && start == 0 && (length == 6 || (length == 5 && word(5) == 0xFFFF));
  std::string text;
  char part[8];
  for (int i = 0; i < words; i++) {
    if (length != 0 && i >= start && i < start + length) {
      if (i == start) text.push_back(':');
      if (i == words - 1) text.push_back(':');
    } else if (dotted && i > 5) {
      text.push_back(i == 6 ? ':' : '.');
      text.append(std::to_string(a.bytes[2 * i]));
      if (i != 7 || a.bits > 120) text.append(".").append(std::to_string(a.bytes[2 * i + 1]));
    } else {
      std::snprintf(part, sizeof part, "%s%x", text.empty() ? "" : ":", static_cast<unsigned>(word(i)));
      text.append(part);
    }
  }
  return text + "/" + std::to_string(a.bits);
}
// The address without the zero bytes behind the mask.
std::string abbreviated_cidr(Str image) {
  const Address a = address(image);
  if (a.family == 6) return abbreviated_cidr6(a);
  std::string text;
  const int bytes = std::max((a.bits + 7) / 8, 1);
  for (int i = 0; i < bytes; i++) text.append(i == 0 ? "" : ".").append(std::to_string(a.bytes[i]));
  return text + "/" + std::to_string(a.bits);
}
std::string network(Str image) {
  Address a = address(image);
  a.clear_host();
  return a.image();
}
void set_bits(Address& a, int from, int to) {
  for (int i = from; i < to; i++) a.bytes[i / 8] = static_cast<uint8_t>(a.bytes[i / 8] | (1 << (7 - i % 8)));
}
std::string broadcast(Str image) {
  Address a = address(image);
  set_bits(a, a.bits, a.max_bits());
  return a.image();
}
Address empty_like(const Address& a) {
  Address out;
  out.family = a.family;
  out.bits = static_cast<uint8_t>(a.max_bits());
  return out;
}
std::string net_mask(Str image) {
  const Address a = address(image);
  Address out = empty_like(a);
  set_bits(out, 0, a.bits);
  return out.image();
}
std::string host_mask(Str image) {
  const Address a = address(image);
  Address out = empty_like(a);
  set_bits(out, a.bits, a.max_bits());
  return out.image();
}
template <bool kCidr>
std::string set_mask_length(FuncContext& context, Str image, int32_t bits) {
  Address a = address(image);
  if (bits == -1) bits = a.max_bits();
  if (bits < 0 || bits > a.max_bits()) {
    context.fail(sqlstate::kInvalidParameterValue, "invalid mask length: " + std::to_string(bits));
    return a.image();
  }
  a.bits = static_cast<uint8_t>(bits);
  if (kCidr) a.clear_host();
  return a.image();
}
std::string merge(FuncContext& context, Str x, Str y) {
  Address a = address(x);
  const Address b = address(y);
  if (a.family != b.family) {
    context.fail(sqlstate::kInvalidParameterValue, "cannot merge addresses from different families");
    return a.image();
  }
  int common = 0;
  const int limit = std::min(a.bits, b.bits);
  while (common < limit && a.bit(common) == b.bit(common)) common++;
  a.bits = static_cast<uint8_t>(common);
  a.clear_host();
  return a.image();
}

// ---- arithmetic
std::string bitwise(FuncContext& context, Str x, Str y, const char* what, uint8_t (*op)(uint8_t, uint8_t)) {
  Address a = address(x);
  const Address b = address(y);
  if (a.family != b.family) {
    context.fail(sqlstate::kInvalidParameterValue, std::string("cannot ") + what + " inet values of different sizes");
    return a.image();
  }
  for (size_t i = 0; i < a.size(); i++) a.bytes[i] = op(a.bytes[i], b.bytes[i]);
  a.bits = std::max(a.bits, b.bits);
  return a.image();
}
std::string both(FuncContext& c, Str a, Str b) {
  return bitwise(c, a, b, "AND", [](uint8_t x, uint8_t y) { return static_cast<uint8_t>(x & y); });
}
std::string either(FuncContext& c, Str a, Str b) {
  return bitwise(c, a, b, "OR", [](uint8_t x, uint8_t y) { return static_cast<uint8_t>(x | y); });
}
std::string complement(Str image) {
  Address a = address(image);
  for (size_t i = 0; i < a.size(); i++) a.bytes[i] = static_cast<uint8_t>(~a.bytes[i]);
  return a.image();
}
std::string plus(FuncContext& context, Str image, int64_t n) {
  Address a = address(image);
  __int128 carry = n;
  for (size_t i = a.size(); i-- > 0;) {
    const __int128 v = static_cast<__int128>(a.bytes[i]) + carry;
    a.bytes[i] = static_cast<uint8_t>(v & 0xff);
    carry = v >> 8;
  }
  if (carry != 0) context.fail(sqlstate::kNumericValueOutOfRange, "result is out of range");
  return a.image();
}
std::string plus_reversed(FuncContext& context, int64_t n, Str image) { return plus(context, image, n); }
std::string minus(FuncContext& context, Str image, int64_t n) {
  if (n == INT64_MIN) {
    context.fail(sqlstate::kNumericValueOutOfRange, "result is out of range");
    return std::string(image);
  }
  return plus(context, image, -n);
}
int64_t difference(FuncContext& context, Str x, Str y) {
  const Address a = address(x), b = address(y);
  if (a.family != b.family) {
    context.fail(sqlstate::kInvalidParameterValue, "cannot subtract inet values of different sizes");
    return 0;
  }
  // The upper bytes must cancel out to a sign.
  int borrow = 0;
  uint64_t low = 0;
  bool fits = true;
  uint8_t first_high = 0;
  for (size_t i = a.size(), place = 0; i-- > 0; place++) {
    const int v = a.bytes[i] - b.bytes[i] - borrow;
    borrow = v < 0;
    const auto byte = static_cast<uint8_t>(v & 0xff);
    if (place < 8) {
      low |= static_cast<uint64_t>(byte) << (8 * place);
    } else {
      if (place == 8) first_high = byte;
      fits = fits && byte == first_high && (byte == 0 || byte == 0xff);
    }
  }
  if (a.family == 4) return static_cast<int64_t>(low) - (borrow ? int64_t{1} << 32 : 0);
  const auto result = static_cast<int64_t>(low);
  if (!fits || (result < 0) != (first_high == 0xff))
    context.fail(sqlstate::kNumericValueOutOfRange, "result is out of range");
  return result;
}

// ---- MAC addresses
std::string mac_not(Str a) {
  std::string out(a);
  for (char& c : out) c = static_cast<char>(~c);
  return out;
}
std::string mac_and(Str a, Str b) {
  std::string out(a);
  for (size_t i = 0; i < out.size(); i++) out[i] = static_cast<char>(a[i] & b[i]);
  return out;
}
std::string mac_or(Str a, Str b) {
  std::string out(a);
  for (size_t i = 0; i < out.size(); i++) out[i] = static_cast<char>(a[i] | b[i]);
  return out;
}
std::string mac_trunc(Str a) { return std::string(a.substr(0, 3)).append(a.size() - 3, '\0'); }
std::string mac_widen(Str a) { return std::string(a.substr(0, 3)) + "\xFF\xFE" + std::string(a.substr(3)); }
std::string mac_narrow(FuncContext& context, Str a) {
  if (a[3] != '\xFF' || a[4] != '\xFE')
    context.fail(
        Error(sqlstate::kNumericValueOutOfRange, "macaddr8 data out of range to convert to macaddr")
            .with_hint(
                "Only addresses that have FF and FE as values in the 4th and 5th bytes from the left, for example "
                "xx:xx:xx:ff:fe:xx:xx:xx, are eligible to be converted from macaddr8 to macaddr."));
  return std::string(a.substr(0, 3)) + std::string(a.substr(5));
}
std::string mac_set_7bit(Str a) {
  std::string out(a);
  out[0] = static_cast<char>(out[0] | 0x02);
  return out;
}

using Networks = Compare<compare_networks>;
using Macs = Compare<compare_macs>;
const ScalarEntry kNetworkEntries[] = {
    {"network_eq", kernel<Networks::eq>},
    {"network_ne", kernel<Networks::ne>},
    {"network_lt", kernel<Networks::lt>},
    {"network_le", kernel<Networks::le>},
    {"network_gt", kernel<Networks::gt>},
    {"network_ge", kernel<Networks::ge>},
    {"network_cmp", kernel<Networks::cmp>},
    {"network_larger", kernel<Networks::larger>},
    {"network_smaller", kernel<Networks::smaller>},
    {"network_sub", kernel<sub>},
    {"network_subeq", kernel<sub_eq>},
    {"network_sup", kernel<sup>},
    {"network_supeq", kernel<sup_eq>},
    {"network_overlap", kernel<overlap>},
    {"inet_same_family", kernel<same_family>},
    {"network_family", kernel<family>},
    {"network_masklen", kernel<mask_length>},
    {"network_host", kernel<host>},
    {"network_show", kernel<show>},
    {"inet_abbrev", kernel<abbreviated_inet>},
    {"cidr_abbrev", kernel<abbreviated_cidr>},
    {"network_network", kernel<network>},
    {"inet_to_cidr", kernel<network>},
    {"network_broadcast", kernel<broadcast>},
    {"network_netmask", kernel<net_mask>},
    {"network_hostmask", kernel<host_mask>},
    {"inet_set_masklen", kernel<set_mask_length<false>>},
    {"cidr_set_masklen", kernel<set_mask_length<true>>},
    {"inet_merge", kernel<merge>},
    {"inetand", kernel<both>},
    {"inetor", kernel<either>},
    {"inetnot", kernel<complement>},
    {"inetpl", kernel<plus>},
    {"int8pl_inet(int8,inet)", kernel<plus_reversed>},
    {"inetmi_int8", kernel<minus>},
    {"inetmi", kernel<difference>},
    {"macaddr_eq", kernel<Macs::eq>},
    {"macaddr_ne", kernel<Macs::ne>},
    {"macaddr_lt", kernel<Macs::lt>},
    {"macaddr_le", kernel<Macs::le>},
    {"macaddr_gt", kernel<Macs::gt>},
    {"macaddr_ge", kernel<Macs::ge>},
    {"macaddr_cmp", kernel<Macs::cmp>},
    {"macaddr8_eq", kernel<Macs::eq>},
    {"macaddr8_ne", kernel<Macs::ne>},
    {"macaddr8_lt", kernel<Macs::lt>},
    {"macaddr8_le", kernel<Macs::le>},
    {"macaddr8_gt", kernel<Macs::gt>},
    {"macaddr8_ge", kernel<Macs::ge>},
    {"macaddr8_cmp", kernel<Macs::cmp>},
    {"macaddr_not", kernel<mac_not>},
    {"macaddr_and", kernel<mac_and>},
    {"macaddr_or", kernel<mac_or>},
    {"macaddr_trunc", kernel<mac_trunc>},
    {"macaddr8_not", kernel<mac_not>},
    {"macaddr8_and", kernel<mac_and>},
    {"macaddr8_or", kernel<mac_or>},
    {"macaddr8_trunc", kernel<mac_trunc>},
    {"macaddrtomacaddr8", kernel<mac_widen>},
    {"macaddr8tomacaddr", kernel<mac_narrow>},
    {"macaddr8_set7bit", kernel<mac_set_7bit>},
};

}  // namespace

std::span<const ScalarEntry> network_functions() { return kNetworkEntries; }

}  // namespace indigo::types
