// Answers clients while the instance recovers: 57P03 "the database system is starting up", as PostgreSQL does.
// Thread safety: construct and destroy from one thread; it has a thread of its own meanwhile.
#pragma once

#include <thread>

#include "wire/net/listeners.h"
#include "wire/net/socket.h"

namespace indigo::wire {

class StartingUp {
 public:
  explicit StartingUp(const Listeners& listeners);
  ~StartingUp();  // from now on clients wait to be accepted by the server

 private:
  void answer_all();
  static void answer(const Socket& client);

  const Listeners& listeners_;
  Socket stop_event_;  // eventfd
  std::thread thread_;
};

}  // namespace indigo::wire
