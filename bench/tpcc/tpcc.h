// `indigo-bench tpcc`: TPC-C's transactions over either layout, in process, with its consistency conditions.
#pragma once

namespace CLI {
class App;
}

namespace indigo::bench {

void add_tpcc_command(CLI::App& app);

}  // namespace indigo::bench
