// The beginning of a connection: packets before authentication, and what StartupMessage says.
// Thread safety: none; the session's fiber.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/instance.h"
#include "wire/net/stream.h"

namespace indigo::wire {

struct StartupRequest {
  engine::ConnectOptions options;            // user, database, settings
  std::vector<std::string> unknown_options;  // _pq_.*
  int minor_version = 0;
};

// What the first packets amount to.
struct StartupOutcome {
  enum class Kind : uint8_t { kConnect, kCancel, kClose };
  Kind kind = Kind::kClose;
  StartupRequest request;                  // kConnect
  int32_t cancel_pid = 0, cancel_key = 0;  // kCancel
};

class Startup {
 public:
  Startup(Stream& stream, Deadline deadline) : stream_(stream), deadline_(deadline) {}
  // SSLRequest is answered `S`, and `start` called; an error of its ends the connection. Without it: `N`.
  void offer_tls(std::function<Status()> start) { start_tls_ = std::move(start); }
  // Errors are FATAL. Silence, rubbish instead of a length, and a lost client: kClose.
  Result<StartupOutcome> run();
  // The client speaks an old protocol and expects errors in its form.
  bool old_protocol() const { return old_protocol_; }

 private:
  std::optional<std::string> read_packet();
  Result<bool> answer_encryption_request(bool ssl);

  Stream& stream_;
  Deadline deadline_;
  std::function<Status()> start_tls_;
  bool old_protocol_ = false;
};

// StartupMessage's parameters as a request. Errors: 28000, 22023, 0A000, 42601.
Result<StartupRequest> read_parameters(const std::vector<std::pair<std::string_view, std::string_view>>& parameters);

// The startup parameter `options`: words split at spaces (backslash escapes), `-c name=value` and `--name=value`.
Status read_command_line_options(std::string_view text, std::map<std::string, std::string>& settings);

}  // namespace indigo::wire
