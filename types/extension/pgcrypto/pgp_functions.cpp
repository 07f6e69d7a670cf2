// pgp_sym_encrypt and its kin: OpenPGP messages as SQL's functions, with pgcrypto's options.
#include <charconv>

#include "base/sqlstate.h"
#include "types/extension/pgcrypto/open_pgp.h"
#include "types/extension/pgcrypto/pgcrypto.h"
#include "types/function/kernel.h"
#include "types/io/type_definition.h"
#include "types/text/ascii.h"
#include "types/textsearch/session.h"

namespace indigo::types::pgcrypto {

namespace {

using pgp::Failure;

// What a caller of decrypt thinks that the message was made with; -1: nothing.
struct Expected {
  std::string_view option, name;
  int value = -1;
};

class Options {
 public:
  pgp::Settings settings;
  std::vector<Expected> expected;

  // "cipher-algo=aes256, compress-algo=1"
  Failure read(Str text, bool decrypts) {
    const std::string lower = to_lower(text);
    Str rest(lower);
    while (!rest.empty()) {
      const Str name = word(rest);
      if (rest.empty() || rest[0] != '=') return pgp::kBadArgument;
      rest.remove_prefix(1);
      const Str value = word(rest);
      if (!rest.empty() && rest[0] != ',') return pgp::kBadArgument;
      if (!rest.empty()) rest.remove_prefix(1);
      if (name.empty() || value.empty()) return pgp::kBadArgument;
      if (const Failure failure = set(name, value, decrypts)) return failure;
    }
    return nullptr;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
  // Takes a word and the blanks around it.
  static Str word(Str& rest) {
    while (!rest.empty() && is_blank(rest[0])) rest.remove_prefix(1);
    size_t end = 0;
    while (end < rest.size() && !is_blank(rest[end]) && rest[end] != '=' && rest[end] != ',') end++;
    const Str out = rest.substr(0, end);
    rest.remove_prefix(end);
    while (!rest.empty() && is_blank(rest[0])) rest.remove_prefix(1);
    return out;
  }
  static int number(Str text) {
    int out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
  }

  static Failure set_cipher(Str name, int& out) {
    const auto code = pgp::cipher_code(name);
    if (!code) return pgp::kNoCipher;
    out = *code;
    return nullptr;
  }
  static Failure within(int value, int least, int most, int& out) {
    if (value < least || value > most) return pgp::kBadArgument;
    out = value;
    return nullptr;
  }

  Failure set(Str name, Str value, bool decrypts) {
    const int n = number(value);
    if (name == "cipher-algo") return set_cipher(value, settings.cipher);
    if (name == "s2k-cipher-algo") return set_cipher(value, settings.password_cipher);
    if (name == "s2k-digest-algo") {
      const auto code = pgp::digest_code(value);
      settings.digest = code.value_or(0);
      return code ? nullptr : pgp::kNoDigest;
    }
    if (name == "s2k-mode") return n == 2 ? pgp::kBadArgument : within(n, 0, 3, settings.mode);
    if (name == "s2k-count") {
      return settings.mode == 3 ? within(n, 1024, 65011712, settings.count) : pgp::kBadArgument;
    }
    if (name == "compress-algo") return within(n, 0, 3, settings.compression);
    if (name == "compress-level") return within(n, 0, 9, settings.level);
    bool* flag = name == "disable-mdc"    ? &settings.no_check
                 : name == "sess-key"     ? &settings.session_key
                 : name == "convert-crlf" ? &settings.convert_ends
                 : name == "unicode-mode" ? &settings.unicode
                                          : nullptr;
    if (flag != nullptr) {
      *flag = n != 0;
      return nullptr;
    }
    return decrypts ? expect(name, value, n) : pgp::kBadArgument;
  }

  Failure expect(Str name, Str value, int n) {
    if (name == "debug") return nullptr;  // tells nothing here
    static constexpr std::pair<std::string_view, std::string_view> kKnown[] = {
        {"expect-cipher-algo", "cipher_algo"},  {"expect-s2k-mode", "s2k_mode"},
        {"expect-s2k-count", "s2k_count"},      {"expect-s2k-digest-algo", "s2k_digest_algo"},
        {"expect-sess-key", "use_sess_key"},    {"expect-s2k-cipher-algo", "s2k_cipher_algo"},
        {"expect-disable-mdc", "disable_mdc"},  {"expect-compress-algo", "compress_algo"},
        {"expect-unicode-mode", "unicode_mode"}};
    for (const auto& [option, field] : kKnown) {
      if (option != name) continue;
      if (option.ends_with("cipher-algo")) n = pgp::cipher_code(value).value_or(-1);
      if (option.ends_with("digest-algo")) n = pgp::digest_code(value).value_or(-1);
      expected.push_back({option, field, n});
      return nullptr;
    }
    return pgp::kBadArgument;
  }
};

int got(const pgp::Settings& s, std::string_view name) {
  if (name == "cipher_algo") return s.cipher;
  if (name == "s2k_mode") return s.mode;
  if (name == "s2k_count") return s.count;
  if (name == "s2k_digest_algo") return s.digest;
  if (name == "use_sess_key") return s.session_key ? 1 : 0;
  if (name == "s2k_cipher_algo") return s.password_cipher;
  if (name == "disable_mdc") return s.no_check ? 1 : 0;
  if (name == "compress_algo") return s.compression;
  return s.unicode ? 1 : 0;
}
void compare(FuncContext& context, const Options& options) {
  for (const Expected& e : options.expected) {
    const int value = got(options.settings, e.name);
    if (e.value < 0 || e.value == value) continue;
    if (e.name == "s2k_cipher_algo" && !options.settings.session_key) continue;
    text_search_notice(context, Error(sqlstate::kSuccessfulCompletion,
                                      "pgp_decrypt: unexpected " + std::string(e.name) + ": expected " +
                                          std::to_string(e.value) + " got " + std::to_string(value)));
  }
}

// The arguments, all of them; nothing and perhaps an error when there is one missing.
bool all_given(std::span<const Datum> values) {
  for (const Datum& v : values) {
    if (v.null) return false;
  }
  return true;
}
std::optional<Str> answer(FuncContext& context, Failure failure, const std::string& bytes) {
  if (failure != nullptr) {
    fail_external(context, failure);
    return std::nullopt;
  }
  return context.arena().copy(bytes);
}

Failure set_key(bool by_key, bool secret, std::span<const Datum> values, pgp::PublicKey& key, pgp::Key& out) {
  if (!by_key) {
    out.password = values[1].str;
    return out.password.empty() ? pgp::kBadArgument : nullptr;
  }
  std::optional<std::string> password;
  if (secret && values.size() > 2) password = std::string(values[2].str);
  out.key = &key;
  return pgp::read_key(values[1].str, secret, password, key);
}

// data, key, [options]
template <bool kByKey, bool kText>
std::optional<Str> encrypted(FuncContext& context, const CallInfo&, std::span<const Datum> values) {
  if (!all_given(values)) return std::nullopt;
  Options options;
  pgp::PublicKey public_key;
  pgp::Key key;
  std::string out;
  Failure failure = values.size() > 2 ? options.read(values[2].str, true) : nullptr;
  options.settings.text = kText;
  if (failure == nullptr) failure = set_key(kByKey, false, values, public_key, key);
  if (failure == nullptr && options.settings.compression == 3) failure = pgp::kNoCompression;
  if (failure == nullptr) failure = pgp::encrypt(options.settings, key, values[0].str, out);
  return answer(context, failure, out);
}

// data, key, [password of the key,] [options]
template <bool kByKey, bool kText>
std::optional<Str> decrypted(FuncContext& context, const CallInfo&, std::span<const Datum> values) {
  if (!all_given(values)) return std::nullopt;
  constexpr size_t kOptions = kByKey ? 3 : 2;
  Options options;
  pgp::PublicKey public_key;
  pgp::Key key;
  std::string out;
  Failure failure = values.size() > kOptions ? options.read(values[kOptions].str, true) : nullptr;
  options.settings.text = kText;
  if (failure == nullptr) failure = set_key(kByKey, true, values, public_key, key);
  if (failure == nullptr) failure = pgp::decrypt(options.settings, key, values[0].str, out);
  if (failure == nullptr) compare(context, options);
  if (failure == nullptr && kText && !check_encoding(context, out)) return std::nullopt;
  return answer(context, failure, out);
}

std::optional<Str> key_id(FuncContext& context, Str data) {
  std::string out;
  return answer(context, pgp::key_id_of(data, out), out);
}

const ScalarEntry kPgpFunctions[] = {
    {"pgp_sym_encrypt_text", any_kernel<encrypted<false, true>>},
    {"pgp_sym_encrypt_bytea", any_kernel<encrypted<false, false>>},
    {"pgp_sym_decrypt_text", any_kernel<decrypted<false, true>>},
    {"pgp_sym_decrypt_bytea", any_kernel<decrypted<false, false>>},
    {"pgp_pub_encrypt_text", any_kernel<encrypted<true, true>>},
    {"pgp_pub_encrypt_bytea", any_kernel<encrypted<true, false>>},
    {"pgp_pub_decrypt_text", any_kernel<decrypted<true, true>>},
    {"pgp_pub_decrypt_bytea", any_kernel<decrypted<true, false>>},
    {"pgp_key_id_w", kernel<key_id>},
};

}  // namespace

std::span<const ScalarEntry> pgp_functions() { return kPgpFunctions; }

}  // namespace indigo::types::pgcrypto
