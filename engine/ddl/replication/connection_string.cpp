#include "engine/ddl/replication/connection_string.h"

#include <algorithm>
#include <string>

#include "base/sqlstate.h"

namespace indigo::engine::ddl {

namespace {

constexpr std::string_view kOptions[] = {"service",
                                         "user",
                                         "password",
                                         "passfile",
                                         "channel_binding",
                                         "connect_timeout",
                                         "dbname",
                                         "host",
                                         "hostaddr",
                                         "port",
                                         "client_encoding",
                                         "options",
                                         "application_name",
                                         "fallback_application_name",
                                         "keepalives",
                                         "keepalives_idle",
                                         "keepalives_interval",
                                         "keepalives_count",
                                         "tcp_user_timeout",
                                         "sslmode",
                                         "sslcompression",
                                         "sslcert",
                                         "sslkey",
                                         "sslpassword",
                                         "sslrootcert",
                                         "sslcrl",
                                         "sslcrldir",
                                         "sslsni",
                                         "requirepeer",
                                         "ssl_min_protocol_version",
                                         "ssl_max_protocol_version",
                                         "gssencmode",
                                         "krbsrvname",
                                         "gsslib",
                                         "replication",
                                         "target_session_attrs",
                                         "authtype",
                                         "tty",
                                         "requiressl"};

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
    if (std::find(std::begin(kOptions), std::end(kOptions), name) == std::end(kOptions))
      return invalid("invalid connection option \"" + name + "\"");
  }
  return {};
}

}  // namespace indigo::engine::ddl
