#include "wire/session/startup.h"

#include <algorithm>

#include "base/name.h"
#include "base/server_log.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "wire/messages/startup_packet.h"

namespace indigo::wire {

namespace {

std::string limited_name(std::string_view name) { return std::string(clip_name(name)); }

Error unencrypted_data(std::string_view what) {
  return Error(sqlstate::kProtocolViolation, "received unencrypted data after " + std::string(what) + " request")
      .with_detail("This could be either a client-software bug or evidence of an attempted man-in-the-middle attack.");
}

Error unsupported_version(uint32_t code) {
  return Error(sqlstate::kFeatureNotSupported, "unsupported frontend protocol " + std::to_string(code >> 16) + "." +
                                                   std::to_string(code & 0xffff) + ": server supports 3.0 to 3.0");
}

// Whether the session streams changes of its database.
Result<bool> read_replication(std::string_view value) {
  if (value == "database") return true;
  for (std::string_view no : {"false", "off", "no", "0", "f", "n"}) {
    if (value == no) return false;
  }
  for (std::string_view yes : {"true", "on", "yes", "1", "t", "y"}) {
    if (value == yes) return Error(sqlstate::kFeatureNotSupported, "physical replication is not supported");
  }
  return Error(sqlstate::kInvalidParameterValue,
               "invalid value for parameter \"replication\": \"" + std::string(value) + "\"")
      .with_hint("Valid values are: \"false\", 0, \"true\", 1, \"database\".");
}

}  // namespace

std::optional<std::string> Startup::read_packet() {
  while (true) {
    std::string_view unread = stream_.in().unread();
    if (unread.size() >= 4) {
      uint32_t length = big_endian(load_unaligned<uint32_t>(unread.data()));
      if (length < 8 || length > kMaxStartupBytes) return std::nullopt;
      if (unread.size() >= length) {
        std::string body(unread.substr(4, length - 4));
        stream_.in().consume(length);
        return body;
      }
    }
    if (stream_.fill(deadline_, InterruptReason::kIdleTimeout) != StreamResult::kOk) return std::nullopt;
  }
}

// False: the client has gone.
Result<bool> Startup::answer_encryption_request(bool ssl) {
  const bool accepted = ssl && start_tls_ && stream_.tls() == nullptr;
  stream_.out().put_byte(accepted ? 'S' : 'N');
  if (stream_.flush(deadline_, InterruptReason::kIdleTimeout) != StreamResult::kOk) return false;
  if (!stream_.in().unread().empty()) return unencrypted_data(ssl ? "SSL" : "GSSAPI encryption");
  if (!accepted) return true;
  const Status started = start_tls_();
  if (!started.ok()) log_info(started.error().message);  // no message would reach the client
  return started.ok();
}

Result<StartupOutcome> Startup::run() {
  StartupOutcome outcome;
  bool ssl_asked = false, gss_asked = false;
  while (true) {
    std::optional<std::string> body = read_packet();
    if (!body) return outcome;
    StartupPacket packet;
    INDIGO_TRY(packet.decode(*body));
    if (packet.code == StartupPacket::kCancelRequest) {
      outcome.kind = StartupOutcome::Kind::kCancel;
      outcome.cancel_pid = packet.cancel_pid;
      outcome.cancel_key = packet.cancel_key;
      return outcome;
    }
    bool ssl = packet.code == StartupPacket::kSslRequest && !ssl_asked;
    bool gss = packet.code == StartupPacket::kGssEncRequest && !gss_asked;
    if (ssl || gss) {
      (ssl ? ssl_asked : gss_asked) = true;
      INDIGO_ASSIGN(const bool goes_on, answer_encryption_request(ssl));
      if (!goes_on) return outcome;
      continue;
    }
    if (packet.code >> 16 != 3) {
      old_protocol_ = packet.code >> 16 < 3;
      return unsupported_version(packet.code);
    }
    INDIGO_ASSIGN(outcome.request, read_parameters(packet.parameters));
    outcome.request.minor_version = static_cast<int>(packet.code & 0xffff);
    outcome.kind = StartupOutcome::Kind::kConnect;
    return outcome;
  }
}

Result<StartupRequest> read_parameters(const std::vector<std::pair<std::string_view, std::string_view>>& parameters) {
  StartupRequest request;
  request.options.user.clear();
  std::map<std::string, std::string> from_options;
  for (auto [name, value] : parameters) {
    INDIGO_TRY(check_client_text(name));
    INDIGO_TRY(check_client_text(value));
    if (name == "user") {
      request.options.user = limited_name(value);
    } else if (name == "database") {
      request.options.database = limited_name(value);
    } else if (name == "options") {
      INDIGO_TRY(read_command_line_options(value, from_options));
    } else if (name == "replication") {
      INDIGO_ASSIGN(request.options.replication, read_replication(value));
    } else if (name.starts_with("_pq_.")) {
      request.unknown_options.emplace_back(name);
    } else {
      request.options.settings[std::string(name)] = value;
    }
  }
  // A parameter of its own wins over one inside `options`.
  request.options.settings.merge(from_options);
  if (request.options.user.empty()) {
    return Error(sqlstate::kInvalidAuthorization, "no PostgreSQL user name specified in startup packet");
  }
  if (request.options.database.empty()) request.options.database = request.options.user;
  return request;
}

Status read_command_line_options(std::string_view text, std::map<std::string, std::string>& settings) {
  std::vector<std::string> words;
  bool in_word = false;
  for (size_t i = 0; i < text.size(); i++) {
    char c = text[i];
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == '\\' && i + 1 < text.size()) c = text[++i];
    words.back() += c;
  }
  for (size_t i = 0; i < words.size(); i++) {
    std::string_view assignment = words[i];
    bool dashes = assignment.starts_with("--");
    if (assignment == "-c" && i + 1 < words.size()) {
      assignment = words[++i];
    } else if (dashes || assignment.starts_with("-c")) {
      assignment.remove_prefix(2);
    } else {
      return Error(sqlstate::kSyntaxError,
                   "invalid command-line argument for server process: " + std::string(assignment));
    }
    size_t equals = assignment.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return Error(sqlstate::kSyntaxError, (dashes ? "--" : "-c ") + std::string(assignment) + " requires a value");
    }
    std::string name(assignment.substr(0, equals));
    std::replace(name.begin(), name.end(), '-', '_');
    settings[name] = assignment.substr(equals + 1);
  }
  return {};
}

}  // namespace indigo::wire
