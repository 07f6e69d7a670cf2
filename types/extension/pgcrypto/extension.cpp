// pgcrypto 1.3: hashes, ciphers, password hashes, random bytes, OpenPGP messages.
#include "types/extension/extension.h"

#include "types/extension/pgcrypto/pgcrypto.h"
#include "types/function/kernel.h"

namespace indigo::types {

namespace {

constexpr std::string_view kDefinitions = R"sql(
create function digest(text, text) returns bytea as 'MODULE_PATHNAME', 'pg_digest' language c immutable strict parallel safe;
create function digest(bytea, text) returns bytea as 'MODULE_PATHNAME', 'pg_digest' language c immutable strict parallel safe;
create function hmac(text, text, text) returns bytea as 'MODULE_PATHNAME', 'pg_hmac' language c immutable strict parallel safe;
create function hmac(bytea, bytea, text) returns bytea as 'MODULE_PATHNAME', 'pg_hmac' language c immutable strict parallel safe;
create function crypt(text, text) returns text as 'MODULE_PATHNAME', 'pg_crypt' language c immutable strict parallel safe;
create function gen_salt(text) returns text as 'MODULE_PATHNAME', 'pg_gen_salt' language c volatile strict parallel safe;
create function gen_salt(text, int4) returns text as 'MODULE_PATHNAME', 'pg_gen_salt_rounds' language c volatile strict parallel safe;
create function encrypt(bytea, bytea, text) returns bytea as 'MODULE_PATHNAME', 'pg_encrypt' language c immutable strict parallel safe;
create function decrypt(bytea, bytea, text) returns bytea as 'MODULE_PATHNAME', 'pg_decrypt' language c immutable strict parallel safe;
create function encrypt_iv(bytea, bytea, bytea, text) returns bytea as 'MODULE_PATHNAME', 'pg_encrypt_iv' language c immutable strict parallel safe;
create function decrypt_iv(bytea, bytea, bytea, text) returns bytea as 'MODULE_PATHNAME', 'pg_decrypt_iv' language c immutable strict parallel safe;
create function gen_random_bytes(int4) returns bytea as 'MODULE_PATHNAME', 'pg_random_bytes' language c volatile strict parallel safe;
create function gen_random_uuid() returns uuid as 'MODULE_PATHNAME', 'pg_random_uuid' language c volatile parallel safe;
create function pgp_sym_encrypt(text, text) returns bytea as 'MODULE_PATHNAME', 'pgp_sym_encrypt_text' language c strict parallel safe;
create function pgp_sym_encrypt_bytea(bytea, text) returns bytea as 'MODULE_PATHNAME', 'pgp_sym_encrypt_bytea' language c strict parallel safe;
create function pgp_sym_encrypt(text, text, text) returns bytea as 'MODULE_PATHNAME', 'pgp_sym_encrypt_text' language c strict parallel safe;
create function pgp_sym_encrypt_bytea(bytea, text, text) returns bytea as 'MODULE_PATHNAME', 'pgp_sym_encrypt_bytea' language c strict parallel safe;
create function pgp_sym_decrypt(bytea, text) returns text as 'MODULE_PATHNAME', 'pgp_sym_decrypt_text' language c immutable strict parallel safe;
create function pgp_sym_decrypt_bytea(bytea, text) returns bytea as 'MODULE_PATHNAME', 'pgp_sym_decrypt_bytea' language c immutable strict parallel safe;
create function pgp_sym_decrypt(bytea, text, text) returns text as 'MODULE_PATHNAME', 'pgp_sym_decrypt_text' language c immutable strict parallel safe;
create function pgp_sym_decrypt_bytea(bytea, text, text) returns bytea as 'MODULE_PATHNAME', 'pgp_sym_decrypt_bytea' language c immutable strict parallel safe;
create function pgp_pub_encrypt(text, bytea) returns bytea as 'MODULE_PATHNAME', 'pgp_pub_encrypt_text' language c strict parallel safe;
create function pgp_pub_encrypt_bytea(bytea, bytea) returns bytea as 'MODULE_PATHNAME', 'pgp_pub_encrypt_bytea' language c strict parallel safe;
create function pgp_pub_encrypt(text, bytea, text) returns bytea as 'MODULE_PATHNAME', 'pgp_pub_encrypt_text' language c strict parallel safe;
create function pgp_pub_encrypt_bytea(bytea, bytea, text) returns bytea as 'MODULE_PATHNAME', 'pgp_pub_encrypt_bytea' language c strict parallel safe;
create function pgp_pub_decrypt(bytea, bytea) returns text as 'MODULE_PATHNAME', 'pgp_pub_decrypt_text' language c immutable strict parallel safe;
create function pgp_pub_decrypt_bytea(bytea, bytea) returns bytea as 'MODULE_PATHNAME', 'pgp_pub_decrypt_bytea' language c immutable strict parallel safe;
create function pgp_pub_decrypt(bytea, bytea, text) returns text as 'MODULE_PATHNAME', 'pgp_pub_decrypt_text' language c immutable strict parallel safe;
create function pgp_pub_decrypt_bytea(bytea, bytea, text) returns bytea as 'MODULE_PATHNAME', 'pgp_pub_decrypt_bytea' language c immutable strict parallel safe;
create function pgp_pub_decrypt(bytea, bytea, text, text) returns text as 'MODULE_PATHNAME', 'pgp_pub_decrypt_text' language c immutable strict parallel safe;
create function pgp_pub_decrypt_bytea(bytea, bytea, text, text) returns bytea as 'MODULE_PATHNAME', 'pgp_pub_decrypt_bytea' language c immutable strict parallel safe;
create function pgp_key_id(bytea) returns text as 'MODULE_PATHNAME', 'pgp_key_id_w' language c immutable strict parallel safe;
create function armor(bytea) returns text as 'MODULE_PATHNAME', 'pg_armor' language c immutable strict parallel safe;
create function armor(bytea, text[], text[]) returns text as 'MODULE_PATHNAME', 'pg_armor' language c immutable strict parallel safe;
create function dearmor(text) returns bytea as 'MODULE_PATHNAME', 'pg_dearmor' language c immutable strict parallel safe;
create function pgp_armor_headers(text, key out text, value out text) returns setof record as 'MODULE_PATHNAME', 'pgp_armor_headers' language c immutable strict parallel safe;
)sql";

Uuid random_uuid(FuncContext& context) {
  Uuid u{};
  if (const Str bytes = pgcrypto::gen_random_bytes(context, sizeof u.bytes); !bytes.empty()) {
    std::copy_n(bytes.data(), sizeof u.bytes, reinterpret_cast<char*>(u.bytes));
    u.bytes[6] = static_cast<uint8_t>((u.bytes[6] & 0x0f) | 0x40);
    u.bytes[8] = static_cast<uint8_t>((u.bytes[8] & 0x3f) | 0x80);
  }
  return u;
}

// armor(bytea) and armor(bytea, text[], text[]) are one symbol.
std::optional<Str> any_armor(FuncContext& context, const CallInfo&, std::span<const Datum> values) {
  for (const Datum& v : values) {
    if (v.null) return std::nullopt;
  }
  return values.size() < 3 ? pgcrypto::armor(context, values[0].str)
                           : pgcrypto::armor_headers(context, values[0].str, values[1].str, values[2].str);
}

const ScalarEntry kPlainFunctions[] = {
    {"pg_digest", kernel<pgcrypto::digest>},
    {"pg_hmac", kernel<pgcrypto::hmac>},
    {"pg_crypt", kernel<pgcrypto::crypt>},
    {"pg_gen_salt", kernel<pgcrypto::gen_salt>},
    {"pg_gen_salt_rounds", kernel<pgcrypto::gen_salt_rounds>},
    {"pg_encrypt", kernel<pgcrypto::encrypt>},
    {"pg_decrypt", kernel<pgcrypto::decrypt>},
    {"pg_encrypt_iv", kernel<pgcrypto::encrypt_iv>},
    {"pg_decrypt_iv", kernel<pgcrypto::decrypt_iv>},
    {"pg_random_bytes", kernel<pgcrypto::gen_random_bytes>},
    {"pg_random_uuid", kernel<random_uuid>},
    {"pg_armor", any_kernel<any_armor>},
    {"pg_dearmor", kernel<pgcrypto::dearmor>},
};

constexpr SetEntry kSets[] = {{"pgp_armor_headers", pgcrypto::open_armor_headers}};

std::vector<ScalarEntry> all_functions() {
  std::vector<ScalarEntry> out(std::begin(kPlainFunctions), std::end(kPlainFunctions));
  const auto more = pgcrypto::pgp_functions();
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace

const Extension& pgcrypto_extension() {
  static const std::vector<ScalarEntry> functions = all_functions();
  static const Extension extension{.name = "pgcrypto",
                                   .version = "1.3",
                                   .comment = "cryptographic functions",
                                   .schema = {},
                                   .required = {},
                                   .definitions = kDefinitions,
                                   .functions = functions,
                                   .sets = kSets};
  return extension;
}

}  // namespace indigo::types
