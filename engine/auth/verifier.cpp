#include "engine/auth/verifier.h"

#include <charconv>

#include "base/sqlstate.h"
#include "engine/auth/base64.h"
#include "engine/auth/saslprep.h"

namespace indigo::engine::auth {

namespace {

constexpr std::string_view kScramPrefix = "SCRAM-SHA-256$";
constexpr size_t kSaltBytes = 16;

// Cuts `text` at the first `end`, which must be there.
bool take_until(std::string_view& text, char end, std::string_view& taken) {
  size_t at = text.find(end);
  if (at == std::string_view::npos) return false;
  taken = text.substr(0, at);
  text.remove_prefix(at + 1);
  return true;
}

}  // namespace

std::optional<ScramVerifier> ScramVerifier::parse(std::string_view text) {
  if (!text.starts_with(kScramPrefix)) return std::nullopt;
  text.remove_prefix(kScramPrefix.size());
  std::string_view iterations, salt, stored;
  if (!take_until(text, ':', iterations) || !take_until(text, '$', salt) || !take_until(text, ':', stored)) {
    return std::nullopt;
  }
  ScramVerifier verifier;
  auto [end, failed] = std::from_chars(iterations.data(), iterations.data() + iterations.size(), verifier.iterations);
  auto salt_bytes = base64_decode(salt), stored_bytes = base64_decode(stored), server_bytes = base64_decode(text);
  if (failed != std::errc{} || end != iterations.data() + iterations.size() || verifier.iterations < 1 || !salt_bytes ||
      !stored_bytes || !server_bytes || stored_bytes->size() != 32 || server_bytes->size() != 32) {
    return std::nullopt;
  }
  verifier.salt = *salt_bytes;
  verifier.stored_key = *stored_bytes;
  verifier.server_key = *server_bytes;
  return verifier;
}

ScramVerifier ScramVerifier::make(std::string_view password, std::string salt, int iterations) {
  Sha256 salted = pbkdf2_sha256(saslprep(password), salt, iterations);
  Sha256 client_key = hmac_sha256(as_bytes(salted), "Client Key");
  ScramVerifier verifier;
  verifier.iterations = iterations;
  verifier.salt = std::move(salt);
  verifier.stored_key = as_bytes(sha256(as_bytes(client_key)));
  verifier.server_key = as_bytes(hmac_sha256(as_bytes(salted), "Server Key"));
  return verifier;
}

ScramVerifier ScramVerifier::mock(std::string_view server_secret, std::string_view user) {
  ScramVerifier verifier;
  verifier.salt = std::string(as_bytes(hmac_sha256(server_secret, user)).substr(0, kSaltBytes));
  // Keys of no password. The exchange is refused whatever the proof is.
  verifier.stored_key = as_bytes(hmac_sha256(server_secret, "stored key of " + std::string(user)));
  verifier.server_key = as_bytes(hmac_sha256(server_secret, "server key of " + std::string(user)));
  return verifier;
}

std::string ScramVerifier::text() const {
  return std::string(kScramPrefix) + std::to_string(iterations) + ":" + base64_encode(salt) + "$" +
         base64_encode(stored_key) + ":" + base64_encode(server_key);
}

bool is_verifier(std::string_view text) { return is_md5_verifier(text) || ScramVerifier::parse(text).has_value(); }

Result<std::string> stored_password(std::string_view password, std::string_view user, PasswordEncryption encryption) {
  if (const auto given = ScramVerifier::parse(password); given && given->iterations > kMaxScramIterations) {
    return Error(sqlstate::kProgramLimitExceeded,
                 "a password verifier may have at most " + std::to_string(kMaxScramIterations) + " iterations");
  }
  if (is_verifier(password)) return std::string(password);
  if (encryption == PasswordEncryption::kMd5) return md5_verifier(password, user);
  INDIGO_ASSIGN(std::string salt, random_bytes(kSaltBytes, "salt"));
  return ScramVerifier::make(password, std::move(salt)).text();
}

bool is_md5_verifier(std::string_view text) {
  return text.size() == 35 && text.starts_with("md5") &&
         text.find_first_not_of("0123456789abcdef", 3) == std::string_view::npos;
}

std::string md5_verifier(std::string_view password, std::string_view user) {
  return "md5" + md5_hex(std::string(password) + std::string(user));
}

bool password_matches(std::string_view password, std::string_view user, std::string_view verifier) {
  if (is_md5_verifier(verifier)) return equal_in_constant_time(md5_verifier(password, user), verifier);
  auto scram = ScramVerifier::parse(verifier);
  if (!scram) return false;
  return equal_in_constant_time(ScramVerifier::make(password, scram->salt, scram->iterations).server_key,
                                scram->server_key);
}

}  // namespace indigo::engine::auth
