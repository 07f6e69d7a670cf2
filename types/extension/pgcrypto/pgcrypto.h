// The functions of pgcrypto, by what they are called in SQL. Primitives are OpenSSL's, password hashes libcrypt's.
// Thread safety: pure functions on the caller's context.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <openssl/evp.h>

#include "types/function/context.h"
#include "types/function/family.h"
#include "types/value/datum.h"

namespace indigo::types::pgcrypto {

// digest.cpp: 22023 for a hash that OpenSSL does not have.
Str digest(FuncContext& context, Str data, Str algorithm);
Str hmac(FuncContext& context, Str data, Str key, Str algorithm);

// cipher.cpp. `type` is "aes-cbc/pad:pkcs": cipher, mode, padding.
Str encrypt(FuncContext& context, Str data, Str key, Str type);
Str decrypt(FuncContext& context, Str data, Str key, Str type);
Str encrypt_iv(FuncContext& context, Str data, Str key, Str iv, Str type);
Str decrypt_iv(FuncContext& context, Str data, Str key, Str iv, Str type);

// password.cpp
Str crypt(FuncContext& context, Str password, Str salt);
Str gen_salt(FuncContext& context, Str type);
Str gen_salt_rounds(FuncContext& context, Str type, int32_t rounds);
Str gen_random_bytes(FuncContext& context, int32_t count);  // 1 to 1024

// armor.cpp: OpenPGP's ASCII armor (RFC 4880, section 6).
Str armor(FuncContext& context, Str data);
Str armor_headers(FuncContext& context, Str data, Str keys, Str values);  // text[]
Str dearmor(FuncContext& context, Str text);
// The bytes of an armored message; 39000 when it is none.
bool read_armor(FuncContext& context, Str text, std::string& bytes);

// The rows (key, value) of pgp_armor_headers.
std::unique_ptr<SetProducer> open_armor_headers(FuncContext& context, const CallInfo& call,
                                                std::span<const Datum> arguments);

// pgp_functions.cpp: OpenPGP messages (open_pgp.h).
std::span<const ScalarEntry> pgp_functions();

// 39000: pgcrypto's errors have PostgreSQL's state for failures of external routines.
void fail_external(FuncContext& context, std::string message);

}  // namespace indigo::types::pgcrypto
