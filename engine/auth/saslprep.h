// SASLprep (RFC 4013) of a password, over ICU. What it refuses (prohibited characters, invalid UTF-8) is used as it is,
// as PostgreSQL does.
#pragma once

#include <string>
#include <string_view>

namespace indigo::engine::auth {

std::string saslprep(std::string_view password);

}  // namespace indigo::engine::auth
