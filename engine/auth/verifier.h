// What a role's password is stored as (pg_authid.rolpassword): `SCRAM-SHA-256$iterations:salt$stored key:server key`,
// or `md5` and 32 hex digits of md5(password || user).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "engine/auth/digest.h"

namespace indigo::engine::auth {

inline constexpr int kScramIterations = 4096;
// What a given verifier may ask for: a plain password is checked at that price without a pause.
inline constexpr int kMaxScramIterations = 1'000'000;

struct ScramVerifier {
  int iterations = kScramIterations;
  std::string salt;
  std::string stored_key, server_key;  // 32 bytes each

  static std::optional<ScramVerifier> parse(std::string_view text);
  static ScramVerifier make(std::string_view password, std::string salt, int iterations = kScramIterations);
  // For a role that has none: the same salt at each attempt, so that the answer does not tell which roles exist. Matches no
  // password.
  static ScramVerifier mock(std::string_view server_secret, std::string_view user);
  std::string text() const;
};

// Whether a password given to CREATE ROLE is stored as it is; all other texts, malformed verifiers too, are passwords.
bool is_verifier(std::string_view text);
enum class PasswordEncryption : uint8_t { kMd5, kScramSha256 };
// What is stored for a password of CREATE or ALTER ROLE. Errors: XX000 when no salt can be made, 54000 for a
// verifier of more than kMaxScramIterations.
Result<std::string> stored_password(std::string_view password, std::string_view user, PasswordEncryption encryption);

bool is_md5_verifier(std::string_view text);
std::string md5_verifier(std::string_view password, std::string_view user);

// Whether `password` is the one that `verifier` (either kind) was made of.
bool password_matches(std::string_view password, std::string_view user, std::string_view verifier);

}  // namespace indigo::engine::auth
