// OpenPGP's public keys: RSA and Elgamal, by OpenSSL's big numbers.
#include <algorithm>
#include <utility>

#include "base/fiber/long_work.h"
#include "types/extension/pgcrypto/open_pgp.h"

namespace indigo::types::pgcrypto::pgp {

namespace {

constexpr int kRsa = 1, kRsaEncrypt = 2, kRsaSign = 3, kElgamal = 16, kDsa = 17;
constexpr size_t kIdBytes = 8;
constexpr size_t kMostBits = 16384;  // of a number
constexpr int kElgamalLeastBits = 1024;

struct FreeWorkspace {
  void operator()(BN_CTX* c) const { BN_CTX_free(c); }
};
using Workspace = std::unique_ptr<BN_CTX, FreeWorkspace>;

bool is_rsa(int algorithm) { return algorithm >= kRsa && algorithm <= kRsaSign; }
// pgcrypto takes RSA's number 3 for signatures alone to be 3, and 1 for both.
bool encrypts(int algorithm) { return algorithm == kRsa || algorithm == kRsaEncrypt || algorithm == kElgamal; }
size_t public_numbers(int algorithm) { return is_rsa(algorithm) ? 2 : algorithm == kElgamal ? 3 : 4; }
size_t secret_numbers(int algorithm) { return is_rsa(algorithm) ? 4 : 1; }

// A number: 16 bits say how many bits it has.
bool take_number(Str& from, Number& out) {
  Str head, bytes;
  if (!take(from, 2, head)) return false;
  const size_t bits = static_cast<uint8_t>(head[0]) * size_t{256} + static_cast<uint8_t>(head[1]);
  if (bits > kMostBits || !take(from, (bits + 7) / 8, bytes)) return false;
  out.reset(BN_bin2bn(reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()), nullptr));
  return out != nullptr;
}
std::string bytes_of(const BIGNUM* n) {
  std::string out(static_cast<size_t>(BN_num_bytes(n)), '\0');
  BN_bn2bin(n, reinterpret_cast<unsigned char*>(out.data()));
  return out;
}
void append_number(const BIGNUM* n, std::string& out) {
  const int bits = BN_num_bits(n);
  out.push_back(static_cast<char>(bits >> 8));
  out.push_back(static_cast<char>(bits));
  out += bytes_of(n);
}

// What stands in a key's packet in front of its secret.
Failure read_public(Str& body, PublicKey& out) {
  const Str whole = body;
  uint8_t version = 0, algorithm = 0;
  Str time;
  if (!take_byte(body, version)) return kCorrupt;
  if (version != 4) return "Only V4 key packets are supported";
  if (!take(body, 4, time) || !take_byte(body, algorithm)) return kCorrupt;
  if (!is_rsa(algorithm) && algorithm != kElgamal && algorithm != kDsa)
    return "Unknown public-key encryption algorithm";
  out.algorithm = algorithm;
  for (size_t i = 0; i < public_numbers(algorithm); i++) {
    if (!take_number(body, out.numbers.emplace_back())) return kCorrupt;
  }
  const std::string shown(whole.substr(0, whole.size() - body.size()));
  std::string hashed = "\x99";
  hashed.push_back(static_cast<char>(shown.size() >> 8));
  hashed.push_back(static_cast<char>(shown.size()));
  out.id = sha1(hashed + shown).substr(20 - kIdBytes);
  return nullptr;
}

// Behind it: how the secret is hidden, the secret, and a check of it.
Failure read_secret(Str body, const std::optional<std::string>& password, PublicKey& out) {
  constexpr uint8_t kClear = 0, kHash = 254, kSum = 255;
  uint8_t hidden = 0, code = 0;
  if (!take_byte(body, hidden)) return kCorrupt;
  std::string plain(body);
  if (hidden == kHash || hidden == kSum) {
    if (!password) return "Need password for secret key";
    if (!take_byte(body, code)) return kCorrupt;
    PasswordKey how;
    if (const Failure failure = read_password_key(body, how)) return failure;
    const Cipher* cipher = cipher_by_code(code);
    if (cipher == nullptr) return kNoCipher;
    std::string key;
    if (const Failure failure = key_of_password(how, *cipher, *password, key)) return failure;
    Str iv;
    if (!take(body, block_bytes(*cipher), iv)) return kCorrupt;
    if (const Failure failure = cipher_feedback(*cipher, false, key, iv, body, plain)) return failure;
  } else if (hidden != kClear) {
    return kCorruptKey;
  }
  Str rest(plain), check;
  for (size_t i = 0; i < secret_numbers(out.algorithm); i++) {
    if (!take_number(rest, out.secret.emplace_back())) return kCorrupt;
  }
  const Str numbers = Str(plain).substr(0, plain.size() - rest.size());
  if (hidden == kHash) return take(rest, 20, check) && rest.empty() && check == sha1(numbers) ? nullptr : kCorruptKey;
  unsigned sum = 0;
  for (const char c : numbers) sum += static_cast<uint8_t>(c);
  if (!take(rest, 2, check) || !rest.empty()) return kCorruptKey;
  const unsigned said = static_cast<uint8_t>(check[0]) * 256U + static_cast<uint8_t>(check[1]);
  return said == (sum & 0xffff) ? nullptr : kCorruptKey;
}

bool is_passed_over(Tag tag) {
  return tag == Tag::kSignature || tag == Tag::kMarker || tag == Tag::kTrust || tag == Tag::kUserId ||
         tag == Tag::kUserAttribute || tag == Tag::kPrivate61;
}

// 02, bytes that are not zero, 00, the text: as long as the modulus but for its first byte (PKCS #1, 1.5).
Failure padded(const BIGNUM* modulus, Str plain, Number& out) {
  constexpr size_t kLeastPadding = 8;
  const auto length = static_cast<size_t>(BN_num_bytes(modulus)) - 1;
  if (length < plain.size() + 2 + kLeastPadding) return "Public key too big";
  std::string bytes;
  if (!random_bytes(length, bytes)) return kNoRandom;
  bytes[0] = 2;
  const size_t end = length - plain.size() - 1;
  for (size_t i = 1; i < end; i++) {
    for (std::string other; bytes[i] == 0; bytes[i] = other[0]) {
      if (!random_bytes(1, other)) return kNoRandom;
    }
  }
  bytes[end] = 0;
  bytes.replace(end + 1, plain.size(), plain);
  out.reset(BN_bin2bn(reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(length), nullptr));
  return out != nullptr ? nullptr : kMathFailed;
}
Failure unpadded(const BIGNUM* n, std::string& out) {
  const std::string bytes = bytes_of(n);
  const size_t end = bytes.find('\0');
  if (bytes.empty() || bytes[0] != 2 || end == std::string::npos || end < 9) return kCorrupt;
  out = bytes.substr(end + 1);
  return nullptr;
}

// A power takes some milliseconds.
bool power(BIGNUM* out, const BIGNUM* base, const BIGNUM* exponent, const BIGNUM* modulus, BN_CTX* workspace) {
  note_work(static_cast<uint64_t>(BN_num_bits(exponent)) * static_cast<uint64_t>(BN_num_bits(modulus)));
  return !BN_is_zero(modulus) && BN_mod_exp(out, base, exponent, modulus, workspace) == 1;
}

}  // namespace

Failure read_key(Str ring, bool secret, const std::optional<std::string>& password, PublicKey& out) {
  PacketReader reader(ring);
  Packet packet;
  bool main = false, found = false;
  while (!reader.at_end()) {
    if (const Failure failure = reader.next(packet, false)) return failure;
    if (is_passed_over(packet.tag)) continue;
    if (packet.tag == Tag::kPublicKey || packet.tag == Tag::kSecretKey) {
      if (std::exchange(main, true)) return "Several keys given - pgcrypto does not handle keyring";
      continue;
    }
    if (packet.tag != Tag::kPublicSubkey && packet.tag != Tag::kSecretSubkey) return "Unexpected packet in key data";
    if (packet.tag == Tag::kPublicSubkey && secret) return "Cannot decrypt with public key";
    if (packet.tag == Tag::kSecretSubkey && !secret) return "Refusing to encrypt with secret key";
    PublicKey key;
    Str body(packet.body);
    if (const Failure failure = read_public(body, key)) return failure;
    if (const Failure failure = secret ? read_secret(body, password, key) : nullptr) return failure;
    if (!encrypts(key.algorithm)) continue;
    if (std::exchange(found, true)) return "Several subkeys not supported";
    out = std::move(key);
  }
  return found ? nullptr : "No encryption key found";
}

Failure encrypt_session(const PublicKey& key, Str plain, std::string& out) {
  const Workspace workspace(BN_CTX_new());
  Number text, result(BN_new()), other(BN_new()), exponent(BN_new());
  const BIGNUM* modulus = key.numbers[0].get();
  if (BN_num_bytes(modulus) < 16) return kCorrupt;
  if (const Failure failure = padded(modulus, plain, text)) return failure;
  if (is_rsa(key.algorithm)) {
    if (!power(result.get(), text.get(), key.numbers[1].get(), modulus, workspace.get())) return kMathFailed;
    append_number(result.get(), out);
    return nullptr;
  }
  if (BN_num_bits(modulus) < kElgamalLeastBits) return "Elgamal keys must be at least 1024 bits long";
  constexpr int kExponentBits = 400;
  if (BN_rand(exponent.get(), kExponentBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) != 1) return kNoRandom;
  if (!power(result.get(), key.numbers[1].get(), exponent.get(), modulus, workspace.get()) ||
      !power(other.get(), key.numbers[2].get(), exponent.get(), modulus, workspace.get()) ||
      BN_mod_mul(other.get(), other.get(), text.get(), modulus, workspace.get()) != 1) {
    return kMathFailed;
  }
  append_number(result.get(), out);
  append_number(other.get(), out);
  return nullptr;
}

Failure decrypt_session(const PublicKey& key, Str body, std::string& plain) {
  const Workspace workspace(BN_CTX_new());
  Number first, second, result(BN_new());
  const BIGNUM* modulus = key.numbers[0].get();
  if (!take_number(body, first)) return kCorrupt;
  if (is_rsa(key.algorithm)) {
    if (!power(result.get(), first.get(), key.secret[0].get(), modulus, workspace.get())) return kMathFailed;
    return unpadded(result.get(), plain);
  }
  if (!take_number(body, second)) return kCorrupt;
  if (!power(result.get(), first.get(), key.secret[0].get(), modulus, workspace.get()) ||
      BN_mod_inverse(result.get(), result.get(), modulus, workspace.get()) == nullptr ||
      BN_mod_mul(result.get(), result.get(), second.get(), modulus, workspace.get()) != 1) {
    return kMathFailed;
  }
  return unpadded(result.get(), plain);
}

Failure key_id_of(Str data, std::string& out) {
  constexpr Failure kSeveral = "Several keys given - pgcrypto does not handle keyring";
  PacketReader reader(data);
  Packet packet;
  std::string id;
  int keys = 0, sessions = 0, passwords = 0;
  bool main = false;
  while (!reader.at_end()) {
    if (const Failure failure = reader.next(packet, false)) return failure;
    if (packet.tag == Tag::kEncrypted || packet.tag == Tag::kProtected) break;
    if (is_passed_over(packet.tag)) continue;
    Str body(packet.body);
    switch (packet.tag) {
      case Tag::kPublicKey:
      case Tag::kSecretKey:
        if (std::exchange(main, true)) return kSeveral;
        break;
      case Tag::kPublicSubkey:
      case Tag::kSecretSubkey: {
        PublicKey key;
        if (const Failure failure = read_public(body, key)) return failure;
        if (!encrypts(key.algorithm)) break;
        id = key.id;
        keys++;
        break;
      }
      case Tag::kPublicKeySession: {
        uint8_t version = 0;
        Str named;
        if (!take_byte(body, version) || version != 3 || !take(body, kIdBytes, named)) return kCorrupt;
        id = named;
        sessions++;
        break;
      }
      case Tag::kPasswordSession: passwords++; break;
      default: return kCorrupt;
    }
  }
  if (keys > 1 || sessions > 1) return kSeveral;
  if (keys > 0 && sessions > 0) return kCorrupt;
  if (keys + sessions == 0) {
    if (passwords == 0) return "No encryption key found";
    out = "SYMKEY";
  } else if (id == std::string(kIdBytes, '\0')) {
    out = "ANYKEY";
  } else {
    constexpr char kDigits[] = "0123456789ABCDEF";
    for (const char c : id) {
      out.push_back(kDigits[static_cast<uint8_t>(c) >> 4]);
      out.push_back(kDigits[static_cast<uint8_t>(c) & 15]);
    }
  }
  return nullptr;
}

}  // namespace indigo::types::pgcrypto::pgp
