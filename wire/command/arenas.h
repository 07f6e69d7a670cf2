// The allocator's arenas, made while there is memory for them, and its thread.
// Thread safety: before other threads start.
#pragma once

namespace indigo::wire {

// A thread takes an arena when it first allocates, and jemalloc does not survive that there is no memory to make one. So
// those of the threads to come are made now. Its own thread gives freed memory back, also while the server is idle; asked
// for by malloc_conf, it would have to begin before the process can say that there are no threads.
// Nothing happens without jemalloc (sanitizers).
void make_arenas();

}  // namespace indigo::wire
