// Memory that is refused on request: malloc and its kin, and new anonymous mappings, of this process. What stands in a MustNotFail
// scope (base/memory/memory_reserve.h) is given, as the reserve would.
//
// Thread safety: refuse() and give() from one thread at a time; what is counted, from all.
#pragma once

#include <cstdint>

namespace indigo::allocations {

enum class Whose : uint8_t {
  kMine,    // of the thread that calls refuse()
  kOthers,  // of all other threads
};

// The next `n` requests are given, the one after them is refused, and with `all` what follows, too.
void refuse(int64_t n, bool all, Whose whose);
// From now on everything is given. How many requests were refused since refuse().
int64_t give();

// On standard error: where the first request since refuse() was refused, as addresses of this program for addr2line. Made for
// the handler of a deadly signal.
void print_refused();

}  // namespace indigo::allocations
