#include "engine/ddl/access/scram_verifier.h"

#include <array>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

namespace indigo::engine::ddl {

namespace {

constexpr int kIterations = 4096;
constexpr int kSaltBytes = 16;
using Key = std::array<unsigned char, 32>;

std::string base64(const unsigned char* bytes, size_t count) {
  std::string out(4 * ((count + 2) / 3) + 1, '\0');
  const int n = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes, static_cast<int>(count));
  out.resize(static_cast<size_t>(n));
  return out;
}

Key hmac(const Key& key, std::string_view text) {
  Key out{};
  unsigned int length = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), out.data(), &length);
  return out;
}

bool is_hashed(std::string_view p) {
  if (p.starts_with("SCRAM-SHA-256$") && p.find(':') != std::string_view::npos) return true;
  return p.size() == 35 && p.starts_with("md5") && p.find_first_not_of("0123456789abcdef", 3) == std::string_view::npos;
}

}  // namespace

std::string password_verifier(std::string_view password) {
  if (is_hashed(password)) return std::string(password);
  std::array<unsigned char, kSaltBytes> salt{};
  RAND_bytes(salt.data(), static_cast<int>(salt.size()));
  Key salted{};
  PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), salt.data(), static_cast<int>(salt.size()),
                    kIterations, EVP_sha256(), static_cast<int>(salted.size()), salted.data());
  const Key client = hmac(salted, "Client Key"), server = hmac(salted, "Server Key");
  Key stored{};
  SHA256(client.data(), client.size(), stored.data());
  return "SCRAM-SHA-256$" + std::to_string(kIterations) + ":" + base64(salt.data(), salt.size()) + "$" +
         base64(stored.data(), stored.size()) + ":" + base64(server.data(), server.size());
}

}  // namespace indigo::engine::ddl
