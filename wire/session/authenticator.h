// The authentication dialogue: asks the client for what its origin's method wants, and judges it.
// Thread safety: none; the session's fiber.
#pragma once

#include <string>

#include "engine/instance.h"
#include "wire/auth/auth_rule.h"
#include "wire/net/stream.h"

namespace indigo::wire {

class Authenticator {
 public:
  Authenticator(Stream& stream, Deadline deadline, std::string_view server_secret)
      : stream_(stream), deadline_(deadline), server_secret_(server_secret) {}

  // Ok: the client is who it says; AuthenticationOk is written (not sent). An error is FATAL; kConnectionFailure means
  // that there is nobody to tell.
  Status run(AuthMethod method, const std::string& user, const engine::RoleCredentials& credentials);

 private:
  Status ask_password(const std::string& user, const engine::RoleCredentials& credentials);
  Status ask_md5(const std::string& user, const engine::RoleCredentials& credentials);
  Status ask_scram(const std::string& user, const engine::RoleCredentials& credentials);
  // The body of the client's next message, which must be of type 'p'; consume it with done().
  Result<std::string> answer();

  Stream& stream_;
  Deadline deadline_;
  std::string_view server_secret_;
};

}  // namespace indigo::wire
