// One client's connection from accept to close: startup, authentication, session, messages. Runs as a task.
// Thread safety: run() on the task's worker. SharedState: any thread.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "engine/instance.h"
#include "wire/auth/auth_rule.h"
#include "wire/net/socket.h"
#include "wire/net/stream.h"

namespace indigo::wire {

// What all connections of a server share.
struct SharedState {
  engine::Instance* instance = nullptr;
  AuthRules rules;
  Clock::duration authentication_timeout = std::chrono::seconds(60);
  uint32_t max_connections = 0;
  std::string secret;                 // for ScramVerifier::mock
  std::atomic<uint32_t> sessions{0};  // that have passed authentication; relaxed, a count only
};

struct ClientAddress {
  Origin origin = Origin::kLocal;
  std::string host;  // empty for unix sockets
  int port = -1;
};

void run_connection(SharedState& shared, Socket socket, const ClientAddress& address, Task& task);

}  // namespace indigo::wire
