// `indigo-bench index`: the structures of secondary indexes side by side, without tables above them.
#pragma once

namespace CLI {
class App;
}

namespace indigo::bench {

void add_index_command(CLI::App& app);

}  // namespace indigo::bench
