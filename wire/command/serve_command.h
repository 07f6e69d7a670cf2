// `indigo serve`, after the command line has been read.
#pragma once

#include "wire/command/running_server.h"

namespace indigo::wire {

// Serves until SIGTERM or SIGINT. Answers the process's exit status; complaints are on stderr.
int serve(const ServeOptions& options);

}  // namespace indigo::wire
