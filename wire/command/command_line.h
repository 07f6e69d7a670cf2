// The command line: what `indigo` understands, and what it then does.
#pragma once

namespace indigo::wire {

// Answers the process's exit status (wire/command/exit_status.h).
int command_line(int argc, char** argv);

}  // namespace indigo::wire
