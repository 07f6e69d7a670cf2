// Every request for memory that a server's threads make for a client is refused once: the client is answered, with 53200 or with
// what it asked for, or sent away; the server lives, and the next client is served.
#pragma once

#include "tests/allocations/statements.h"

namespace indigo::allocations {

Outcome sweep_served(const Options& options);

}  // namespace indigo::allocations
