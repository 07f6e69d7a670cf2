// A blocking client that speaks bytes: sends what it is told and names what comes back, so that a test reads as a dialogue.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/net/output_buffer.h"
#include "wire/net/socket.h"

namespace indigo::wire {

struct Received {
  char type = 0;  // 0: the connection is closed
  std::string body;
};

class TestClient {
 public:
  // To the unix socket at `path`.
  explicit TestClient(const std::string& path);

  // Sends StartupMessage and reads up to ReadyForQuery (or the end).
  std::string start(const std::string& user = "postgres");
  void send(std::string_view bytes);
  template <class Message>
  void send_message(const Message& message) {
    OutputBuffer out;
    message.encode(out);
    send(out.view());
  }
  void query(std::string_view text);
  // Parse, Bind, Describe portal, Execute of the unnamed statement, without Sync.
  void extended(std::string_view text, uint32_t max_rows = 0);

  Received receive();
  // Messages up to ReadyForQuery or the end, in words: "T D(1) C(SELECT 1) Z(I)", errors as "E(22012 division by zero)".
  std::string dialogue();
  // The same for one message.
  std::string next();
  bool closed();  // the server has closed; anything unread is dropped
  int fd() const { return socket_.fd(); }
  void close() { socket_.reset(); }
  int32_t pid = 0, key = 0;  // from start()

 private:
  Socket socket_;
  std::string buffer_;
};

std::string in_words(const Received& message);

}  // namespace indigo::wire
