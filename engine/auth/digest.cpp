#include "engine/auth/digest.h"

#include <new>

#include <absl/strings/escaping.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/entropy.h"
#include "base/memory/memory_reserve.h"
#include "base/sqlstate.h"

namespace indigo::engine::auth {

namespace {

// A digest that could not be made must not pass for one: zeros are a value, too. OpenSSL stands in MustNotFail scopes:
// what it could not set up the first time it never tries again.
void check_made(bool made) {
  ERR_clear_error();
  if (!made) throw std::bad_alloc();  // these algorithms fail for nothing else
}

}  // namespace

Sha256 sha256(std::string_view bytes) {
  const MustNotFail scope;
  Sha256 digest{};
  check_made(EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr) == 1);
  return digest;
}

Sha256 hmac_sha256(std::string_view key, std::string_view bytes) {
  const MustNotFail scope;
  Sha256 digest{};
  unsigned length = digest.size();
  check_made(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                  reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data(),
                  &length) != nullptr);
  return digest;
}

Sha256 pbkdf2_sha256(std::string_view password, std::string_view salt, int iterations) {
  const MustNotFail scope;
  Sha256 digest{};
  check_made(PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()),
                               reinterpret_cast<const unsigned char*>(salt.data()), static_cast<int>(salt.size()),
                               iterations, EVP_sha256(), static_cast<int>(digest.size()), digest.data()) == 1);
  return digest;
}

std::string md5_hex(std::string_view bytes) {
  const MustNotFail scope;
  unsigned char digest[EVP_MAX_MD_SIZE] = {};
  unsigned length = 0;
  check_made(EVP_Digest(bytes.data(), bytes.size(), digest, &length, EVP_md5(), nullptr) == 1);
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), length));
}

Result<std::string> random_bytes(size_t count, std::string_view what) {
  std::string bytes(count, '\0');
  if (!fill_random(bytes.data(), count))
    return Error(sqlstate::kInternalError, "could not generate random " + std::string(what));
  return bytes;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace indigo::engine::auth
