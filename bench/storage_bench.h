// `indigo-bench storage`: the storage layer in process, without SQL.
#pragma once

namespace CLI {
class App;
}

namespace indigo::bench {

void add_storage_command(CLI::App& app);

}  // namespace indigo::bench
