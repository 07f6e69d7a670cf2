#include "bench/tpcc/tpcc.h"

#include <algorithm>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>

#include "bench/layout/index_organized.h"
#include "bench/measurement.h"
#include "bench/row_store/row_store.h"
#include "bench/tpcc/consistency.h"
#include "bench/tpcc/transactions.h"

namespace indigo::bench {

namespace {

struct Options {
  std::string mix = "full";
  std::string layout = "index-organized";
  std::string isolation = "repeatable-read";
  int threads = 1;
  double seconds = 5;
  uint32_t warehouses = 0;
};

const std::map<std::string, storage::Isolation> kIsolations = {{"read-committed", storage::Isolation::kReadCommitted},
                                                               {"repeatable-read", storage::Isolation::kRepeatableRead},
                                                               {"serializable", storage::Isolation::kSerializable}};

template <class Layout>
int run(const Options& o, std::unique_ptr<Layout> layout) {
  using Work = tpcc::Transactions<Layout>;
  using Kind = typename Work::Kind;
  storage::Isolation isolation = kIsolations.at(o.isolation);
  if (!layout->supports(isolation)) {
    std::fprintf(stderr, "this layout has no %s\n", o.isolation.c_str());
    return 1;
  }
  uint32_t warehouses = o.warehouses != 0 ? o.warehouses : static_cast<uint32_t>(std::max(1, o.threads));
  tpcc::Database<Layout> database(std::move(layout), warehouses);
  database.load();
  std::atomic<uint64_t> new_orders{0};
  Outcome outcome = run_sampled(o.threads, o.seconds, [&](int thread, const auto& stop, Sample& sample) {
    Work work(database, isolation, static_cast<uint64_t>(thread));
    uint64_t mine = 0;
    while (!stop.load(std::memory_order_relaxed)) {
      Kind kind = o.mix == "new-order" ? Kind::kNewOrder : work.next_kind();
      bool done = false;
      // What a conflict stopped is tried again, as a terminal would.
      while (!done && !stop.load(std::memory_order_relaxed)) {
        sample.run([&] { return done = work.run(kind); });
      }
      mine += done && kind == Kind::kNewOrder ? 1 : 0;
    }
    new_orders += mine;
  });
  auto broken = tpcc::broken_conditions(database);
  for (size_t i = 0; i < std::min<size_t>(broken.size(), 10); i++) std::fprintf(stderr, "%s\n", broken[i].c_str());
  print("tpcc",
        {{"mix", o.mix},
         {"layout", Layout::kName},
         {"isolation", o.isolation},
         {"threads", std::to_string(o.threads)},
         {"warehouses", std::to_string(warehouses)},
         {"new_orders_per_second",
          std::to_string(static_cast<uint64_t>(static_cast<double>(new_orders) / outcome.seconds))},
         {"broken_conditions", std::to_string(broken.size())}},
        outcome);
  return broken.empty() ? 0 : 2;
}

}  // namespace

void add_tpcc_command(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("tpcc", "TPC-C's transactions, in process; status 2 if it is inconsistent after");
  command->add_option("--mix", o->mix)->check(CLI::IsMember({"full", "new-order"}));
  command->add_option("--layout", o->layout)->check(CLI::IsMember({"index-organized", "row-store"}));
  command->add_option("--isolation", o->isolation)
      ->check(CLI::IsMember({"read-committed", "repeatable-read", "serializable"}));
  command->add_option("--threads", o->threads);
  command->add_option("--seconds", o->seconds, "Time of the measurement");
  command->add_option("--warehouses", o->warehouses, "0: one for each thread");
  command->callback([o] {
    int status = o->layout == "row-store" ? run(*o, std::make_unique<RowStore>(false))
                                          : run(*o, std::make_unique<IndexOrganized>());
    if (status != 0) throw CLI::RuntimeError(status);
  });
}

}  // namespace indigo::bench
