// The authentication dialogue: asks the client for what its rule's method wants, and judges it.
// Thread safety: none; the session's fiber.
#pragma once

#include <string>

#include "engine/instance.h"
#include "wire/auth/hba.h"
#include "wire/net/stream.h"
#include "wire/runtime/blocking_calls.h"

namespace indigo::wire {

class Authenticator {
 public:
  Authenticator(Stream& stream, Task& task, BlockingCalls& calls, Deadline deadline, std::string_view server_secret)
      : stream_(stream), task_(task), calls_(calls), deadline_(deadline), server_secret_(server_secret) {}

  // Ok: the client has the password, or its method asks for none. An error is FATAL; kConnectionFailure means that there is
  // no client left to tell.
  Status run(AuthMethod method, const std::string& user, const engine::RoleCredentials& credentials);

 private:
  Status ask_password(const std::string& user, const engine::RoleCredentials& credentials);
  Status ask_md5(const std::string& user, const engine::RoleCredentials& credentials);
  Status ask_scram(const std::string& user, const engine::RoleCredentials& credentials);
  // The body of the client's next message, which must be of type 'p'; consume it with done().
  Result<std::string> answer();

  Stream& stream_;
  Task& task_;
  BlockingCalls& calls_;
  Deadline deadline_;
  std::string_view server_secret_;
};

}  // namespace indigo::wire
