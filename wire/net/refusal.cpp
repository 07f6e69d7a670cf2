#include "wire/net/refusal.h"

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <string_view>

namespace indigo::wire {

namespace {

// An ErrorResponse whose body is given; its length is short.
struct Words {
  std::array<char, 128> bytes{};
  size_t size = 0;

  constexpr explicit Words(std::string_view body) {
    const size_t length = 4 + body.size();
    bytes[0] = 'E';
    bytes[4] = static_cast<char>(length);
    for (size_t i = 0; i < body.size(); i++) bytes[5 + i] = body[i];
    size = 1 + length;
  }
};

using namespace std::string_view_literals;

constexpr Words kMemory("SFATAL\0VFATAL\0C53200\0Mout of memory\0\0"sv);
constexpr Words kConnections("SFATAL\0VFATAL\0C53300\0Msorry, too many clients already\0\0"sv);
constexpr Words kDescriptors("SFATAL\0VFATAL\0C53000\0Mout of file descriptors\0\0"sv);

const Words& words_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::kMemory: return kMemory;
    case Refusal::kConnections: return kConnections;
    case Refusal::kDescriptors: break;
  }
  return kDescriptors;
}

}  // namespace

void refuse_connection(int fd, Refusal refusal) {
  const Words& words = words_of(refusal);
  if (send(fd, words.bytes.data(), words.size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return;
  shutdown(fd, SHUT_WR);
  // What the client has sent is taken: bytes that are left unread make the kernel reset the connection, words and all.
  std::array<char, 4096> unread;
  while (recv(fd, unread.data(), unread.size(), MSG_DONTWAIT) > 0) {
  }
}

}  // namespace indigo::wire
