#include "base/entropy.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace indigo {

namespace {
constexpr size_t kBytesPerCall = 256;  // getentropy gives no more
}

bool fill_random(void* to, size_t bytes) {
  auto* at = static_cast<unsigned char*>(to);
  while (bytes > 0) {
    const size_t n = std::min(bytes, kBytesPerCall);
    if (getentropy(at, n) == 0) {
      at += n;
      bytes -= n;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace indigo
