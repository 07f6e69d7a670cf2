#include "bench/clone_bench.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include <CLI/CLI.hpp>

#include "bench/measurement.h"
#include "bench/must.h"
#include "bench/random.h"
#include "bench/table_work.h"
#include "storage/clone.h"
#include "storage/statistics.h"
#include "storage/store.h"
#include "storage/store_options.h"
#include "storage/table.h"
#include "storage/table_options.h"

namespace indigo::bench {

namespace {

using namespace indigo::storage;

struct Options {
  std::vector<uint64_t> rows{1'000, 100'000, 1'000'000};
  size_t row_bytes = 100;
  uint64_t clones = 1000;
};

class CloneBench {
 public:
  CloneBench(const Options& options, uint64_t rows)
      : o_(options), rows_(rows), store_(Store::create({})), table_(store_->create_table({})) {}

  void run() {
    load_rows(*store_, *table_, rows_, std::string(o_.row_bytes, 'r'));
    const uint64_t before = statistics_of(*store_).memory_total_bytes;
    Sample clones;
    for (uint64_t i = 0; i < o_.clones; i++) clones.run_timed([&] { return clone() != nullptr; });
    show("clone_and_drop", clones);
    auto copy = clone();
    const std::string changed(o_.row_bytes, 'u');
    std::printf("name=clone_memory rows=%llu source_bytes=%llu clone_bytes=%lld\n",
                static_cast<unsigned long long>(rows_), static_cast<unsigned long long>(before),
                static_cast<long long>(statistics_of(*store_).memory_total_bytes - before));
    // The first ones copy leaves; the source does, too, as long as the clone is there.
    for (const char* name : {"first_updates", "next_updates"}) {
      Random random(1);
      Sample updates;
      for (uint64_t i = 0; i < o_.clones; i++) {
        updates.run_timed(
            [&] { return update_row(*store_, *copy, Isolation::kReadCommitted, random.next() % rows_, changed); });
      }
      show(name, updates);
    }
  }

 private:
  struct Sample {
    Latencies latencies;
    uint64_t count = 0;
    double seconds = 0;
    template <class F>
    void run_timed(F operation) {
      const auto start = std::chrono::steady_clock::now();
      if (!operation()) std::abort();
      const auto took = std::chrono::steady_clock::now() - start;
      latencies.add(static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count()));
      seconds += std::chrono::duration<double>(took).count();
      count++;
    }
  };

  void show(const char* name, const Sample& s) const {
    std::printf("name=%s rows=%llu count=%llu mean_us=%.2f p50_us=%.2f p99_us=%.2f\n", name,
                static_cast<unsigned long long>(rows_), static_cast<unsigned long long>(s.count),
                s.seconds * 1e6 / static_cast<double>(s.count), s.latencies.quantile_us(0.5),
                s.latencies.quantile_us(0.99));
    std::fflush(stdout);
  }
  std::shared_ptr<Table> clone() {
    std::shared_ptr<Table> out;
    must(
        clone_tables(*store_, [&](Cloner& cloner) { out = cloner.clone(*table_, {}, [](IndexId id) { return id; }); }));
    return out;
  }

  const Options& o_;
  const uint64_t rows_;
  std::unique_ptr<Store> store_;
  std::shared_ptr<Table> table_;
};

}  // namespace

void add_clone_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("clone", "clones of a table, and their first changes");
  command->add_option("--rows", options->rows, "sizes of the table")->delimiter(',')->capture_default_str();
  command->add_option("--row-bytes", options->row_bytes)->capture_default_str();
  command->add_option("--clones", options->clones, "how many, one after the other")->capture_default_str();
  command->callback([options] {
    for (const uint64_t rows : options->rows) CloneBench(*options, rows).run();
  });
}

}  // namespace indigo::bench
