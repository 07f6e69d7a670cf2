// Clients that come while the instance recovers.
#include "wire/starting_up.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>

#include <gtest/gtest.h>

#include "tests/unit/temporary_directory.h"
#include "tests/unit/wire/test_client.h"
#include "wire/messages/startup_packet.h"

namespace indigo::wire {
namespace {

class StartingUpTest : public testing::Test {
 protected:
  void SetUp() override {
    ListenAddress address;
    address.listen_addresses = "";
    address.socket_directories = directory_.path();
    auto listeners = Listeners::open(address);
    ASSERT_TRUE(listeners.ok()) << listeners.error().message;
    listeners_ = std::move(*listeners);
    answers_.emplace(listeners_);
  }
  void TearDown() override {
    answers_.reset();
    listeners_.close();
  }
  std::string path() const { return directory_.path() + "/.s.PGSQL.5432"; }

  TemporaryDirectory directory_;
  Listeners listeners_;
  std::optional<StartingUp> answers_;
};

constexpr const char* kRefusal = "E(FATAL 57P03 the database system is starting up) closed";

TEST_F(StartingUpTest, EveryClientIsTold57P03AndSentAway) {
  for (int i = 0; i < 20; i++) EXPECT_EQ(TestClient(path()).start(), kRefusal);
}

TEST_F(StartingUpTest, EncryptionIsDeclinedFirst) {
  TestClient client(path());
  const std::string ssl_request{"\x00\x00\x00\x08\x04\xd2\x16\x2f", 8};
  client.send(ssl_request);
  char answer = 0;
  EXPECT_EQ(recv(client.fd(), &answer, 1, 0), 1);
  EXPECT_EQ(answer, 'N');
  EXPECT_EQ(client.start(), kRefusal);
}

TEST_F(StartingUpTest, NonsenseAndSilenceHoldNobodyUp) {
  TestClient silent(path()), nonsense(path()), long_winded(path());
  nonsense.send(std::string(8, '\xff'));
  long_winded.send(std::string("\x00\x00\x10\x00", 4));
  EXPECT_EQ(TestClient(path()).start(), kRefusal);
}

TEST_F(StartingUpTest, WhoComesAfterwardsWaitsForTheServer) {
  answers_.reset();
  TestClient early(path());  // in the listener's queue
  answers_.emplace(listeners_);
  EXPECT_EQ(early.start(), kRefusal);
}

}  // namespace
}  // namespace indigo::wire
