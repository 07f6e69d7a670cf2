#include "tests/unit/wire/server_fixture.h"
#include "wire/messages/copy_data.h"
#include "wire/messages/copy_done.h"
#include "wire/messages/copy_fail.h"
#include "wire/messages/flush.h"
#include "wire/messages/query.h"
#include "wire/messages/startup_packet.h"
#include "wire/messages/sync.h"

namespace indigo::wire {
namespace {

using namespace std::string_literals;

class CopyProtocol : public ServerTest {
 protected:
  void SetUp() override {
    start();
    client_ = std::make_unique<TestClient>(path());
    ASSERT_EQ(client_->start(), kStarted);
  }
  void data(std::string_view bytes) { client_->send_message(CopyData{bytes}); }
  template <class Message>
  void plain() {
    OutputBuffer out;
    Message::encode(out);
    client_->send(out.view());
  }
  std::unique_ptr<TestClient> client_;
};

TEST_F(CopyProtocol, InFromSimpleQuery) {
  client_->query("copy in; select 9");
  EXPECT_EQ(client_->next(), "G");
  data("12345");
  plain<Flush>();
  plain<Sync>();
  data("678");
  plain<CopyDone>();
  EXPECT_EQ(client_->dialogue(), "C(COPY 8) T D(9) C(SELECT 1) Z(I)");
}

TEST_F(CopyProtocol, InFromExtendedQuery) {
  client_->extended("copy in");
  plain<Flush>();
  for (const char* expected : {"1", "2", "n", "G"}) EXPECT_EQ(client_->next(), expected);
  data("abc");
  plain<CopyDone>();
  plain<Sync>();
  EXPECT_EQ(client_->dialogue(), "C(COPY 3) Z(I)");
}

TEST_F(CopyProtocol, MuchDataAndTheStatementStaysReadable) {
  client_->query("copy in; copy in; select 3");
  for (int copy = 0; copy < 2; copy++) {
    EXPECT_EQ(client_->next(), "G");
    for (int i = 0; i < 100; i++) data(std::string(50'000, 'y'));
    plain<CopyDone>();
    EXPECT_EQ(client_->next(), "C(COPY 5000000)");
  }
  EXPECT_EQ(client_->dialogue(), "T D(3) C(SELECT 1) Z(I)");
}

TEST_F(CopyProtocol, CopyFailIsAnError) {
  client_->query("copy in; select 1");
  data("x");
  client_->send_message(CopyFail{"no more"});
  EXPECT_EQ(client_->dialogue(), "G E(57014 COPY from stdin failed: no more) Z(I)");
}

TEST_F(CopyProtocol, AfterAnErrorTheRestOfTheDataIsIgnored) {
  client_->query("copy in");
  data("bad");
  data("more");
  plain<CopyDone>();
  client_->query("select 1");
  EXPECT_EQ(client_->dialogue(), "G E(22P04 bad data) Z(I)");
  EXPECT_EQ(client_->dialogue(), "T D(1) C(SELECT 1) Z(I)");
}

TEST_F(CopyProtocol, AnotherMessageLosesSynchronization) {
  client_->query("copy in");
  EXPECT_EQ(client_->next(), "G");
  client_->query("select 1");
  EXPECT_EQ(client_->dialogue(),
            "E(08P01 unexpected message type 0x51 during COPY from stdin) "
            "E(FATAL 08P01 terminating connection because protocol synchronization was lost) closed");
}

TEST_F(CopyProtocol, ALostClientEndsTheCopy) {
  client_->query("copy in");
  data("x");
  client_->close();
  EXPECT_TRUE(eventually([&] { return instance_.sessions_open == 0; }));
}

TEST_F(CopyProtocol, CancelEndsTheCopy) {
  client_->query("copy in");
  EXPECT_EQ(client_->next(), "G");
  TestClient canceller(path());
  StartupPacket request;
  request.code = StartupPacket::kCancelRequest;
  request.cancel_pid = client_->pid;
  request.cancel_key = client_->key;
  canceller.send_message(request);
  EXPECT_EQ(client_->dialogue(), "E(57014 canceling statement due to user request) Z(I)");
}

TEST_F(CopyProtocol, Out) {
  client_->query("copy out 3");
  EXPECT_EQ(client_->dialogue(), "H d(row\n) d(row\n) d(row\n) c C(COPY 3) Z(I)");
  client_->query("copy out 100000");
  EXPECT_EQ(client_->next(), "H");
  for (int i = 0; i < 100'000; i++) ASSERT_EQ(client_->next(), "d(row\n)");
  EXPECT_EQ(client_->dialogue(), "c C(COPY 100000) Z(I)");
}

}  // namespace
}  // namespace indigo::wire
