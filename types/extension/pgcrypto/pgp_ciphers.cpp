// OpenPGP's ciphers and digests by number, CFB, and keys out of passwords. Primitives are OpenSSL's.
#include <algorithm>

#include <openssl/evp.h>
#include <openssl/rand.h>

#include "base/fiber/long_work.h"
#include "types/extension/pgcrypto/open_pgp.h"

namespace indigo::types::pgcrypto::pgp {

struct Cipher {
  int code;
  size_t key, block;
  const EVP_CIPHER* (*feedback)();
};

namespace {

// What is without a function OpenSSL's default provider does not have.
constexpr Cipher kCiphers[] = {{2, 24, 8, EVP_des_ede3_cfb64},
                               {7, 16, 16, EVP_aes_128_cfb128},
                               {8, 24, 16, EVP_aes_192_cfb128},
                               {9, 32, 16, EVP_aes_256_cfb128}};

struct Named {
  std::string_view name;
  int code;
};
constexpr Named kCipherNames[] = {{"3des", 2},   {"cast5", 3},  {"bf", 4},     {"blowfish", 4}, {"aes", 7},
                                  {"aes128", 7}, {"aes192", 8}, {"aes256", 9}, {"twofish", 10}};
struct NamedDigest {
  std::string_view name;
  int code;
  const EVP_MD* (*digest)();
};
constexpr NamedDigest kDigests[] = {
    {"md5", 1, EVP_md5},       {"sha1", 2, EVP_sha1},     {"sha-1", 2, EVP_sha1},    {"ripemd160", 3, EVP_ripemd160},
    {"sha256", 8, EVP_sha256}, {"sha384", 9, EVP_sha384}, {"sha512", 10, EVP_sha512}};

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* c) const { EVP_CIPHER_CTX_free(c); }
  void operator()(EVP_MD_CTX* c) const { EVP_MD_CTX_free(c); }
};
const unsigned char* raw(Str bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }
unsigned char* raw(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

constexpr size_t kSaltBytes = 8;

}  // namespace

const Cipher* cipher_by_code(int code) {
  const auto* found =
      std::find_if(std::begin(kCiphers), std::end(kCiphers), [&](const Cipher& c) { return c.code == code; });
  return found == std::end(kCiphers) ? nullptr : found;
}
std::optional<int> cipher_code(Str name) {
  for (const Named& c : kCipherNames) {
    if (c.name == name) return c.code;
  }
  return std::nullopt;
}
std::optional<int> digest_code(Str name) {
  for (const NamedDigest& d : kDigests) {
    if (d.name == name) return d.code;
  }
  return std::nullopt;
}
size_t key_bytes(const Cipher& cipher) { return cipher.key; }
size_t block_bytes(const Cipher& cipher) { return cipher.block; }

Failure cipher_feedback(const Cipher& cipher, bool encrypt, Str key, Str iv, Str data, std::string& out) {
  if (key.size() != cipher.key) return kCorrupt;
  std::string start(iv);
  start.resize(cipher.block);
  const std::unique_ptr<EVP_CIPHER_CTX, FreeContext> context(EVP_CIPHER_CTX_new());
  if (context == nullptr ||
      EVP_CipherInit_ex(context.get(), cipher.feedback(), nullptr, raw(key), raw(start), encrypt ? 1 : 0) != 1) {
    return kNoCipher;
  }
  out.resize(data.size());
  constexpr size_t kStep = size_t{1} << 16;
  for (size_t at = 0; at < data.size(); at += kStep) {
    const size_t n = std::min(kStep, data.size() - at);
    note_work(n);
    int written = 0;
    if (EVP_CipherUpdate(context.get(), raw(out) + at, &written, raw(data) + at, static_cast<int>(n)) != 1)
      return kCorrupt;
  }
  return nullptr;
}

std::string sha1(Str data) {
  std::string out(20, '\0');
  const std::unique_ptr<EVP_MD_CTX, FreeContext> context(EVP_MD_CTX_new());
  constexpr size_t kStep = size_t{1} << 16;
  if (context == nullptr || EVP_DigestInit_ex(context.get(), EVP_sha1(), nullptr) != 1) return {};
  for (size_t at = 0; at < data.size(); at += kStep) {
    const size_t n = std::min(kStep, data.size() - at);
    note_work(n);
    EVP_DigestUpdate(context.get(), data.data() + at, n);
  }
  EVP_DigestFinal_ex(context.get(), raw(out), nullptr);
  return out;
}

bool random_bytes(size_t count, std::string& out) {
  out.resize(count);
  return RAND_bytes(raw(out), static_cast<int>(count)) == 1;
}

uint32_t decoded_count(uint8_t coded) { return (16U + (coded & 15U)) << ((coded >> 4) + 6U); }

// Digests of salt and password, again and again; each further one, of longer keys, has a zero more in front.
Failure key_of_password(const PasswordKey& how, const Cipher& cipher, Str password, std::string& key) {
  const auto* digest = std::find_if(std::begin(kDigests), std::end(kDigests),
                                    [&](const NamedDigest& d) { return d.code == how.digest; });
  if (digest == std::end(kDigests)) return kNoDigest;
  const std::string once = how.salt + std::string(password);
  const size_t whole = how.mode == 3 ? std::max<size_t>(decoded_count(how.count), once.size()) : once.size();
  key.clear();
  for (size_t zeros = 0; key.size() < cipher.key; zeros++) {
    const std::unique_ptr<EVP_MD_CTX, FreeContext> context(EVP_MD_CTX_new());
    if (context == nullptr || EVP_DigestInit_ex(context.get(), digest->digest(), nullptr) != 1) return kNoDigest;
    EVP_DigestUpdate(context.get(), std::string(zeros, '\0').data(), zeros);
    for (size_t left = whole; left > 0;) {
      const size_t n = std::min(left, once.size());
      note_work(n + 20);
      EVP_DigestUpdate(context.get(), once.data(), n);
      left -= n;
    }
    std::string part(EVP_MAX_MD_SIZE, '\0');
    unsigned length = 0;
    EVP_DigestFinal_ex(context.get(), raw(part), &length);
    key.append(part, 0, length);
  }
  key.resize(cipher.key);
  return nullptr;
}

Failure read_password_key(Str& from, PasswordKey& out) {
  uint8_t mode = 0, digest = 0;
  if (!take_byte(from, mode) || !take_byte(from, digest)) return kCorrupt;
  out.mode = mode;
  out.digest = digest;
  Str salt;
  if (mode != 0 && mode != 1 && mode != 3) return kBadS2k;
  if (mode != 0 && !take(from, kSaltBytes, salt)) return kCorrupt;
  out.salt = salt;
  return mode != 3 || take_byte(from, out.count) ? nullptr : kCorrupt;
}

void append_password_key(const PasswordKey& how, std::string& out) {
  out.push_back(static_cast<char>(how.mode));
  out.push_back(static_cast<char>(how.digest));
  out += how.salt;
  if (how.mode == 3) out.push_back(static_cast<char>(how.count));
}

}  // namespace indigo::types::pgcrypto::pgp
