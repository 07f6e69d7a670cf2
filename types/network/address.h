// The bytes of inet and cidr values, and of macaddr and macaddr8 (their 6 or 8 bytes as they are).
//
//   byte 0   family: 4 or 6
//   byte 1   bits of the network mask
//   then     the address, 4 or 16 bytes
// Thread safety: values.
#pragma once

#include <optional>
#include <string>

#include "types/value/physical.h"

namespace indigo::types {

struct NetworkAddress {
  uint8_t family = 4;
  uint8_t bits = 32;
  uint8_t bytes[16] = {};

  static NetworkAddress from_image(Str image);
  std::string image() const;
  size_t size() const { return family == 4 ? 4 : 16; }
  int max_bits() const { return family == 4 ? 32 : 128; }
  bool bit(int i) const { return (bytes[i / 8] >> (7 - i % 8)) & 1; }
  void clear_host();  // zeroes the bits behind the mask
  bool has_host_bits() const;
};

// "10.1.2.3/24", "::1"; with abbreviated networks for cidr ("10.1/16").
std::optional<NetworkAddress> parse_address(Str text, bool cidr);
// Without the mask.
std::string address_text(const NetworkAddress& a);
// inet's text: the mask unless it is full; cidr's always has it.
std::string network_text(const NetworkAddress& a, bool always_mask);
int compare_addresses(const NetworkAddress& a, const NetworkAddress& b);

}  // namespace indigo::types
