// crypt() and gen_salt(): password hashes by libcrypt (DES, extended DES, MD5, bcrypt).
#include <array>
#include <memory>

#include "base/entropy.h"
#include "base/sqlstate.h"
#include "types/extension/pgcrypto/pgcrypto.h"
#include "types/extension/pgcrypto/slow_crypt.h"
#include "types/text/ascii.h"

namespace indigo::types::pgcrypto {

namespace {

// crypt's own alphabet of base 64.
constexpr char kDigits[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

struct SaltType {
  std::string_view name, prefix;
  int32_t default_rounds, least, most;
};
constexpr SaltType kSaltTypes[] = {
    {"des", "", 25, 25, 25},
    {"md5", "$1$", 1000, 1000, 1000},
    {"xdes", "_", 29 * 25, 1, 0xffffff},
    {"bf", "$2a$", 6, 4, 31},
};

bool random_digits(FuncContext& context, size_t count, std::string& out) {
  std::array<unsigned char, 16> bytes;
  if (!fill_random(bytes.data(), count)) {
    fail_external(context, "gen_salt: No strong random source");
    return false;
  }
  for (size_t i = 0; i < count; i++) out += kDigits[bytes[i] % 64];
  return true;
}

// bcrypt's salt: 16 random bytes in its own base 64, most significant bits first.
bool random_bcrypt_salt(FuncContext& context, std::string& out) {
  constexpr char kAlphabet[] = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::array<unsigned char, 16> bytes;
  if (!fill_random(bytes.data(), bytes.size())) {
    fail_external(context, "gen_salt: No strong random source");
    return false;
  }
  uint32_t bits = 0, held = 0;
  for (const unsigned char b : bytes) {
    bits = bits << 8 | b;
    for (held += 8; held >= 6; held -= 6) out += kAlphabet[bits >> (held - 6) & 63];
  }
  out += kAlphabet[bits << (6 - held) & 63];
  return true;
}

Str salt_of(FuncContext& context, Str type, std::optional<int32_t> rounds) {
  const std::string lower = to_lower(type);
  for (const SaltType& t : kSaltTypes) {
    if (t.name != lower) continue;
    const int32_t n = rounds && *rounds != 0 ? *rounds : t.default_rounds;
    // Extended DES wants an odd number: even ones make weak keys visible.
    if (n < t.least || n > t.most || (t.name == "xdes" && n % 2 == 0)) {
      context.fail(sqlstate::kInvalidParameterValue, "gen_salt: Incorrect number of rounds");
      return {};
    }
    std::string out(t.prefix);
    bool made = false;
    if (t.name == "bf") {
      out.append(1, static_cast<char>('0' + n / 10)).append(1, static_cast<char>('0' + n % 10)).append("$");
      made = random_bcrypt_salt(context, out);
    } else {
      if (t.name == "xdes") {
        for (int shift = 0; shift < 24; shift += 6) out += kDigits[n >> shift & 63];
      }
      made = random_digits(context, t.name == "des" ? 2 : t.name == "md5" ? 8 : 4, out);
    }
    return made ? context.arena().copy(out) : Str();
  }
  context.fail(sqlstate::kInvalidParameterValue, "gen_salt: Unknown salt algorithm");
  return {};
}

// libcrypt has other methods, some of which want as much memory as their salt says.
bool is_known_salt(std::string_view salt) {
  if (!salt.starts_with('$')) return true;
  const std::string_view method = salt.substr(0, 4);
  return salt.starts_with("$1$") || method == "$2a$" || method == "$2b$" || method == "$2x$" || method == "$2y$";
}

}  // namespace

Str crypt(FuncContext& context, Str password, Str salt) {
  const std::string p(password), s(salt);
  const auto state = std::make_unique<crypt_data>();
  const char* out = is_known_salt(s) ? interruptible_crypt(p, s, *state) : nullptr;
  if (out == nullptr || out[0] == '*') {
    context.fail(sqlstate::kInvalidParameterValue, "invalid salt");
    return {};
  }
  return context.arena().copy(Str(out));
}

Str gen_salt(FuncContext& context, Str type) { return salt_of(context, type, std::nullopt); }
Str gen_salt_rounds(FuncContext& context, Str type, int32_t rounds) { return salt_of(context, type, rounds); }

Str gen_random_bytes(FuncContext& context, int32_t count) {
  if (count < 1 || count > 1024) {
    fail_external(context, "Length not in range");
    return {};
  }
  const auto size = static_cast<size_t>(count);
  char* out = static_cast<char*>(context.arena().allocate(size, 1));
  if (fill_random(out, size)) return {out, size};
  fail_external(context, "No strong random source");
  return {};
}

}  // namespace indigo::types::pgcrypto
