// IPv4 and IPv6 addresses: text, masks, networks. IPv4 inside IPv6 (::ffff:a.b.c.d) counts as IPv4.
// Thread safety: all functions, from any thread.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>

namespace indigo::wire {

// Numeric addresses only; ports are zero.
std::optional<sockaddr_storage> parse_socket_address(const std::string& text);
// Empty for unix sockets.
std::string socket_address_text(const sockaddr_storage& address);
int socket_address_port(const sockaddr_storage& address);  // -1: it has none
// The mask of an address family's first `bits` bits; nullopt: there are not that many.
std::optional<sockaddr_storage> prefix_mask(int family, int bits);
bool in_network(const sockaddr_storage& address, const sockaddr_storage& network, const sockaddr_storage& mask);
// Whether the address is one of this machine's, or, with `network`, of a network of this machine's.
bool is_local_address(const sockaddr_storage& address, bool network);
sockaddr_storage without_mapping(const sockaddr_storage& address);

}  // namespace indigo::wire
