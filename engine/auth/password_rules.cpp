#include "engine/auth/password_rules.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "engine/auth/verifier.h"

namespace indigo::engine::auth {

namespace {

constexpr size_t kBytesLeast = 8;

Error refused(const char* message) { return Error(sqlstate::kInvalidParameterValue, message); }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

Status check_password_rules(std::string_view role, std::string_view password) {
  if (is_verifier(password)) {
    const auto scram = ScramVerifier::parse(password);
    const bool cheap = !scram || scram->iterations <= kMaxScramIterations;
    if (cheap && password_matches(role, role, password)) return refused("password must not equal user name");
    return {};
  }
  if (password.size() < kBytesLeast) return refused("password is too short");
  if (password.find(role) != std::string_view::npos) return refused("password must not contain user name");
  const auto letters = std::count_if(password.begin(), password.end(), is_letter);
  if (letters == 0 || static_cast<size_t>(letters) == password.size())
    return refused("password must contain both letters and nonletters");
  return {};
}

}  // namespace indigo::engine::auth
