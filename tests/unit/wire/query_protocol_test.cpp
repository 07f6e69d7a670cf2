#include "tests/unit/wire/server_fixture.h"
#include "wire/messages/bind.h"
#include "wire/messages/close.h"
#include "wire/messages/describe.h"
#include "wire/messages/execute.h"
#include "wire/messages/flush.h"
#include "wire/messages/parse.h"
#include "wire/messages/query.h"
#include "wire/messages/sync.h"

namespace indigo::wire {
namespace {

using namespace std::string_literals;

class QueryProtocol : public ServerTest {
 protected:
  void SetUp() override {
    start();
    client_ = std::make_unique<TestClient>(path());
    ASSERT_EQ(client_->start(), kStarted);
  }
  void sync() {
    OutputBuffer out;
    Sync::encode(out);
    client_->send(out.view());
  }
  std::unique_ptr<TestClient> client_;
};

TEST_F(QueryProtocol, SimpleQuery) {
  client_->query("select 42");
  EXPECT_EQ(client_->dialogue(), "T D(42) C(SELECT 1) Z(I)");
  client_->query("");
  EXPECT_EQ(client_->dialogue(), "I Z(I)");
  client_->query("select 1; notice hello; select -2");
  EXPECT_EQ(client_->dialogue(), "T D(1) C(SELECT 1) N(NOTICE 00000 hello) C(NOTICE) T D(-2) C(SELECT 1) Z(I)");
  client_->query("select 1; fail; select 2");
  EXPECT_EQ(client_->dialogue(), "T D(1) C(SELECT 1) E(22012 division by zero) Z(I)");
}

TEST_F(QueryProtocol, TransactionStatusFollows) {
  client_->query("begin");
  EXPECT_EQ(client_->dialogue(), "C(BEGIN) Z(T)");
  client_->query("fail");
  EXPECT_EQ(client_->dialogue(), "E(22012 division by zero) Z(E)");
  client_->query("commit");
  EXPECT_EQ(client_->dialogue(), "C(COMMIT) Z(I)");
}

TEST_F(QueryProtocol, ChangedParametersAreReportedOnceBeforeReadyForQuery) {
  client_->query("set a; set b; select 1");
  EXPECT_EQ(client_->dialogue(), "C(SET) C(SET) T D(1) C(SELECT 1) S(name=b) Z(I)");
  client_->query("select 1");
  EXPECT_EQ(client_->dialogue(), "T D(1) C(SELECT 1) Z(I)");
}

TEST_F(QueryProtocol, ManyQueriesAtOnceAreAnsweredInOrder) {
  std::string expected;
  for (int i = 0; i < 500; i++) client_->query("select " + std::to_string(i));
  for (int i = 0; i < 500; i++) {
    ASSERT_EQ(client_->dialogue(), "T D(" + std::to_string(i) + ") C(SELECT 1) Z(I)");
  }
}

TEST_F(QueryProtocol, MessagesMayArriveByteByByte) {
  OutputBuffer out;
  Query{"select 7"}.encode(out);
  for (char byte : out.view()) client_->send({&byte, 1});
  EXPECT_EQ(client_->dialogue(), "T D(7) C(SELECT 1) Z(I)");
}

TEST_F(QueryProtocol, LongMessagesGrowTheBuffer) {
  client_->query("notice " + std::string(3'000'000, 'x'));
  Received notice = client_->receive();
  EXPECT_EQ(notice.type, 'N');
  EXPECT_GT(notice.body.size(), 3'000'000u);
  EXPECT_EQ(client_->dialogue(), "C(NOTICE) Z(I)");
}

TEST_F(QueryProtocol, ManyRowsPassTheBuffersLimit) {
  client_->query("rows 30000");
  EXPECT_EQ(client_->next(), "T");
  for (int i = 0; i < 30000; i++) {
    ASSERT_EQ(client_->next(), "D(" + std::to_string(i) + "," + std::string(100, 'x') + ")");
  }
  EXPECT_EQ(client_->dialogue(), "C(SELECT 30000) Z(I)");
}

TEST_F(QueryProtocol, ExtendedQuery) {
  client_->extended("select 5");
  sync();
  EXPECT_EQ(client_->dialogue(), "1 2 T D(5) C(SELECT 1) Z(I)");
}

TEST_F(QueryProtocol, DescribeInBothForms) {
  OutputBuffer out;
  Parse parse;
  parse.statement = "s";
  parse.text = "echo";
  parse.encode(out);
  Describe{'S', "s"}.encode(out);
  Bind bind;
  bind.portal = "p";
  bind.statement = "s";
  bind.values = {"hello"};
  bind.encode(out);
  Describe{'P', "p"}.encode(out);
  Execute{"p", 0}.encode(out);
  Close{'P', "p"}.encode(out);
  Close{'S', "unknown"}.encode(out);
  Describe{'P', "p"}.encode(out);
  Sync::encode(out);
  client_->send(out.view());
  EXPECT_EQ(client_->dialogue(), "1 t T 2 T D(hello) C(SELECT 1) 3 3 E(34000 no such portal) Z(I)");
}

TEST_F(QueryProtocol, RowLimitsSuspendAndResumeAPortal) {
  client_->extended("rows 5", 2);
  OutputBuffer out;
  Execute{"", 2}.encode(out);
  Execute{"", 2}.encode(out);
  Sync::encode(out);
  client_->send(out.view());
  std::string x(100, 'x');
  EXPECT_EQ(client_->dialogue(),
            "1 2 T D(0," + x + ") D(1," + x + ") s D(2," + x + ") D(3," + x + ") s D(4," + x + ") C(SELECT 1) Z(I)");
}

TEST_F(QueryProtocol, BinaryResults) {
  OutputBuffer out;
  Parse parse;
  parse.text = "select 258";
  parse.encode(out);
  Bind bind;
  bind.result_formats = {Format::kBinary};
  bind.encode(out);
  Execute{"", 0}.encode(out);
  Sync::encode(out);
  client_->send(out.view());
  EXPECT_EQ(client_->dialogue(), "1 2 D(\0\0\1\2) C(SELECT 1) Z(I)"s);
}

TEST_F(QueryProtocol, AnErrorSkipsUntilSync) {
  client_->extended("select 1");
  client_->extended("fail parse");
  client_->extended("select 2");
  client_->query("select 3");
  sync();
  client_->extended("select 4");
  sync();
  EXPECT_EQ(client_->dialogue(), "1 2 T D(1) C(SELECT 1) E(42601 cannot parse) Z(I)");
  EXPECT_EQ(client_->dialogue(), "1 2 T D(4) C(SELECT 1) Z(I)");
}

TEST_F(QueryProtocol, FlushSendsWithoutSync) {
  client_->extended("select 1");
  OutputBuffer out;
  Flush::encode(out);
  client_->send(out.view());
  for (const char* expected : {"1", "2", "T", "D(1)", "C(SELECT 1)"}) EXPECT_EQ(client_->next(), expected);
  sync();
  EXPECT_EQ(client_->dialogue(), "Z(I)");
}

TEST_F(QueryProtocol, MalformedBodiesAreErrorsNotTheEnd) {
  client_->send("Q\0\0\0\x0cselect 1"s);
  EXPECT_EQ(client_->dialogue(), "E(08P01 invalid string in message) Z(I)");
  client_->send("Q\0\0\0\x06\xff\0"s);
  EXPECT_EQ(client_->dialogue(), "E(22021 invalid byte sequence for encoding \"UTF8\": 0xff) Z(I)");
  client_->send("E\0\0\0\6\0\0"s);
  sync();
  EXPECT_EQ(client_->dialogue(), "E(08P01 insufficient data left in message) Z(I)");
  client_->send("S\0\0\0\5x"s);
  EXPECT_EQ(client_->dialogue(), "E(08P01 invalid message format) Z(I)");
  client_->send("F\0\0\0\4"s);
  EXPECT_EQ(client_->dialogue(), "E(08P01 insufficient data left in message) Z(I)");
  client_->send("F\0\0\0\x0e\0\0\0\1\0\0\0\0\0\0"s);
  EXPECT_EQ(client_->dialogue(), "V Z(I)");
  client_->query("select 1");
  EXPECT_EQ(client_->dialogue(), "T D(1) C(SELECT 1) Z(I)");
}

TEST_F(QueryProtocol, MalformedFramesEndTheConnection) {
  client_->send("y\0\0\0\4"s);
  EXPECT_EQ(client_->dialogue(), "E(FATAL 08P01 invalid frontend message type 121) closed");
  for (const std::string& bad : {"Q\x7f\xff\xff\xff"s, "Q\xff\xff\xff\xff"s, "Q\0\0\0\3"s, "S\0\1\0\0"s}) {
    TestClient other(path());
    ASSERT_EQ(other.start(), kStarted);
    other.send(bad);
    EXPECT_EQ(other.dialogue(), "E(FATAL 08P01 invalid message length) closed");
  }
}

TEST_F(QueryProtocol, TerminateCloses) {
  client_->send("X\0\0\0\4"s);
  EXPECT_EQ(client_->dialogue(), "closed");
  EXPECT_TRUE(eventually([&] { return instance_.sessions_open == 0; }));
}

TEST_F(QueryProtocol, TextParametersMustBeUtf8) {
  OutputBuffer out;
  Parse parse;
  parse.text = "echo";
  parse.encode(out);
  Bind bind;
  bind.values = {"\xe2\x28"};
  bind.encode(out);
  Execute{"", 0}.encode(out);
  Sync::encode(out);
  client_->send(out.view());
  EXPECT_EQ(client_->dialogue(), "1 E(22021 invalid byte sequence for encoding \"UTF8\": 0xe2 0x28) Z(I)");
}

// A client that sends much and reads late: the server must not read on forever, nor lose anything.
TEST_F(QueryProtocol, ASlowReaderGetsEverything) {
  std::thread sender([&] {
    for (int i = 0; i < 300; i++) client_->query("rows 100");
  });
  int64_t rows = 0;
  for (int i = 0; i < 300; i++) {
    while (true) {
      Received message = client_->receive();
      ASSERT_NE(message.type, 0);
      ASSERT_NE(message.type, '?');
      rows += message.type == 'D';
      if (message.type == 'Z') break;
    }
  }
  sender.join();
  EXPECT_EQ(rows, 30'000);
}

}  // namespace
}  // namespace indigo::wire
