// Who must prove what, by where the client comes from. Three settings instead of a file:
//   local_auth     unix sockets          default trust
//   loopback_auth  127.0.0.0/8 and ::1   default trust
//   remote_auth    everywhere else       default scram-sha-256
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace indigo::wire {

enum class AuthMethod : uint8_t { kTrust, kReject, kPassword, kMd5, kScramSha256 };
enum class Origin : uint8_t { kLocal, kLoopback, kRemote };

struct AuthRules {
  AuthMethod local = AuthMethod::kTrust;
  AuthMethod loopback = AuthMethod::kTrust;
  AuthMethod remote = AuthMethod::kScramSha256;

  AuthMethod method(Origin origin) const {
    return origin == Origin::kLocal ? local : origin == Origin::kLoopback ? loopback : remote;
  }
};

// By pg_hba.conf's names.
inline std::optional<AuthMethod> parse_auth_method(std::string_view name) {
  if (name == "trust") return AuthMethod::kTrust;
  if (name == "reject") return AuthMethod::kReject;
  if (name == "password") return AuthMethod::kPassword;
  if (name == "md5") return AuthMethod::kMd5;
  if (name == "scram-sha-256") return AuthMethod::kScramSha256;
  return std::nullopt;
}

}  // namespace indigo::wire
