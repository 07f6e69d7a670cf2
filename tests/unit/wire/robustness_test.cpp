#include <sys/socket.h>

#include <fstream>
#include <random>

#include "tests/unit/wire/server_fixture.h"

namespace indigo::wire {
namespace {

using namespace std::string_literals;

class RobustnessTest : public ServerTest {};

TEST_F(RobustnessTest, RandomBytesHarmNobodyElse) {
  start();
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  TestClient witness(path());
  ASSERT_EQ(witness.start(), kStarted);
  constexpr char kTypes[] = "QPBEDCHSFXdcfy";
  for (int i = 0; i < 300; i++) {
    TestClient client(path());
    if (i % 3) {
      ASSERT_EQ(client.start(), kStarted);
    }
    std::string bytes;
    for (uint64_t n = random() % 6; n > 0; n--) {
      std::string body(random() % 60, '\0');
      for (char& byte : body) byte = random() % 2 ? static_cast<char>(random() % 5) : static_cast<char>(random());
      bytes += kTypes[random() % (sizeof kTypes - 1)];
      bytes += "\0\0\0"s;
      bytes += static_cast<char>(random() % 8 ? body.size() + 4 : random() % 256);
      bytes += body;
    }
    client.send(bytes);
    if (random() % 2) {
      shutdown(client.fd(), SHUT_WR);
      EXPECT_TRUE(client.closed());
    }
  }
  witness.query("select 1");
  EXPECT_EQ(witness.dialogue(), "T D(1) C(SELECT 1) Z(I)");
  witness.close();
  EXPECT_TRUE(eventually([&] { return server_->connections() == 0 && instance_.sessions_open == 0; }));
}

TEST_F(RobustnessTest, ALengthOfOneGigabyteTakesNoMemory) {
  start();
  auto resident_kb = [] {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
      if (word == "VmRSS:") {
        int64_t kb = 0;
        status >> kb;
        return kb;
      }
    }
    return int64_t{0};
  };
  int64_t before = resident_kb();
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 20; i++) {
    clients.push_back(std::make_unique<TestClient>(path()));
    ASSERT_EQ(clients.back()->start(), kStarted);
    clients.back()->send("Q\x3f\xff\xff\xf0select"s);
  }
  TestClient witness(path());
  ASSERT_EQ(witness.start(), kStarted);
  EXPECT_LT(resident_kb() - before, 64 * 1024);
}

TEST_F(RobustnessTest, ManyConnectsComeAndGo) {
  start();
  for (int round = 0; round < 10; round++) {
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < 100; i++) {
      clients.push_back(std::make_unique<TestClient>(path()));
      if (i % 2) {
        ASSERT_EQ(clients.back()->start(), kStarted);
      }
    }
  }
  EXPECT_TRUE(eventually([&] { return server_->connections() == 0; }));
}

TEST_F(RobustnessTest, ClientsKilledWhileTheyAreSentMuch) {
  start();
  for (int i = 0; i < 20; i++) {
    TestClient client(path());
    ASSERT_EQ(client.start(), kStarted);
    client.query("rows 1000000000");
    EXPECT_EQ(client.next(), "T");
    EXPECT_EQ(client.receive().type, 'D');
  }
  EXPECT_TRUE(eventually([&] { return server_->connections() == 0 && instance_.sessions_open == 0; }));
}

TEST_F(RobustnessTest, AShutdownDoesNotWaitForAClientThatDoesNotRead) {
  start();
  TestClient client(path());
  ASSERT_EQ(client.start(), kStarted);
  client.query("rows 1000000000");
  EXPECT_EQ(client.next(), "T");
  EXPECT_TRUE(server_->stop(Clock::now() + std::chrono::seconds(10)));
}

}  // namespace
}  // namespace indigo::wire
