// The few cryptographic primitives that authentication needs, over OpenSSL. They leave OpenSSL's error queue empty,
// and throw std::bad_alloc when it has no memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace indigo::engine::auth {

using Sha256 = std::array<uint8_t, 32>;

inline std::string_view as_bytes(const Sha256& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

Sha256 sha256(std::string_view bytes);
Sha256 hmac_sha256(std::string_view key, std::string_view bytes);
Sha256 pbkdf2_sha256(std::string_view password, std::string_view salt, int iterations);
std::string md5_hex(std::string_view bytes);
// Fails when the system has no random bytes to give; `what` they are for: "could not generate random <what>".
Result<std::string> random_bytes(size_t count, std::string_view what);
// Takes the same time wherever they differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace indigo::engine::auth
