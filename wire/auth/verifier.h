// What a role's password is stored as (pg_authid.rolpassword): `SCRAM-SHA-256$iterations:salt$stored key:server key`,
// or `md5` and 32 hex digits of md5(password || user).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/auth/digest.h"

namespace indigo::wire {

inline constexpr int kScramIterations = 4096;

struct ScramVerifier {
  int iterations = kScramIterations;
  std::string salt;
  std::string stored_key, server_key;  // 32 bytes each

  static std::optional<ScramVerifier> parse(std::string_view text);
  static ScramVerifier make(std::string_view password, std::string salt, int iterations = kScramIterations);
  // For a role that has none: the same salt at each attempt, so that nobody learns which roles exist. Matches no
  // password.
  static ScramVerifier mock(std::string_view server_secret, std::string_view user);
  std::string text() const;
};

bool is_md5_verifier(std::string_view text);
std::string md5_verifier(std::string_view password, std::string_view user);

// Whether `password` is the one that `verifier` (either kind) was made of.
bool password_matches(std::string_view password, std::string_view user, std::string_view verifier);

}  // namespace indigo::wire
