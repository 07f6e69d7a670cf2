// What passwordcheck, PostgreSQL's module, asks of new passwords: eight bytes or more, letters and others, and not the role's name.
// Of a password that is given as a verifier only the last can be seen, where the name itself is the password.
// Thread safety: pure functions.
// Source: PostgreSQL 15's manual, passwordcheck.
#pragma once

#include <string_view>

#include "base/error.h"

namespace indigo::engine::auth {

inline constexpr std::string_view kPasswordCheck = "passwordcheck";

// 22023 when the password will not do.
Status check_password_rules(std::string_view role, std::string_view password);

}  // namespace indigo::engine::auth
