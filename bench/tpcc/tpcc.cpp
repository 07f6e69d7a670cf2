#include "bench/tpcc/tpcc.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>

#include <CLI/CLI.hpp>

#include "bench/layout/index_organized.h"
#include "bench/layout/options.h"
#include "bench/level_slices.h"
#include "bench/measurement.h"
#include "bench/row_store/row_store.h"
#include "bench/tpcc/consistency.h"
#include "bench/tpcc/transactions.h"
#include "catalog/database.h"

namespace indigo::bench {

namespace {

struct Options : LayoutOptions {
  std::string mix = "full";
  int threads = 1;
  double seconds = 5;
  uint32_t warehouses = 0;
};

// Shares of New-Order, Payment, Order-Status, Delivery, Stock-Level, query 2. Full is clause 5.2.3's, near its minimum of
// what is not New-Order; the others are those of the Index-Organized paper, section 6.
const std::map<std::string, std::array<unsigned, 6>> kMixes = {{"full", {45, 43, 4, 4, 4, 0}},
                                                               {"new-order", {100, 0, 0, 0, 0, 0}},
                                                               {"ra", {90, 0, 0, 0, 10, 0}},
                                                               {"rb", {50, 0, 0, 0, 50, 0}},
                                                               {"rc", {50, 0, 0, 0, 0, 50}}};

template <class Layout>
int run(const Options& o, std::unique_ptr<Layout> layout) {
  using Work = tpcc::Transactions<Layout>;
  using Kind = typename Work::Kind;
  storage::Isolation isolation = o.isolation_level();
  const storage::Isolation beside = o.beside_level();
  if (!layout->supports(isolation) || !layout->supports(beside)) {
    std::fprintf(stderr, "this layout has no such isolation level\n");
    return 1;
  }
  uint32_t warehouses = o.warehouses != 0 ? o.warehouses : static_cast<uint32_t>(std::max(1, o.threads));
  tpcc::Database<Layout> database(std::move(layout), warehouses);
  database.load();
  const auto& shares = kMixes.at(o.mix);
  std::atomic<uint64_t> new_orders{0};
  std::mutex mutex;
  Sample queries;  // guarded by mutex
  LevelSlices slices(o.threads);
  Outcome outcome = run_sampled(o.threads, o.seconds, [&](int thread, const auto& stop, Sample& sample) {
    Work work(database, isolation, static_cast<uint64_t>(thread));
    uint64_t mine = 0;
    Sample query2;
    auto one = [&] {
      Kind kind = work.next_kind(shares);
      bool done = false;
      // What a conflict stopped is tried again, as a terminal would.
      while (!done && !stop.load(std::memory_order_relaxed)) {
        sample.run([&] {
          if (kind != Kind::kQuery2) return done = work.run(kind);
          query2.run_timed([&] { return done = work.run(kind); });
          return done;
        });
      }
      mine += done && kind == Kind::kNewOrder ? 1 : 0;
    };
    if (o.beside.empty()) {
      while (!stop.load(std::memory_order_relaxed)) one();
    } else {
      slices.run(thread, stop, [&](bool second) {
        work.set_isolation(second ? beside : isolation);
        one();
      });
    }
    new_orders += mine;
    std::lock_guard lock(mutex);
    queries.operations += query2.operations;
    queries.latencies.add(query2.latencies);
  });
  auto broken = tpcc::broken_conditions(database);
  for (size_t i = 0; i < std::min<size_t>(broken.size(), 10); i++) std::fprintf(stderr, "%s\n", broken[i].c_str());
  auto per_second = [&](uint64_t n) {
    return std::to_string(static_cast<uint64_t>(static_cast<double>(n) / outcome.seconds));
  };
  Parameters parameters = {{"mix", o.mix},
                           {"layout", Layout::kName},
                           {"isolation", o.isolation},
                           {"row_store_prefetch", o.row_store_prefetch ? "1" : "0"},
                           {"clock", o.clock},
                           {"threads", std::to_string(o.threads)},
                           {"warehouses", std::to_string(warehouses)},
                           {"new_orders_per_second", per_second(new_orders)},
                           {"broken_conditions", std::to_string(broken.size())}};
  if (queries.operations > 0) {
    parameters.emplace_back("query2_per_second", per_second(queries.operations));
    parameters.emplace_back("query2_p50_us", std::to_string(static_cast<uint64_t>(queries.latencies.quantile_us(0.5))));
  }
  if (o.beside.empty()) {
    print("tpcc", parameters, outcome);
  } else {
    slices.print("tpcc", parameters, o.isolation, o.beside);
  }
  return broken.empty() ? 0 : 2;
}

}  // namespace

void add_tpcc_command(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("tpcc", "TPC-C's transactions, in process; status 2 if it is inconsistent after");
  command
      ->add_option("--mix", o->mix,
                   "full: TPC-C's; ra, rb: New-Order with 10%, 50% Stock-Level; rc: with 50% of CH-benCHmark's query 2")
      ->check(CLI::IsMember({"full", "new-order", "ra", "rb", "rc"}));
  o->add_to(*command);
  command->add_option("--threads", o->threads);
  command->add_option("--seconds", o->seconds, "Time of the measurement");
  command->add_option("--warehouses", o->warehouses, "0: one for each thread");
  command->callback([o] {
    int status = o->layout == "row-store" ? run(*o, std::make_unique<RowStore>(o->row_store_prefetch))
                                          : run(*o, std::make_unique<IndexOrganized>(o->clock_source()));
    if (status != 0) throw CLI::RuntimeError(status);
  });
}

}  // namespace indigo::bench
