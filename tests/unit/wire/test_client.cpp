#include "tests/unit/wire/test_client.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <cstring>

#include "wire/messages/backend_key_data.h"
#include "wire/messages/bind.h"
#include "wire/messages/data_row.h"
#include "wire/messages/describe.h"
#include "wire/messages/error_response.h"
#include "wire/messages/execute.h"
#include "wire/messages/parse.h"
#include "wire/messages/query.h"
#include "wire/messages/startup_packet.h"

namespace indigo::wire {

TestClient::TestClient(const std::string& path) : socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (connect(socket_.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) socket_.reset();
  // A test that waits for what never comes must fail, not hang.
  timeval limit{20, 0};
  setsockopt(socket_.fd(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket_.fd(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

std::string TestClient::start(const std::string& user) {
  StartupPacket startup;
  startup.parameters = {{"user", user}};
  send_message(startup);
  return dialogue();
}

void TestClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t sent = ::send(socket_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

void TestClient::query(std::string_view text) { send_message(Query{text}); }

void TestClient::extended(std::string_view text, uint32_t max_rows) {
  OutputBuffer out;
  Parse parse;
  parse.text = text;
  parse.encode(out);
  Bind().encode(out);
  Describe{'P', ""}.encode(out);
  Execute{"", static_cast<int32_t>(max_rows)}.encode(out);
  send(out.view());
}

Received TestClient::receive() {
  while (true) {
    if (buffer_.size() >= 5) {
      uint32_t length = big_endian(load_unaligned<uint32_t>(buffer_.data() + 1));
      if (buffer_.size() >= length + 1) {
        Received message{buffer_[0], buffer_.substr(5, length - 4)};
        buffer_.erase(0, length + 1);
        if (message.type == BackendKeyData::kType) {
          BackendKeyData data;
          if (data.decode(message.body).ok()) {
            pid = data.pid;
            key = data.key;
          }
        }
        return message;
      }
    }
    char bytes[65536];
    ssize_t got = recv(socket_.fd(), bytes, sizeof bytes, 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {'?', "nothing came"};
    if (got <= 0) return {};
    buffer_.append(bytes, static_cast<size_t>(got));
  }
}

std::string in_words(const Received& message) {
  std::string_view body = message.body;
  switch (message.type) {
    case 0: return "closed";
    case 'C':
    case 'Z': return std::string(1, message.type) + "(" + std::string(body.substr(0, body.find('\0'))) + ")";
    case 'D': {
      std::vector<std::optional<std::string_view>> values;
      if (!DataRow::decode(body, values).ok()) return "D(malformed)";
      std::string words = "D(";
      for (size_t i = 0; i < values.size(); i++) words += (i ? "," : "") + std::string(values[i].value_or("NULL"));
      return words + ")";
    }
    case 'E':
    case 'N': {
      ErrorResponse response;
      if (!response.decode(body).ok()) return "E(malformed)";
      std::string severity = response.severity == "ERROR" ? "" : response.severity + " ";
      return std::string(1, message.type) + "(" + severity + std::string(response.error.state.text()) + " " +
             response.error.message + ")";
    }
    case 'S': {
      size_t nul = body.find('\0');
      if (body.substr(0, nul) == "server_version") return "S";
      return "S(" + std::string(body.substr(0, nul)) + "=" + std::string(body.substr(nul + 1, body.size() - nul - 2)) +
             ")";
    }
    case 'd': return "d(" + message.body + ")";
    case '?': return "nothing came";
    default: return std::string(1, message.type);
  }
}

std::string TestClient::next() { return in_words(receive()); }

std::string TestClient::dialogue() {
  std::string words;
  while (true) {
    Received message = receive();
    words += (words.empty() ? "" : " ") + in_words(message);
    if (message.type == 'Z' || message.type == 0 || message.type == '?') return words;
  }
}

bool TestClient::closed() {
  while (true) {
    Received message = receive();
    if (message.type == 0) return true;
    if (message.type == '?') return false;
  }
}

}  // namespace indigo::wire
