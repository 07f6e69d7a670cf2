// A server over the fake engine on a unix socket in a directory of its own.
#pragma once

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/unit/temporary_directory.h"
#include "tests/unit/wire/fake_engine.h"
#include "tests/unit/wire/test_client.h"
#include "wire/server.h"

namespace indigo::wire {

class ServerTest : public testing::Test {
 protected:
  void start(ServerOptions options = {}) {
    if (options.workers == 0) options.workers = 2;
    ListenAddress address;
    address.listen_addresses = "";
    address.socket_directories = directory_.path();
    auto listeners = Listeners::open(address);
    ASSERT_TRUE(listeners.ok()) << listeners.error().message;
    auto server = Server::start(instance_, std::move(*listeners), options);
    ASSERT_TRUE(server.ok());
    server_ = std::move(*server);
  }
  void TearDown() override {
    if (server_) {
      EXPECT_TRUE(server_->stop(Clock::now() + std::chrono::seconds(20)));
    }
    server_.reset();
  }
  std::string path() const { return directory_.path() + "/.s.PGSQL.5432"; }
  // Until the condition holds; for what no message tells.
  template <class Condition>
  static bool eventually(Condition condition) {
    auto until = Clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (Clock::now() > until) return false;
      std::this_thread::yield();
    }
    return true;
  }

  TemporaryDirectory directory_;  // goes last: the socket's files must be gone by then
  FakeInstance instance_;
  std::unique_ptr<Server> server_;
};

inline const std::string kStarted = "R S K Z(I)";

}  // namespace indigo::wire
