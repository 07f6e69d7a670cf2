#include "bench/clone_bench.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include <CLI/CLI.hpp>

#include "base/bytes.h"
#include "bench/measurement.h"
#include "bench/random.h"
#include "storage/clone.h"
#include "storage/statistics.h"
#include "storage/store.h"

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
    load();
    const uint64_t before = statistics_of(*store_).memory_total_bytes;
    Sample clones;
    for (uint64_t i = 0; i < o_.clones; i++) clones.run_timed([&] { return clone() != nullptr; });
    show("clone_and_drop", clones);
    auto copy = clone();
    std::printf("name=clone_memory rows=%llu source_bytes=%llu clone_bytes=%lld\n",
                static_cast<unsigned long long>(rows_), static_cast<unsigned long long>(before),
                static_cast<long long>(statistics_of(*store_).memory_total_bytes - before));
    // The first ones copy leaves; the source does, too, as long as the clone is there.
    for (const char* name : {"first_updates", "next_updates"}) {
      Random random(1);
      Sample updates;
      for (uint64_t i = 0; i < o_.clones; i++) updates.run_timed([&] { return update(*copy, random.next() % rows_); });
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
  static std::string key_of(uint64_t i) {
    const uint64_t big = big_endian(i);
    return {reinterpret_cast<const char*>(&big), sizeof big};
  }
  void load() {
    constexpr uint64_t kBatch = 1000;
    const std::string row(o_.row_bytes, 'r');
    for (uint64_t i = 0; i < rows_;) {
      auto t = store_->begin(Isolation::kReadCommitted, 0);
      for (uint64_t n = 0; n < kBatch && i < rows_; n++, i++) {
        if (table_->insert(*t, key_of(i), row, nullptr) != StorageStatus::kOk) std::abort();
      }
      if (store_->commit(*t) != StorageStatus::kOk) std::abort();
    }
  }
  std::shared_ptr<Table> clone() {
    std::shared_ptr<Table> out;
    clone_tables(*store_, [&](Cloner& cloner) { out = cloner.clone(*table_, {}, [](IndexId id) { return id; }); });
    return out;
  }
  bool update(Table& table, uint64_t i) {
    auto t = store_->begin(Isolation::kReadCommitted, 0);
    t->take_statement_snapshot();
    Claimed claimed;
    const std::string key = key_of(i), row(o_.row_bytes, 'u');
    return table.claim(*t, t->view(), key, RowLockMode::kNoKeyUpdate, LockWait::kWait, claimed) == StorageStatus::kOk &&
           table.update(*t, key, row, nullptr) == StorageStatus::kOk && store_->commit(*t) == StorageStatus::kOk;
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
