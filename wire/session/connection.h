// One client's connection from accept to close: startup, authentication, session, messages. Runs as a task.
// Thread safety: run() on the task's worker. SharedState: any thread.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <memory>
#include <string>

#include "engine/instance.h"
#include "wire/auth/door.h"
#include "wire/net/socket.h"
#include "wire/net/stream.h"
#include "wire/runtime/blocking_calls.h"
#include "wire/session/anteroom.h"

namespace indigo::wire {

// What all connections of a server share.
struct SharedState {
  engine::Instance* instance = nullptr;
  Door* door = nullptr;
  BlockingCalls* calls = nullptr;
  Anteroom anteroom;
  Clock::duration authentication_timeout = std::chrono::seconds(60);
  uint32_t max_connections = 0;
  std::string secret;                 // for ScramVerifier::mock
  std::atomic<uint32_t> sessions{0};  // that have passed authentication; relaxed, a count only
};

struct ClientAddress {
  sockaddr_storage peer{}, own{};  // of unix sockets: AF_UNIX, and nothing more
  bool local() const { return peer.ss_family == AF_UNIX; }
  bool loopback() const;
};

void run_connection(SharedState& shared, Socket socket, const ClientAddress& address, Task& task);

}  // namespace indigo::wire
