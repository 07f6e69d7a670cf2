// `indigo-bench log`: commits, recovery and checkpoints through the log, beside what the device itself can do.
#pragma once

namespace CLI {
class App;
}

namespace indigo::bench {

void add_log_command(CLI::App& app);

}  // namespace indigo::bench
