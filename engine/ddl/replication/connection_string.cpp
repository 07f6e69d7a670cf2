#include "engine/ddl/replication/connection_string.h"

#include <algorithm>
#include <string>

#include "base/sqlstate.h"
#include "types/extension/libpq_options.h"

namespace indigo::engine::ddl {

namespace {

// Beside those that servers have.
constexpr std::string_view kOptions[] = {"user",        "password",    "client_encoding", "fallback_application_name",
                                         "sslpassword", "replication", "authtype",        "tty",
                                         "requiressl"};

bool is_option(std::string_view name) {
  const auto has = [&](const auto& names) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  return has(types::kLibpqServerOptions) || has(kOptions);
}

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

Error invalid(const std::string& why) {
  return Error(sqlstate::kSyntaxError, "invalid connection string syntax: " + why);
}

// Goes past a value: a quoted one to its end; a backslash takes the next character with it.
Status skip_value(std::string_view text, size_t& at) {
  const bool is_quoted = at < text.size() && text[at] == '\'';
  if (is_quoted) at++;
  while (at < text.size()) {
    if (is_quoted ? text[at] == '\'' : is_blank(text[at])) {
      at++;
      return {};
    }
    at += text[at] == '\\' && at + 1 < text.size() ? 2 : 1;
  }
  if (is_quoted) return invalid("unterminated quoted string in connection info string");
  return {};
}

}  // namespace

Status check_connection_string(std::string_view text) {
  if (text.starts_with("postgresql://") || text.starts_with("postgres://")) return {};
  size_t at = 0;
  const auto skip_blanks = [&] {
    while (at < text.size() && is_blank(text[at])) at++;
  };
  for (skip_blanks(); at < text.size(); skip_blanks()) {
    const size_t begin = at;
    while (at < text.size() && text[at] != '=' && !is_blank(text[at])) at++;
    const std::string name(text.substr(begin, at - begin));
    skip_blanks();
    if (at == text.size() || text[at] != '=')
      return invalid("missing \"=\" after \"" + name + "\" in connection info string");
    at++;
    skip_blanks();
    INDIGO_TRY(skip_value(text, at));
    if (!is_option(name)) return invalid("invalid connection option \"" + name + "\"");
  }
  return {};
}

}  // namespace indigo::engine::ddl
