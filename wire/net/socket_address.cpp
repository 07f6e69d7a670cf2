#include "wire/net/socket_address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <array>
#include <cstring>
#include <memory>
#include <span>

namespace indigo::wire {

namespace {

std::span<unsigned char> bytes_of(sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    auto& v4 = reinterpret_cast<sockaddr_in&>(address);
    return {reinterpret_cast<unsigned char*>(&v4.sin_addr), sizeof v4.sin_addr};
  }
  if (address.ss_family == AF_INET6) {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
    return {reinterpret_cast<unsigned char*>(&v6.sin6_addr), sizeof v6.sin6_addr};
  }
  return {};
}

std::span<const unsigned char> bytes_of(const sockaddr_storage& address) {
  return bytes_of(const_cast<sockaddr_storage&>(address));
}

sockaddr_storage copy_of(const sockaddr& address) {
  sockaddr_storage out{};
  std::memcpy(&out, &address, address.sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
  return out;
}

}  // namespace

std::optional<sockaddr_storage> parse_socket_address(const std::string& text) {
  sockaddr_storage out{};
  out.ss_family = text.find(':') == std::string::npos ? AF_INET : AF_INET6;
  if (inet_pton(out.ss_family, text.c_str(), bytes_of(out).data()) != 1) return std::nullopt;
  return out;
}

std::string socket_address_text(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const auto bytes = bytes_of(address);
  if (bytes.empty() || inet_ntop(address.ss_family, bytes.data(), text.data(), text.size()) == nullptr) return {};
  return text.data();
}

int socket_address_port(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
  return -1;
}

std::optional<sockaddr_storage> prefix_mask(int family, int bits) {
  sockaddr_storage mask{};
  mask.ss_family = static_cast<sa_family_t>(family);
  const auto bytes = bytes_of(mask);
  if (bits < 0 || static_cast<size_t>(bits) > bytes.size() * 8) return std::nullopt;
  for (size_t i = 0; i < static_cast<size_t>(bits); i++) {
    bytes[i / 8] = static_cast<unsigned char>(bytes[i / 8] | (0x80u >> (i % 8)));
  }
  return mask;
}

bool in_network(const sockaddr_storage& address, const sockaddr_storage& network, const sockaddr_storage& mask) {
  if (address.ss_family != network.ss_family || mask.ss_family != network.ss_family) return false;
  const auto a = bytes_of(address), n = bytes_of(network), m = bytes_of(mask);
  for (size_t i = 0; i < a.size(); i++) {
    if (((a[i] ^ n[i]) & m[i]) != 0) return false;
  }
  return !a.empty();
}

bool is_local_address(const sockaddr_storage& address, bool network) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return false;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, &freeifaddrs);
  for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_netmask == nullptr) continue;
    if (at->ifa_addr->sa_family != AF_INET && at->ifa_addr->sa_family != AF_INET6) continue;
    const sockaddr_storage own = copy_of(*at->ifa_addr);
    sockaddr_storage mask = copy_of(*at->ifa_netmask);
    mask.ss_family = own.ss_family;
    if (!network) mask = *prefix_mask(own.ss_family, own.ss_family == AF_INET ? 32 : 128);
    if (in_network(address, own, mask)) return true;
  }
  return false;
}

sockaddr_storage without_mapping(const sockaddr_storage& address) {
  if (address.ss_family != AF_INET6) return address;
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  if (!IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) return address;
  sockaddr_storage out{};
  auto& v4 = reinterpret_cast<sockaddr_in&>(out);
  v4.sin_family = AF_INET;
  v4.sin_port = v6.sin6_port;
  std::memcpy(&v4.sin_addr, &v6.sin6_addr.s6_addr[12], sizeof v4.sin_addr);
  return out;
}

}  // namespace indigo::wire
