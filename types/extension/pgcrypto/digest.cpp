// digest() and hmac(): whatever OpenSSL knows by name.
#include <memory>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/memory/memory_reserve.h"
#include "base/sqlstate.h"
#include "types/extension/pgcrypto/pgcrypto.h"
#include "types/text/ascii.h"

namespace indigo::types::pgcrypto {

namespace {

using DigestContext = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

// Null: there is no such algorithm, or OpenSSL's providers do not make it.
const EVP_MD* algorithm_of(FuncContext& context, Str name) {
  const std::string lower = to_lower(name);
  const EVP_MD* found = EVP_get_digestbyname(lower.c_str());
  const MustNotFail scope;  // what OpenSSL could not set up the first time it never tries again
  const DigestContext state(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const char* why = nullptr;
  if (found == nullptr) {
    why = "No such hash algorithm";
  } else if (state == nullptr || EVP_DigestInit_ex(state.get(), found, nullptr) != 1) {
    why = "Cipher cannot be initialized";
  }
  if (why == nullptr) return found;
  context.fail(sqlstate::kInvalidParameterValue, "Cannot use \"" + std::string(name) + "\": " + why);
  return nullptr;
}

}  // namespace

Str digest(FuncContext& context, Str data, Str name) {
  const EVP_MD* algorithm = algorithm_of(context, name);
  if (algorithm == nullptr) return {};
  unsigned char out[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  const MustNotFail scope;  // it takes little
  if (EVP_Digest(data.data(), data.size(), out, &size, algorithm, nullptr) != 1) {
    fail_external(context, "digest error: Cipher cannot be initialized");
    return {};
  }
  return context.arena().copy(Str(reinterpret_cast<const char*>(out), size));
}

Str hmac(FuncContext& context, Str data, Str key, Str name) {
  const EVP_MD* algorithm = algorithm_of(context, name);
  if (algorithm == nullptr) return {};
  unsigned char out[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  const MustNotFail scope;  // it takes little
  if (HMAC(algorithm, key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(data.data()),
           data.size(), out, &size) == nullptr) {
    fail_external(context, "hmac error: Cipher cannot be initialized");
    return {};
  }
  return context.arena().copy(Str(reinterpret_cast<const char*>(out), size));
}

}  // namespace indigo::types::pgcrypto
