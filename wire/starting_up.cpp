#include "wire/starting_up.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <vector>

#include "base/fiber/thread_start.h"
#include "base/sqlstate.h"
#include "wire/messages/error_response.h"
#include "wire/messages/startup_packet.h"

namespace indigo::wire {

namespace {

constexpr timeval kPatience{1, 0};  // clients come one after the other: none may hold up the next for long
constexpr int kPackets = 3;         // SSLRequest, GSSENCRequest, StartupMessage

bool receive(const Socket& client, void* to, size_t size) {
  return recv(client.fd(), to, size, MSG_WAITALL) == static_cast<ssize_t>(size);
}

// The code of the next startup packet, whose body is dropped; zero when there is none.
uint32_t read_code(const Socket& client) {
  std::array<uint32_t, 2> head{};
  if (!receive(client, head.data(), sizeof head)) return 0;
  const uint32_t length = big_endian(head[0]);
  if (length < sizeof head || length > kMaxStartupBytes) return 0;
  std::vector<char> rest(length - sizeof head);
  if (!rest.empty() && !receive(client, rest.data(), rest.size())) return 0;
  return big_endian(head[1]);
}

}  // namespace

StartingUp::StartingUp(const Listeners& listeners)
    : listeners_(listeners), stop_event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), thread_([this] { answer_all(); }) {}

StartingUp::~StartingUp() {
  uint64_t one = 1;
  [[maybe_unused]] ssize_t written = write(stop_event_.fd(), &one, sizeof one);
  thread_.join();
}

void StartingUp::answer_all() {
  begin_thread("starting up");
  std::vector<pollfd> polled;
  for (const auto& socket : listeners_.sockets()) polled.push_back({socket.fd(), POLLIN, 0});
  polled.push_back({stop_event_.fd(), POLLIN, 0});
  for (;;) {
    if (poll(polled.data(), polled.size(), -1) < 0) continue;
    if (polled.back().revents != 0) return;
    for (const auto& ready : polled) {
      if (ready.revents == 0) continue;
      Socket client(accept4(ready.fd, nullptr, nullptr, SOCK_CLOEXEC));
      if (client.valid()) answer(client);
    }
  }
}

void StartingUp::answer(const Socket& client) {
  setsockopt(client.fd(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  setsockopt(client.fd(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  for (int packet = 0; packet < kPackets; packet++) {
    const uint32_t code = read_code(client);
    if (code == 0 || code == StartupPacket::kCancelRequest) return;
    if (code == StartupPacket::kSslRequest || code == StartupPacket::kGssEncRequest) {
      if (send(client.fd(), "N", 1, MSG_NOSIGNAL) != 1) return;
      continue;
    }
    OutputBuffer out;
    ErrorResponse::encode(ErrorResponse::kError, "FATAL",
                          Error(sqlstate::kCannotConnectNow, "the database system is starting up"), out);
    [[maybe_unused]] ssize_t sent = send(client.fd(), out.data(), out.size(), MSG_NOSIGNAL);
    return;
  }
}

}  // namespace indigo::wire
