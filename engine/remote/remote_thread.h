// Threads that wait for other servers in a session's place.
// Thread safety: pure functions.
#pragma once

#include <functional>
#include <string>

#include "base/error.h"

namespace indigo::engine {

// A thread of its own, which nobody waits for. 53000 when there is none. Exceptions end there: `failed` is told in their place.
Status start_remote_thread(std::function<void()> work, std::function<void(const Error&)> failed);

// libpq's messages end with one. Null: "".
std::string without_line_end(const char* text);

}  // namespace indigo::engine
