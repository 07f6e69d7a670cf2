// A server: sockets, workers, and the engine instance that they serve. Two can live in one process.
// Thread safety: start and stop from one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "engine/instance.h"
#include "wire/net/listeners.h"
#include "wire/runtime/watchdog.h"
#include "wire/runtime/worker.h"
#include "wire/session/connection.h"

namespace indigo::wire {

struct ServerOptions {
  int workers = 0;  // 0: one for each core
  uint32_t max_connections = 10'000;
  Clock::duration authentication_timeout = std::chrono::seconds(60);
  Watchdog::Patience patience;
  DoorSettings door;

  // From the instance's settings of these names.
  static Result<ServerOptions> from(engine::Instance& instance);
};

class Server final : private engine::WorkerStates {
 public:
  // Accepts at once. `instance` must outlive the server.
  static Result<std::unique_ptr<Server>> start(engine::Instance& instance, Listeners listeners,
                                               const ServerOptions& options);
  ~Server() override;  // stop()s, waiting as long as it takes

  const Listeners& listeners() const { return listeners_; }
  // Reads certificates and rules again.
  void reload() { door_->reload(); }
  // Stops accepting, ends all sessions (57P01) and waits for them. False: some have not ended before the deadline.
  bool stop(Deadline deadline);
  // Connections, with those that have not authenticated yet.
  uint32_t connections() const;

 private:
  Server() = default;
  std::vector<engine::WorkerState> worker_states() override;
  void accept_all();
  void accept_from(int listener);
  void dispatch(Socket socket, const ClientAddress& address);

  std::unique_ptr<Door> door_;
  std::unique_ptr<BlockingCalls> calls_;
  SharedState shared_;
  Listeners listeners_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<Watchdog> watchdog_;  // null: nobody asked for it
  std::thread acceptor_;
  Socket stop_event_;  // eventfd: ends the acceptor
  Socket spare_;       // given up for a moment when the process has run out of descriptors
  size_t next_worker_ = 0;
  uint32_t max_connections_ = 0;
};

}  // namespace indigo::wire
