// `indigo-bench locks`: ways to lock the entries of an index, as requests to one lock table (OKVL paper, section 5).
#pragma once

namespace CLI {
class App;
}

namespace indigo::bench {

void add_lock_command(CLI::App& app);

}  // namespace indigo::bench
