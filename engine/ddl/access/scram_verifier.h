// Passwords as pg_authid keeps them: a SCRAM-SHA-256 verifier (RFC 5803), made from a plain password.
#pragma once

#include <string>
#include <string_view>

namespace indigo::engine::ddl {

// A value that is a verifier or an md5 hash already comes back unchanged.
std::string password_verifier(std::string_view password);

}  // namespace indigo::engine::ddl
