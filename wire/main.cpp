// The process: its allocator, and the command line.
#include "base/exception_error.h"
#include "base/static_process.h"
#include "wire/command/arenas.h"
#include "wire/command/command_line.h"
#include "wire/command/exit_status.h"
#include "wire/command/running_server.h"

// Read by jemalloc: freed memory goes back (make_arenas() begins the thread that does it, the only one: where a second does not
// start, the first tries again for ever, with a message each time); address space, too (retain), which tables and stacks may
// need where it is limited.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "dirty_decay_ms:5000,retain:false,max_background_threads:1";
}

int main(int argc, char** argv) {
  try {
    indigo::prepare_static_process();
    indigo::wire::make_arenas();
    return indigo::wire::command_line(argc, argv);
  } catch (...) {  // no memory, or no thread, to begin with
    indigo::wire::complain(indigo::exception_error());
    return indigo::wire::kExitFailed;
  }
}
