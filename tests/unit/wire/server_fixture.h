// A server over the fake engine on a unix socket in a directory of its own.
#pragma once

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/unit/wire/fake_engine.h"
#include "tests/unit/wire/test_client.h"
#include "wire/server.h"

namespace indigo::wire {

class ServerTest : public testing::Test {
 protected:
  void start(ServerOptions options = {}) {
    if (options.workers == 0) options.workers = 2;
    char directory[] = "/tmp/indigo-test-XXXXXX";
    ASSERT_NE(mkdtemp(directory), nullptr);
    directory_ = directory;
    ListenAddress address;
    address.listen_addresses = "";
    address.socket_directories = directory_;
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
    if (!directory_.empty()) {
      EXPECT_EQ(rmdir(directory_.c_str()), 0) << "the socket's files are still there";
    }
  }
  std::string path() const { return directory_ + "/.s.PGSQL.5432"; }
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

  FakeInstance instance_;
  std::unique_ptr<Server> server_;
  std::string directory_;
};

inline const std::string kStarted = "R S K Z(I)";

}  // namespace indigo::wire
