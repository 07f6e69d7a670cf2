#include "wire/session/connection.h"

#include <random>

#include "base/sqlstate.h"
#include "engine/auth/base64.h"
#include "engine/auth/verifier.h"
#include "tests/unit/wire/server_fixture.h"
#include "wire/messages/authentication.h"
#include "wire/messages/password.h"
#include "wire/messages/startup_packet.h"

namespace indigo::wire {
namespace {

using namespace std::string_literals;
using namespace engine::auth;

class ConnectionTest : public ServerTest {};

TEST_F(ConnectionTest, SslAndGssAreDeclined) {
  start();
  TestClient client(path());
  char answer = 0;
  for (uint32_t code : {StartupPacket::kSslRequest, StartupPacket::kGssEncRequest}) {
    StartupPacket request;
    request.code = code;
    client.send_message(request);
    ASSERT_EQ(recv(client.fd(), &answer, 1, 0), 1);
    EXPECT_EQ(answer, 'N');
  }
  EXPECT_EQ(client.start(), kStarted);
}

TEST_F(ConnectionTest, DataRightBehindAnSslRequestIsRefused) {
  start();
  TestClient client(path());
  client.send("\0\0\0\x08\x04\xd2\x16\x2f\0\0\0\x08\x04\xd2\x16\x2f"s);
  char answer = 0;
  ASSERT_EQ(recv(client.fd(), &answer, 1, 0), 1);
  EXPECT_EQ(answer, 'N');
  EXPECT_EQ(client.dialogue(), "E(FATAL 08P01 received unencrypted data after SSL request) closed");
}

TEST_F(ConnectionTest, NewerMinorVersionsAndOptionsAreNegotiated) {
  start();
  TestClient client(path());
  StartupPacket startup;
  startup.code = StartupPacket::kProtocol3 + 2;
  startup.parameters = {{"user", "postgres"}, {"_pq_.compression", "on"}};
  client.send_message(startup);
  EXPECT_EQ(client.dialogue(), "v " + kStarted);
}

TEST_F(ConnectionTest, OtherVersionsAreRefusedInTheirOwnForm) {
  start();
  TestClient four(path());
  four.send("\0\0\0\x08\0\4\0\0"s);
  EXPECT_EQ(four.dialogue(), "E(FATAL 0A000 unsupported frontend protocol 4.0: server supports 3.0 to 3.0) closed");
  TestClient two(path());
  two.send("\0\0\0\x08\0\2\0\0"s);
  char bytes[200] = {};
  ssize_t got = recv(two.fd(), bytes, sizeof bytes, MSG_WAITALL);
  EXPECT_EQ(std::string(bytes, static_cast<size_t>(std::max<ssize_t>(got, 0))),
            "EFATAL:  unsupported frontend protocol 2.0: server supports 3.0 to 3.0\n\0"s);
}

TEST_F(ConnectionTest, RubbishAtTheStartCloses) {
  start();
  for (const std::string& rubbish : {"\0\0\0\3"s, "GET / HTTP/1.0\r\n\r\n"s, "\x7f\xff\xff\xff"s, "\0\0\0\7xxx"s}) {
    TestClient client(path());
    client.send(rubbish);
    EXPECT_EQ(client.dialogue(), "closed") << rubbish;
  }
  TestClient half(path());
  half.send("\0\0\0\x20\0\3"s);
  half.close();
  EXPECT_TRUE(eventually([&] { return server_->connections() == 0; }));
}

TEST_F(ConnectionTest, ErrorsBeforeTheSession) {
  start();
  TestClient nobody(path());
  EXPECT_EQ(nobody.start("nobody"), "R E(FATAL 28000 role \"nobody\" does not exist) closed");
  TestClient unterminated(path());
  unterminated.send("\0\0\0\x0d\0\3\0\0user\0"s);
  EXPECT_EQ(unterminated.dialogue(),
            "E(FATAL 08P01 invalid startup packet layout: expected terminator as last byte) closed");
  TestClient nameless(path());
  nameless.send("\0\0\0\x09\0\3\0\0\0"s);
  EXPECT_EQ(nameless.dialogue(), "E(FATAL 28000 no PostgreSQL user name specified in startup packet) closed");
}

TEST_F(ConnectionTest, TooManyClients) {
  ServerOptions options;
  options.max_connections = 2;
  start(options);
  TestClient one(path()), two(path());
  EXPECT_EQ(one.start(), kStarted);
  EXPECT_EQ(two.start(), kStarted);
  TestClient three(path());
  EXPECT_EQ(three.start(), "R E(FATAL 53300 sorry, too many clients already) closed");
  two.close();
  EXPECT_TRUE(eventually([&] { return instance_.sessions_open == 1; }));
  TestClient four(path());
  EXPECT_EQ(four.start(), kStarted);
}

TEST_F(ConnectionTest, SilentClientsAreSentAway) {
  ServerOptions options;
  options.authentication_timeout = std::chrono::milliseconds(30);
  options.door.local_auth = "password";
  start(options);
  TestClient silent(path());
  EXPECT_EQ(silent.dialogue(), "closed");
  TestClient thinking(path());
  StartupPacket startup;
  startup.parameters = {{"user", "postgres"}};
  thinking.send_message(startup);
  EXPECT_EQ(thinking.next(), "R");
  EXPECT_EQ(thinking.dialogue(), "E(FATAL 57014 canceling authentication due to timeout) closed");
}

TEST_F(ConnectionTest, CancelReachesTheRightSession) {
  start();
  TestClient client(path());
  ASSERT_EQ(client.start(), kStarted);
  client.query("sleep");
  ASSERT_TRUE(eventually([&] { return instance_.sleeping == 1; }));
  auto cancel = [&](int32_t key) {
    TestClient canceller(path());
    StartupPacket request;
    request.code = StartupPacket::kCancelRequest;
    request.cancel_pid = client.pid;
    request.cancel_key = key;
    canceller.send_message(request);
    EXPECT_EQ(canceller.dialogue(), "closed");
  };
  cancel(client.key + 1);
  EXPECT_EQ(instance_.sleeping, 1);
  cancel(client.key);
  EXPECT_EQ(client.dialogue(), "E(57014 canceling statement due to user request) Z(I)");
  // Without a statement it means nothing.
  cancel(client.key);
  client.query("select 1");
  EXPECT_EQ(client.dialogue(), "T D(1) C(SELECT 1) Z(I)");
}

TEST_F(ConnectionTest, AKilledClientEndsItsStatement) {
  start();
  TestClient client(path());
  ASSERT_EQ(client.start(), kStarted);
  client.query("sleep");
  ASSERT_TRUE(eventually([&] { return instance_.sleeping == 1; }));
  client.close();
  EXPECT_TRUE(eventually([&] { return instance_.sessions_open == 0; }));
}

TEST_F(ConnectionTest, AnswersSoFarAreSentBeforeALongWait) {
  start();
  TestClient client(path());
  ASSERT_EQ(client.start(), kStarted);
  client.query("notice soon; sleep");
  EXPECT_EQ(client.next(), "N(NOTICE 00000 soon)");
}

TEST_F(ConnectionTest, ShutdownTellsEverySession) {
  start();
  TestClient idle(path()), busy(path());
  ASSERT_EQ(idle.start(), kStarted);
  ASSERT_EQ(busy.start(), kStarted);
  busy.query("sleep");
  ASSERT_TRUE(eventually([&] { return instance_.sleeping == 1; }));
  EXPECT_TRUE(server_->stop(Clock::now() + std::chrono::seconds(20)));
  const std::string farewell = "E(FATAL 57P01 terminating connection due to administrator command) closed";
  EXPECT_EQ(idle.dialogue(), farewell);
  EXPECT_EQ(busy.dialogue(), farewell);
}

// ---- authentication

class AuthenticationTest : public ServerTest {
 protected:
  void start_with(const std::string& method) {
    instance_.roles["scram"] = {true, true, ScramVerifier::make("secret", "0123456789abcdef").text()};
    instance_.roles["hashed"] = {true, true, md5_verifier("secret", "hashed")};
    ServerOptions options;
    options.door.local_auth = method;
    start(options);
  }
  // The request that the server answers the startup with.
  static Authentication begin(TestClient& client, const std::string& user, std::string& storage) {
    StartupPacket startup;
    startup.parameters = {{"user", user}};
    client.send_message(startup);
    storage = client.receive().body;
    Authentication request;
    EXPECT_TRUE(request.decode(storage).ok());
    return request;
  }
  std::string with_password(const std::string& user, const std::string& password) {
    TestClient client(path());
    std::string storage;
    EXPECT_EQ(begin(client, user, storage).request, Authentication::Request::kCleartextPassword);
    client.send_message(Password{password});
    return client.dialogue();
  }
  std::string with_md5(const std::string& user, const std::string& password) {
    TestClient client(path());
    std::string storage;
    Authentication request = begin(client, user, storage);
    EXPECT_EQ(request.request, Authentication::Request::kMd5Password);
    std::string answer = "md5" + md5_hex(md5_verifier(password, user).substr(3) + std::string(request.data));
    client.send_message(Password{answer});
    return client.dialogue();
  }
  // The client's side of SCRAM; checks the server's signature.
  std::string with_scram(const std::string& user, const std::string& password) {
    TestClient client(path());
    std::string storage;
    Authentication request = begin(client, user, storage);
    EXPECT_EQ(request.request, Authentication::Request::kSasl);
    EXPECT_EQ(request.data, "SCRAM-SHA-256\0\0"s);
    SaslInitialResponse initial;
    initial.mechanism = "SCRAM-SHA-256";
    initial.response = "n,,n=,r=clientnonce";
    client.send_message(initial);
    storage = client.receive().body;
    EXPECT_TRUE(request.decode(storage).ok());
    EXPECT_EQ(request.request, Authentication::Request::kSaslContinue);
    std::string first(request.data);
    std::string nonce = first.substr(2, first.find(",s=") - 2);
    size_t salt_at = first.find(",s=") + 3;
    std::string salt = *base64_decode(first.substr(salt_at, first.find(",i=") - salt_at));
    Sha256 salted = pbkdf2_sha256(password, salt, 4096);
    Sha256 key = hmac_sha256(as_bytes(salted), "Client Key");
    std::string without_proof = "c=biws,r=" + nonce;
    std::string exchange = "n=,r=clientnonce," + first + "," + without_proof;
    Sha256 signature = hmac_sha256(as_bytes(sha256(as_bytes(key))), exchange);
    for (size_t i = 0; i < key.size(); i++) key[i] ^= signature[i];
    std::string final_message = without_proof + ",p=" + base64_encode(as_bytes(key));
    client.send_message(SaslResponse{final_message});
    Received answer = client.receive();
    if (answer.type != 'R') return in_words(answer);
    EXPECT_TRUE(request.decode(answer.body).ok());
    Sha256 server_key = hmac_sha256(as_bytes(salted), "Server Key");
    EXPECT_EQ(request.data, "v=" + base64_encode(as_bytes(hmac_sha256(as_bytes(server_key), exchange))));
    return client.dialogue();
  }
};

constexpr const char* kRefusal = "E(FATAL 28P01 password authentication failed for user \"";

TEST_F(AuthenticationTest, Password) {
  start_with("password");
  EXPECT_EQ(with_password("scram", "secret"), kStarted);
  EXPECT_EQ(with_password("hashed", "secret"), kStarted);
  EXPECT_EQ(with_password("hashed", "Secret"), kRefusal + "hashed\") closed"s);
  EXPECT_EQ(with_password("postgres", "secret"), kRefusal + "postgres\") closed"s);  // has none
  EXPECT_EQ(with_password("nobody", "secret"), kRefusal + "nobody\") closed"s);
  EXPECT_EQ(with_password("scram", ""), "E(FATAL 28P01 empty password returned by client) closed");
}

TEST_F(AuthenticationTest, Md5) {
  start_with("md5");
  EXPECT_EQ(with_md5("hashed", "secret"), kStarted);
  EXPECT_EQ(with_md5("hashed", "wrong"), kRefusal + "hashed\") closed"s);
  EXPECT_EQ(with_scram("scram", "secret"), kStarted);
}

TEST_F(AuthenticationTest, Scram) {
  start_with("scram-sha-256");
  EXPECT_EQ(with_scram("scram", "secret"), kStarted);
  EXPECT_EQ(with_scram("scram", "wrong"), kRefusal + "scram\")"s);
  EXPECT_EQ(with_scram("hashed", "secret"), kRefusal + "hashed\")"s);
  EXPECT_EQ(with_scram("nobody", "secret"), kRefusal + "nobody\")"s);
}

TEST_F(AuthenticationTest, Reject) {
  start_with("reject");
  TestClient client(path());
  EXPECT_EQ(client.start(),
            "E(FATAL 28000 pg_hba.conf rejects connection for host \"[local]\", user \"postgres\", database "
            "\"postgres\", no encryption) closed");
}

TEST_F(AuthenticationTest, RubbishInsteadOfAnAnswer) {
  start_with("scram-sha-256");
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 100; i++) {
    TestClient client(path());
    std::string storage;
    begin(client, "scram", storage);
    std::string rubbish(random() % 40, '\0');
    for (char& byte : rubbish) byte = static_cast<char>(random());
    if (i % 2) rubbish.insert(0, "p\0\0\0\x20"s);
    client.send(rubbish);
    shutdown(client.fd(), SHUT_WR);
    EXPECT_TRUE(client.closed());
  }
  EXPECT_EQ(with_scram("scram", "secret"), kStarted);
}

}  // namespace
}  // namespace indigo::wire
