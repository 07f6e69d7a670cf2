// `indigo-bench clone`: what a clone of a table costs, and the first changes of one.
#pragma once

namespace CLI {
class App;
}

namespace indigo::bench {

void add_clone_command(CLI::App& app);

}  // namespace indigo::bench
