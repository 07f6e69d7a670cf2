// OpenPGP messages (RFC 4880), as far as pgcrypto has them: encrypted with a password or a public key, not signed.
//
// Whatever is wrong is told by one of pgcrypto's messages (Failure); it does not say more about what could not be decrypted.
// Thread safety: values and pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <openssl/bn.h>

#include "base/bytes.h"
#include "types/value/physical.h"

namespace indigo::types::pgcrypto::pgp {

// Null: none.
using Failure = const char*;
inline constexpr Failure kCorrupt = "Wrong key or corrupt data", kNoCipher = "Unsupported cipher algorithm",
                         kNoDigest = "Unsupported digest algorithm",
                         kNoCompression = "Unsupported compression algorithm", kNotText = "Not text data",
                         kBadS2k = "Bad S2K mode", kBadArgument = "Illegal argument to function",
                         kCorruptKey = "Corrupt key packet", kNoRandom = "Failed to generate strong random bits",
                         kMathFailed = "Math operation failed";

enum class Tag : uint8_t {
  kPublicKeySession = 1,
  kSignature = 2,
  kPasswordSession = 3,
  kSecretKey = 5,
  kPublicKey = 6,
  kSecretSubkey = 7,
  kCompressed = 8,
  kEncrypted = 9,
  kMarker = 10,
  kLiteral = 11,
  kTrust = 12,
  kUserId = 13,
  kPublicSubkey = 14,
  kUserAttribute = 17,
  kProtected = 18,
  kModificationCheck = 19,
  kPrivate61 = 61
};

// ---- packets (4.2, 4.3)
struct Packet {
  Tag tag;
  std::string body;
};
void append_packet(Tag tag, Str body, std::string& out);
class PacketReader {
 public:
  explicit PacketReader(Str bytes) : rest_(bytes) {}
  bool at_end() const { return rest_.empty(); }
  // Lengths in parts are joined. `open`: a packet without a length, which takes the rest, is allowed.
  Failure next(Packet& packet, bool open);

 private:
  Str rest_;
};
// Takes bytes from the front; false: there are not as many.
bool take(Str& from, size_t count, Str& bytes);
bool take_byte(Str& from, uint8_t& byte);

// ---- ciphers and keys out of passwords (9.2, 9.4, 3.7), in pgp_ciphers.cpp
struct Cipher;
const Cipher* cipher_by_code(int code);    // null: not known, or OpenSSL does not have it
std::optional<int> cipher_code(Str name);  // pgcrypto's names
std::optional<int> digest_code(Str name);
size_t key_bytes(const Cipher& cipher);
size_t block_bytes(const Cipher& cipher);
// CFB without resynchronisation; `iv` empty: zeros.
Failure cipher_feedback(const Cipher& cipher, bool encrypt, Str key, Str iv, Str data, std::string& out);
std::string sha1(Str data);

struct PasswordKey {
  int mode = 3;  // 0 simple, 1 salted, 3 iterated and salted
  int digest = 2;
  std::string salt;
  uint8_t count = 0;  // coded
};
uint32_t decoded_count(uint8_t coded);
Failure key_of_password(const PasswordKey& how, const Cipher& cipher, Str password, std::string& key);
Failure read_password_key(Str& from, PasswordKey& out);
void append_password_key(const PasswordKey& how, std::string& out);

bool random_bytes(size_t count, std::string& out);

// ---- public keys (5.5), in pgp_keys.cpp
struct FreeNumber {
  void operator()(BIGNUM* n) const { BN_clear_free(n); }
};
using Number = std::unique_ptr<BIGNUM, FreeNumber>;

struct PublicKey {
  int algorithm = 0;            // 1..3 RSA, 16 Elgamal
  std::vector<Number> numbers;  // n, e; p, g, y
  std::vector<Number> secret;   // d, p, q, u; x
  std::string id;               // 8 bytes
};
// The one key of a key ring that is for encryption; `secret`: its secret half is needed, behind a password or not.
Failure read_key(Str ring, bool secret, const std::optional<std::string>& password, PublicKey& out);
Failure encrypt_session(const PublicKey& key, Str plain, std::string& out);  // the packet's body behind the algorithm
Failure decrypt_session(const PublicKey& key, Str body, std::string& plain);
// "SYMKEY", "ANYKEY", or the key's number in hexadecimal digits: of a message, or a key ring.
Failure key_id_of(Str data, std::string& out);

// ---- messages, in pgp_message.cpp
struct Settings {
  int cipher = 7, password_cipher = -1;  // -1: the same
  int mode = 3, count = -1, digest = 2;
  int compression = 0, level = 6;
  bool no_check = false, session_key = false, convert_ends = false, unicode = false;
  bool text = false;
};
struct Key {
  Str password;
  const PublicKey* key = nullptr;  // null: by the password
};
Failure encrypt(const Settings& settings, const Key& key, Str data, std::string& out);
// `settings` has afterwards what the message was made with.
Failure decrypt(Settings& settings, const Key& key, Str message, std::string& out);

}  // namespace indigo::types::pgcrypto::pgp
