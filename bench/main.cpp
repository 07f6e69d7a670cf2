// indigo-bench: one subcommand per subject, one row of key=value pairs per measurement.
#include <CLI/CLI.hpp>

#include "bench/clone_bench.h"
#include "bench/index_bench.h"
#include "bench/lock_bench.h"
#include "bench/log_bench.h"
#include "bench/storage_bench.h"
#include "bench/tpcc/tpcc.h"
#include "bench/ycsb.h"

int main(int argc, char** argv) {
  CLI::App app("Indigo's benchmarks");
  app.require_subcommand(1);
  indigo::bench::add_storage_command(app);
  indigo::bench::add_ycsb_command(app);
  indigo::bench::add_clone_command(app);
  indigo::bench::add_index_command(app);
  indigo::bench::add_lock_command(app);
  indigo::bench::add_log_command(app);
  indigo::bench::add_tpcc_command(app);
  CLI11_PARSE(app, argc, argv);
  return 0;
}
