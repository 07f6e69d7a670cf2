// encrypt() and decrypt(): raw encryption without integrity, by name of cipher, mode and padding.
#include <algorithm>
#include <memory>
#include <optional>

#include <openssl/evp.h>

#include "base/memory/memory_reserve.h"
#include "base/sqlstate.h"
#include "types/extension/pgcrypto/pgcrypto.h"
#include "types/text/ascii.h"

namespace indigo::types::pgcrypto {

namespace {

struct CipherName {
  std::string_view name;
  const EVP_CIPHER* (*cipher[3])();  // by the key's length: up to 16, 24 and 32 bytes
};
// Names and aliases as pgcrypto has them. OpenSSL's default provider has no Blowfish, CAST5 and single DES.
constexpr CipherName kCiphers[] = {
    {"aes", {EVP_aes_128_cbc, EVP_aes_192_cbc, EVP_aes_256_cbc}},
    {"aes-cbc", {EVP_aes_128_cbc, EVP_aes_192_cbc, EVP_aes_256_cbc}},
    {"aes-ecb", {EVP_aes_128_ecb, EVP_aes_192_ecb, EVP_aes_256_ecb}},
    {"rijndael", {EVP_aes_128_cbc, EVP_aes_192_cbc, EVP_aes_256_cbc}},
    {"rijndael-cbc", {EVP_aes_128_cbc, EVP_aes_192_cbc, EVP_aes_256_cbc}},
    {"rijndael-ecb", {EVP_aes_128_ecb, EVP_aes_192_ecb, EVP_aes_256_ecb}},
    {"3des", {EVP_des_ede3_cbc, EVP_des_ede3_cbc, EVP_des_ede3_cbc}},
    {"3des-cbc", {EVP_des_ede3_cbc, EVP_des_ede3_cbc, EVP_des_ede3_cbc}},
    {"3des-ecb", {EVP_des_ede3_ecb, EVP_des_ede3_ecb, EVP_des_ede3_ecb}},
    {"des3-cbc", {EVP_des_ede3_cbc, EVP_des_ede3_cbc, EVP_des_ede3_cbc}},
    {"des3-ecb", {EVP_des_ede3_ecb, EVP_des_ede3_ecb, EVP_des_ede3_ecb}},
    {"des", {EVP_des_cbc, EVP_des_cbc, EVP_des_cbc}},
    {"des-cbc", {EVP_des_cbc, EVP_des_cbc, EVP_des_cbc}},
    {"des-ecb", {EVP_des_ecb, EVP_des_ecb, EVP_des_ecb}},
    {"bf", {EVP_bf_cbc, EVP_bf_cbc, EVP_bf_cbc}},
    {"bf-cbc", {EVP_bf_cbc, EVP_bf_cbc, EVP_bf_cbc}},
    {"bf-ecb", {EVP_bf_ecb, EVP_bf_ecb, EVP_bf_ecb}},
    {"bf-cfb", {EVP_bf_cfb64, EVP_bf_cfb64, EVP_bf_cfb64}},
    {"blowfish", {EVP_bf_cbc, EVP_bf_cbc, EVP_bf_cbc}},
    {"blowfish-cbc", {EVP_bf_cbc, EVP_bf_cbc, EVP_bf_cbc}},
    {"blowfish-ecb", {EVP_bf_ecb, EVP_bf_ecb, EVP_bf_ecb}},
    {"blowfish-cfb", {EVP_bf_cfb64, EVP_bf_cfb64, EVP_bf_cfb64}},
    {"cast5", {EVP_cast5_cbc, EVP_cast5_cbc, EVP_cast5_cbc}},
    {"cast5-cbc", {EVP_cast5_cbc, EVP_cast5_cbc, EVP_cast5_cbc}},
    {"cast5-ecb", {EVP_cast5_ecb, EVP_cast5_ecb, EVP_cast5_ecb}},
};

struct CipherSpec {
  const CipherName* cipher = nullptr;
  bool padded = true;
};

// "cipher[-mode][/pad:pkcs|none]"
CipherSpec read_spec(FuncContext& context, Str type) {
  const auto fail = [&](const char* why) {
    context.fail(sqlstate::kInvalidParameterValue, "Cannot use \"" + std::string(type) + "\": " + why);
    return CipherSpec();
  };
  const std::string lower = to_lower(type);
  std::string_view rest = lower;
  const auto next = [&rest] {
    const size_t slash = rest.find('/');
    const std::string_view word = rest.substr(0, slash);
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
    return word;
  };
  CipherSpec out;
  const std::string_view name = next();
  while (!rest.empty()) {
    const std::string_view option = next();
    const size_t colon = option.find(':');
    if (colon == std::string_view::npos) return fail("Badly formatted type");
    if (option.substr(0, colon) != "pad") return fail("Unknown option");
    const std::string_view padding = option.substr(colon + 1);
    if (padding != "pkcs" && padding != "none") return fail("No such cipher algorithm");
    out.padded = padding == "pkcs";
  }
  const auto* found =
      std::find_if(std::begin(kCiphers), std::end(kCiphers), [&](const auto& c) { return c.name == name; });
  if (found == std::end(kCiphers)) return fail("No such cipher algorithm");
  out.cipher = found;
  return out;
}

Str run_cipher(FuncContext& context, Str data, Str key, Str iv, Str type, bool encrypting, std::string_view function) {
  const CipherSpec spec = read_spec(context, type);
  if (spec.cipher == nullptr) return {};
  const auto fail = [&](const char* why) {
    fail_external(context, std::string(function) + " error: " + why);
    return Str();
  };
  const size_t size_class = key.size() <= 16 ? 0 : key.size() <= 24 ? 1 : 2;
  const EVP_CIPHER* cipher = spec.cipher->cipher[size_class]();
  std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> state(nullptr, EVP_CIPHER_CTX_free);
  // Short keys and initialization vectors are filled up with zeros, long ones cut.
  unsigned char whole_key[EVP_MAX_KEY_LENGTH] = {}, whole_iv[EVP_MAX_IV_LENGTH] = {};
  const auto key_size = static_cast<size_t>(EVP_CIPHER_get_key_length(cipher));
  std::copy_n(key.data(), std::min(key.size(), key_size), whole_key);
  std::copy_n(iv.data(), std::min(iv.size(), static_cast<size_t>(EVP_CIPHER_get_iv_length(cipher))), whole_iv);
  std::optional<MustNotFail> scope(std::in_place);  // what OpenSSL could not set up the first time it never tries again
  state.reset(EVP_CIPHER_CTX_new());
  if (state == nullptr ||
      EVP_CipherInit_ex(state.get(), cipher, nullptr, whole_key, whole_iv, encrypting ? 1 : 0) != 1 ||
      EVP_CIPHER_CTX_set_padding(state.get(), spec.padded ? 1 : 0) != 1) {
    return fail("Cipher cannot be initialized");
  }
  scope.reset();
  auto* out = reinterpret_cast<unsigned char*>(context.arena().allocate(data.size() + EVP_MAX_BLOCK_LENGTH, 1));
  int size = 0, last = 0;
  if (EVP_CipherUpdate(state.get(), out, &size, reinterpret_cast<const unsigned char*>(data.data()),
                       static_cast<int>(data.size())) != 1 ||
      EVP_CipherFinal_ex(state.get(), out + size, &last) != 1) {
    return fail(encrypting ? "Encryption failed" : "Decryption failed");
  }
  return {reinterpret_cast<const char*>(out), static_cast<size_t>(size + last)};
}

}  // namespace

Str encrypt(FuncContext& context, Str data, Str key, Str type) {
  return run_cipher(context, data, key, {}, type, true, "encrypt");
}
Str decrypt(FuncContext& context, Str data, Str key, Str type) {
  return run_cipher(context, data, key, {}, type, false, "decrypt");
}
Str encrypt_iv(FuncContext& context, Str data, Str key, Str iv, Str type) {
  return run_cipher(context, data, key, iv, type, true, "encrypt_iv");
}
Str decrypt_iv(FuncContext& context, Str data, Str key, Str iv, Str type) {
  return run_cipher(context, data, key, iv, type, false, "decrypt_iv");
}

}  // namespace indigo::types::pgcrypto
