// OpenPGP messages: a session key, then literal data, compressed perhaps, encrypted, with a check against modification or without.
#include <zlib.h>

#include <algorithm>
#include <ctime>

#include "base/fiber/long_work.h"
#include "types/extension/pgcrypto/open_pgp.h"

namespace indigo::types::pgcrypto::pgp {

namespace {

constexpr size_t kMostUnpacked = size_t{1} << 30;
constexpr char kCheckHead[] = {'\xd3', '\x14'};  // the header of a modification check
constexpr size_t kCheckBytes = 22;
constexpr int kZip = 1, kZlib = 2;

// ---- compression (5.6)
int window_bits(int algorithm) { return algorithm == kZip ? -15 : 15; }

Failure packed(int algorithm, int level, Str data, std::string& out) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, window_bits(algorithm), 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return "Compression error";
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  std::string part(size_t{1} << 16, '\0');
  for (int state = Z_OK; state == Z_OK;) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    state = deflate(&stream, Z_FINISH);
    out.append(part, 0, part.size() - stream.avail_out);
    note_work(part.size() * 8);
  }
  deflateEnd(&stream);
  return nullptr;
}

Failure unpacked(int algorithm, Str data, std::string& out) {
  z_stream stream{};
  if (inflateInit2(&stream, window_bits(algorithm)) != Z_OK) return "Compression error";
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  std::string part(size_t{1} << 16, '\0');
  int state = Z_OK;
  while (state == Z_OK && out.size() <= kMostUnpacked) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    state = inflate(&stream, Z_NO_FLUSH);
    out.append(part, 0, part.size() - stream.avail_out);
    note_work(part.size());
    if (state == Z_OK && stream.avail_in == 0 && stream.avail_out != 0) break;  // cut off
  }
  inflateEnd(&stream);
  return state == Z_STREAM_END ? nullptr : kCorrupt;
}

// ---- ends of lines
std::string with_long_ends(Str text) {
  std::string out;
  for (const char c : text) c == '\n' ? out.append("\r\n") : out.append(1, c);
  return out;
}
std::string with_short_ends(Str text) {
  std::string out;
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') out.push_back(text[i]);
  }
  return out;
}

// ---- encryption

Failure begin(const Settings& s, const Key& key, std::string& session, std::string& out) {
  const Cipher* cipher = cipher_by_code(s.cipher);
  const Cipher* of_password = s.session_key && s.password_cipher >= 0 ? cipher_by_code(s.password_cipher) : cipher;
  if (cipher == nullptr || of_password == nullptr) return kNoCipher;
  if (key.key != nullptr) {
    if (!random_bytes(key_bytes(*cipher), session)) return kNoRandom;
    std::string plain(1, static_cast<char>(s.cipher)), body = "\x03" + key.key->id, secret;
    plain += session;
    unsigned sum = 0;
    for (const char c : session) sum += static_cast<uint8_t>(c);
    plain.push_back(static_cast<char>(sum >> 8));
    plain.push_back(static_cast<char>(sum));
    body.push_back(static_cast<char>(key.key->algorithm));
    if (const Failure failure = encrypt_session(*key.key, plain, secret)) return failure;
    append_packet(Tag::kPublicKeySession, body + secret, out);
    return nullptr;
  }
  PasswordKey how;
  how.mode = s.mode;
  how.digest = s.digest;
  std::string random;
  if (!random_bytes(9, random)) return kNoRandom;
  if (how.mode != 0) how.salt = random.substr(0, 8);
  if (how.mode == 3) {
    how.count = static_cast<uint8_t>(96 + (static_cast<uint8_t>(random[8]) & 0x1f));  // 65,536 to 253,952 bytes
    for (int coded = 0; s.count >= 0 && coded < 256; coded++) {
      how.count = static_cast<uint8_t>(coded);
      if (decoded_count(how.count) >= static_cast<uint32_t>(s.count)) break;
    }
  }
  std::string by_password;
  if (const Failure failure = key_of_password(how, *of_password, key.password, by_password)) return failure;
  std::string body(1, '\x04');
  body.push_back(static_cast<char>(s.session_key && s.password_cipher >= 0 ? s.password_cipher : s.cipher));
  append_password_key(how, body);
  session = by_password;
  if (s.session_key) {
    if (!random_bytes(key_bytes(*cipher), session)) return kNoRandom;
    std::string hidden;
    const std::string plain = std::string(1, static_cast<char>(s.cipher)) + session;
    if (const Failure failure = cipher_feedback(*of_password, true, by_password, {}, plain, hidden)) return failure;
    body += hidden;
  }
  append_packet(Tag::kPasswordSession, body, out);
  return nullptr;
}

std::string literal(const Settings& s, Str data) {
  std::string body(1, !s.text ? 'b' : s.unicode ? 'u' : 't');
  body.push_back('\0');  // no name
  const auto now = static_cast<uint32_t>(std::time(nullptr));
  for (const int shift : {24, 16, 8, 0}) body.push_back(static_cast<char>(now >> shift));
  s.text&& s.convert_ends ? body.append(with_long_ends(data)) : body.append(data);
  std::string out;
  append_packet(Tag::kLiteral, body, out);
  return out;
}

// ---- decryption

class Decryption {
 public:
  Decryption(Settings& settings, const Key& key, std::string& out) : s_(settings), key_(key), out_(out) {}

  Failure message(Str bytes) {
    PacketReader reader(bytes);
    Packet packet;
    bool done = false;
    while (!reader.at_end()) {
      if (const Failure failure = reader.next(packet, true)) return failure;
      Failure failure = nullptr;
      switch (packet.tag) {
        case Tag::kMarker: break;
        case Tag::kPublicKeySession: failure = key_.key == nullptr ? kCorrupt : public_session(packet.body); break;
        case Tag::kPasswordSession:
          if (cipher_ == nullptr) failure = key_.key != nullptr ? kCorrupt : password_session(packet.body);
          break;
        case Tag::kEncrypted:
        case Tag::kProtected:
          if (cipher_ == nullptr || done) return kCorrupt;
          done = true;
          s_.no_check = packet.tag == Tag::kEncrypted;
          failure = s_.no_check ? encrypted(packet.body) : checked(packet.body);
          break;
        default: return kCorrupt;
      }
      if (failure != nullptr) return failure;
    }
    if (!done) return kCorrupt;
    if (bad_compression_) return kNoCompression;
    return binary_ ? kNotText : nullptr;
  }

 private:
  Failure use(int code, std::string session) {
    cipher_ = cipher_by_code(code);
    if (cipher_ == nullptr) return cipher_is_known(code) ? kNoCipher : kCorrupt;
    s_.cipher = code;
    session_ = std::move(session);
    return session_.size() == key_bytes(*cipher_) ? nullptr : kCorrupt;
  }
  static bool cipher_is_known(int code) { return code >= 1 && code <= 10; }

  Failure password_session(Str body) {
    uint8_t version = 0, code = 0;
    if (!take_byte(body, version) || !take_byte(body, code) || version != 4) return kCorrupt;
    PasswordKey how;
    if (const Failure failure = read_password_key(body, how)) return failure;
    const Cipher* cipher = cipher_by_code(code);
    if (cipher == nullptr) return cipher_is_known(code) ? kNoCipher : kCorrupt;
    std::string by_password;
    if (const Failure failure = key_of_password(how, *cipher, key_.password, by_password)) return failure;
    s_.mode = how.mode;
    s_.digest = how.digest;
    s_.password_cipher = code;
    s_.session_key = !body.empty();
    if (body.empty()) return use(code, std::move(by_password));
    std::string plain;
    if (const Failure failure = cipher_feedback(*cipher, false, by_password, {}, body, plain)) return failure;
    return use(static_cast<uint8_t>(plain[0]), plain.substr(1));
  }

  Failure public_session(Str body) {
    uint8_t version = 0, algorithm = 0;
    Str id;
    if (!take_byte(body, version) || version != 3 || !take(body, 8, id) || !take_byte(body, algorithm)) return kCorrupt;
    const bool any = id == Str("\0\0\0\0\0\0\0\0", 8);
    if (!any && id != key_.key->id) return "Wrong key";
    if (algorithm != key_.key->algorithm) return kCorrupt;
    std::string plain;
    if (const Failure failure = decrypt_session(*key_.key, body, plain)) return failure;
    if (plain.size() < 4) return kCorrupt;
    unsigned sum = 0;
    const std::string session = plain.substr(1, plain.size() - 3);
    for (const char c : session) sum += static_cast<uint8_t>(c);
    const unsigned said = static_cast<uint8_t>(plain[plain.size() - 2]) * 256U + static_cast<uint8_t>(plain.back());
    if ((sum & 0xffff) != said) return kCorrupt;
    return use(static_cast<uint8_t>(plain[0]), session);
  }

  // Random bytes of a block, of which the last two come again.
  bool has_prefix(Str plain) const {
    const size_t block = block_bytes(*cipher_);
    return plain.size() >= block + 2 && plain.substr(block - 2, 2) == plain.substr(block, 2);
  }

  // 5.7: behind the prefix the cipher is begun anew.
  Failure encrypted(Str body) {
    const size_t prefix = block_bytes(*cipher_) + 2;
    if (body.size() < prefix) return kCorrupt;
    std::string head, plain;
    if (const Failure failure = cipher_feedback(*cipher_, false, session_, {}, body.substr(0, prefix), head))
      return failure;
    const Str iv = body.substr(2, prefix - 2);
    if (const Failure failure = cipher_feedback(*cipher_, false, session_, iv, body.substr(prefix), plain))
      return failure;
    const Failure failure = content(plain, true);
    return has_prefix(head) ? failure : kCorrupt;
  }

  // 5.13 and 5.14
  Failure checked(Str body) {
    uint8_t version = 0;
    const size_t prefix = block_bytes(*cipher_) + 2;
    if (!take_byte(body, version) || version != 1 || body.size() < prefix + kCheckBytes) return kCorrupt;
    std::string plain;
    if (const Failure failure = cipher_feedback(*cipher_, false, session_, {}, body, plain)) return failure;
    const Str all(plain), check = all.substr(all.size() - kCheckBytes);
    if (!has_prefix(all) || check.substr(0, 2) != Str(kCheckHead, 2) ||
        check.substr(2) != sha1(all.substr(0, all.size() - kCheckBytes + 2))) {
      return kCorrupt;
    }
    return content(all.substr(prefix, all.size() - prefix - kCheckBytes), true);
  }

  Failure content(Str bytes, bool may_be_compressed) {
    PacketReader reader(bytes);
    Packet packet;
    bool got = false;
    while (!reader.at_end()) {
      if (const Failure failure = reader.next(packet, may_be_compressed)) return failure;
      if (got) return kCorrupt;
      got = true;
      Failure failure = kCorrupt;
      if (packet.tag == Tag::kLiteral) failure = data(packet.body);
      if (packet.tag == Tag::kCompressed && may_be_compressed) failure = compressed(packet.body);
      if (failure != nullptr) return failure;
    }
    return got ? nullptr : kCorrupt;
  }

  Failure compressed(Str body) {
    uint8_t algorithm = 0;
    if (!take_byte(body, algorithm)) return kCorrupt;
    s_.compression = algorithm;
    if (algorithm == 0) return content(body, false);
    if (algorithm != kZip && algorithm != kZlib) {
      bad_compression_ = true;
      return algorithm == 3 ? nullptr : kCorrupt;  // bzip2
    }
    std::string plain;
    if (const Failure failure = unpacked(algorithm, body, plain)) return failure;
    return content(plain, false);
  }

  Failure data(Str body) {
    uint8_t kind = 0, name = 0;
    Str skipped;
    if (!take_byte(body, kind) || !take_byte(body, name) || !take(body, name, skipped) || !take(body, 4, skipped))
      return kCorrupt;
    binary_ = s_.text && kind != 't' && kind != 'u';
    s_.unicode = kind == 'u';
    out_ = s_.text && s_.convert_ends ? with_short_ends(body) : std::string(body);
    return nullptr;
  }

  Settings& s_;
  const Key& key_;
  std::string& out_;
  const Cipher* cipher_ = nullptr;
  std::string session_;
  bool binary_ = false, bad_compression_ = false;
};

}  // namespace

Failure encrypt(const Settings& s, const Key& key, Str data, std::string& out) {
  std::string session;
  if (const Failure failure = begin(s, key, session, out)) return failure;
  const Cipher& cipher = *cipher_by_code(s.cipher);
  std::string content = literal(s, data);
  if (s.compression > 0 && s.level > 0) {
    std::string body(1, static_cast<char>(s.compression));
    if (const Failure failure = packed(s.compression, s.level, content, body)) return failure;
    content.clear();
    append_packet(Tag::kCompressed, body, content);
  }
  std::string prefix, hidden;
  const size_t block = block_bytes(cipher);
  if (!random_bytes(block, prefix)) return kNoRandom;
  prefix += prefix.substr(block - 2);
  if (s.no_check) {
    std::string head;
    if (const Failure failure = cipher_feedback(cipher, true, session, {}, prefix, head)) return failure;
    if (const Failure failure = cipher_feedback(cipher, true, session, head.substr(2), content, hidden)) return failure;
    append_packet(Tag::kEncrypted, head + hidden, out);
    return nullptr;
  }
  std::string plain = prefix + content + std::string(kCheckHead, 2);
  plain += sha1(plain);
  if (const Failure failure = cipher_feedback(cipher, true, session, {}, plain, hidden)) return failure;
  append_packet(Tag::kProtected, "\x01" + hidden, out);
  return nullptr;
}

Failure decrypt(Settings& settings, const Key& key, Str message, std::string& out) {
  settings.compression = 0;
  settings.session_key = false;
  return Decryption(settings, key, out).message(message);
}

}  // namespace indigo::types::pgcrypto::pgp
