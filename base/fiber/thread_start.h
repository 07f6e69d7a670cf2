// How a thread of the server begins.
#pragma once

namespace indigo {

// Names the calling thread (15 characters at most) and has the allocator make what it keeps for each thread: jemalloc does not
// survive that there is no memory for that, so it must not be done at some later time when there is none. Called first thing;
// the same holds for what is destroyed at the thread's end (thread_owned.h);
// a thread that starts when memory is short waits for some, a second at most.
void begin_thread(const char* name);

}  // namespace indigo
