// The process: its allocator, and the command line.
#include "base/static_process.h"
#include "wire/command/arenas.h"
#include "wire/command/command_line.h"

// Read by jemalloc: its own thread gives freed memory back, also while the server is idle; address space, too (retain), which
// tables and stacks may need where it is limited.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "background_thread:true,dirty_decay_ms:5000,retain:false";
}

int main(int argc, char** argv) {
  indigo::prepare_static_process();
  indigo::wire::make_arenas();
  return indigo::wire::command_line(argc, argv);
}
