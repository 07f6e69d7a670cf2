// `indigo-bench ycsb`: the paper's YCSB workloads over one table, on either layout, in process.
#pragma once

namespace CLI {
class App;
}

namespace indigo::bench {

void add_ycsb_command(CLI::App& app);

}  // namespace indigo::bench
