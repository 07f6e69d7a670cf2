#include "types/network/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

#include "types/number/integer_text.h"

namespace indigo::types {

NetworkAddress NetworkAddress::from_image(Str image) {
  NetworkAddress a;
  a.family = static_cast<uint8_t>(image[0]);
  a.bits = static_cast<uint8_t>(image[1]);
  std::memcpy(a.bytes, image.data() + 2, a.size());
  return a;
}

std::string NetworkAddress::image() const {
  std::string out;
  out.push_back(static_cast<char>(family));
  out.push_back(static_cast<char>(bits));
  return out.append(reinterpret_cast<const char*>(bytes), size());
}

void NetworkAddress::clear_host() {
  for (int i = bits; i < max_bits(); i++) bytes[i / 8] = static_cast<uint8_t>(bytes[i / 8] & ~(1 << (7 - i % 8)));
}
bool NetworkAddress::has_host_bits() const {
  for (int i = bits; i < max_bits(); i++)
    if (bit(i)) return true;
  return false;
}

namespace {

// Dotted decimal; for networks fewer than four numbers, whose classes give the mask.
std::optional<NetworkAddress> parse_v4(Str text, bool cidr, int mask) {
  NetworkAddress a;
  int count = 0;
  while (true) {
    const size_t dot = std::min(text.find('.'), text.size());
    uint8_t byte = 0;
    const Str part = text.substr(0, dot);
    if (count == 4 || part.empty() || part.size() > 3 || part.find_first_not_of("0123456789") != Str::npos ||
        parse_integer(part, byte) != IntegerParse::kOk)
      return {};
    a.bytes[count++] = byte;
    if (dot == text.size()) break;
    text.remove_prefix(dot + 1);
    if (cidr && text.empty()) break;
  }
  if (count < 4 && !cidr && mask < 0) return {};
  if (mask > 32) return {};
  if (mask >= 0) {
    a.bits = static_cast<uint8_t>(mask);
  } else if (count == 4) {
    a.bits = 32;
  } else {
    const uint8_t first = a.bytes[0];
    const int by_class = first >= 240 ? 32 : first >= 224 ? 8 : first >= 192 ? 24 : first >= 128 ? 16 : 8;
    a.bits = static_cast<uint8_t>(std::max(by_class, count * 8));
    if (first >= 224 && first < 240 && count == 1) a.bits = 4;
  }
  return a;
}

}  // namespace

std::optional<NetworkAddress> parse_address(Str text, bool cidr) {
  if (text.empty() || text.size() > 60) return {};
  int mask = -1;
  const size_t slash = text.find('/');
  if (slash != Str::npos) {
    const Str bits = text.substr(slash + 1);
    if (bits.empty() || bits.size() > 3 || bits.find_first_not_of("0123456789") != Str::npos ||
        (bits.size() > 1 && bits[0] == '0'))
      return {};
    (void)parse_integer(bits, mask);
    text = text.substr(0, slash);
  }
  if (text.find(':') == Str::npos) return parse_v4(text, cidr, mask);
  NetworkAddress a;
  a.family = 6;
  if (inet_pton(AF_INET6, std::string(text).c_str(), a.bytes) != 1 || mask > 128) return {};
  a.bits = static_cast<uint8_t>(mask < 0 ? 128 : mask);
  return a;
}

std::string address_text(const NetworkAddress& a) {
  char text[INET6_ADDRSTRLEN];
  return inet_ntop(a.family == 4 ? AF_INET : AF_INET6, a.bytes, text, sizeof text) == nullptr ? std::string()
                                                                                              : std::string(text);
}
std::string network_text(const NetworkAddress& a, bool always_mask) {
  std::string text = address_text(a);
  if (always_mask || a.bits != a.max_bits()) text += "/" + std::to_string(a.bits);
  return text;
}

int compare_addresses(const NetworkAddress& a, const NetworkAddress& b) {
  if (a.family != b.family) return a.family < b.family ? -1 : 1;
  const int common = std::min(a.bits, b.bits);
  if (const int c = std::memcmp(a.bytes, b.bytes, static_cast<size_t>(common / 8))) return c;
  for (int i = common / 8 * 8; i < common; i++)
    if (a.bit(i) != b.bit(i)) return a.bit(i) ? 1 : -1;
  if (a.bits != b.bits) return a.bits - b.bits;
  return std::memcmp(a.bytes, b.bytes, a.size());
}

}  // namespace indigo::types
