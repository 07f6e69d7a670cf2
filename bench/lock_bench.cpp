#include "bench/lock_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/bytes.h"
#include "bench/measurement.h"
#include "bench/must.h"
#include "bench/random.h"
#include "bench/table_lock_bench.h"
#include "storage/lock/lock_manager.h"
#include "storage/lock/mode_vector.h"

namespace indigo::bench {

namespace {

using namespace indigo::storage;

struct Options {
  std::vector<int> threads{1, 2, 14};
  std::vector<uint16_t> partitions{1, 13, 29, 61, 125, 253, 1021, 4093};
  double seconds = 1;
  uint64_t duplicates = 3000;
  uint64_t rows = 100'000;  // of the tables
  std::vector<std::string> parts{"equality", "updates", "mixed", "tables"};
  uint64_t log_us = 100;  // what a commit waits for its log, holding its locks
};

// How entries of (WID, IID) are locked.
enum class Method : uint8_t {
  kKvl,   // ARIES/KVL: the value with all entries and the gap
  kKrl,   // key-range locking: each entry, and with it the gap
  kOkrl,  // orthogonal key-range locking: each entry, and the gap by itself
  kOkvl,  // orthogonal key-value locking: the value, of which partitions
};
constexpr std::pair<Method, const char*> kMethods[] = {
    {Method::kKvl, "kvl"}, {Method::kKrl, "krl"}, {Method::kOkrl, "okrl"}, {Method::kOkvl, "okvl"}};

constexpr IndexId kIndex{1};
constexpr std::chrono::milliseconds kNoTimeout{0};

std::string number(uint64_t n) {
  const uint64_t bytes = big_endian(n);
  return {reinterpret_cast<const char*>(&bytes), sizeof bytes};
}

class Client {
 public:
  Client(LockManager& locks, uint64_t n) : locks_(locks), owner_(locks.create_owner(TxnId{n + 1}, n + 1)), random_(n) {}
  ~Client() { locks_.release_all(*owner_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool lock(const std::string& key, const KeyValueMode& mode) {
    return locks_.lock_key_value_components(*owner_, kIndex, key, mode, true, kNoTimeout) == StorageStatus::kOk;
  }
  void end() { locks_.release_all(*owner_); }
  Random& random() { return random_; }

 private:
  LockManager& locks_;
  std::unique_ptr<LockOwner> owner_;
  Random random_;
};

class LockBench {
 public:
  explicit LockBench(const Options& options) : o_(options) {}

  // Figure 9: all entries of one value are read. `record_bytes` 0: the locks alone.
  void equality(Method method, const char* name, size_t record_bytes) {
    std::vector<std::string> records(o_.duplicates, std::string(record_bytes, 'x'));
    const Parameters parameters{{"method", name}, {"record_bytes", std::to_string(record_bytes)}};
    show("equality", parameters, 1, [&](Client& c, Sample& s) {
      const std::string value = number(c.random().below(100));
      if (method == Method::kOkvl || method == Method::kKvl) {
        c.lock(value, {.whole = BasicMode::kS});
      }
      uint64_t sum = 0;
      for (uint64_t i = 0; i < o_.duplicates; i++) {
        if (method == Method::kKrl || method == Method::kOkrl) {
          c.lock(value + number(i), {.whole = BasicMode::kS, .gap = BasicMode::kS});
        }
        for (const char byte : records[i]) sum += static_cast<uint8_t>(byte);
      }
      c.end();
      s.rows += o_.duplicates;
      return sum != 1;
    });
  }

  // Figures 10 and 11: one entry of a value is changed; with `skew` 80% of the transactions choose the first of each.
  void updates(uint16_t partitions, bool skew, int threads) {
    const Parameters parameters{{"partitions", std::to_string(partitions)}, {"skew", skew ? "yes" : "no"}};
    show("updates", parameters, threads, [&](Client& c, Sample&) {
      const auto pick = [&](uint64_t n) {
        return skew && c.random().below(10) < 8 ? uint64_t{0} : c.random().below(n);
      };
      const std::string value = number(pick(10) * 10 + pick(10));
      const auto partition = static_cast<uint16_t>(c.random().below(3000) % partitions);
      const bool got = c.lock(value, {BasicMode::kIX, BasicMode::kX, BasicMode::kN, partition});
      if (got) wait_for_log();
      c.end();
      return got;
    });
  }

  // Figure 12: 40% look-ups, 40% inserts, 20% deletes of one entry each; 90% choose the first value. Half of the entries exist.
  void mixed(Method method, const char* name, int threads) {
    show("mixed", {{"method", name}}, threads, [&](Client& c, Sample&) {
      const uint64_t wid = c.random().below(10) < 9 ? 0 : c.random().below(10), iid = c.random().below(3000);
      const bool exists = iid % 2 == 0, reads = c.random().below(10) < 4;
      const std::string value = number(wid), entry = value + number(iid);
      const std::string before = value + number(iid - (iid > 0 ? 1 : 0));
      bool got = true;
      switch (method) {
        case Method::kKvl: got = c.lock(value, {.whole = reads ? BasicMode::kS : BasicMode::kX}); break;
        case Method::kOkvl: {
          const auto partition = static_cast<uint16_t>(iid % kDefaultLockPartitions);
          const BasicMode mode = reads ? BasicMode::kS : BasicMode::kX;
          got = c.lock(value, {reads ? BasicMode::kIS : BasicMode::kIX, mode, BasicMode::kN, partition});
          break;
        }
        case Method::kKrl:
          // A missing entry is a gap, and a gap is locked together with the entry before it.
          got = c.lock(exists ? entry : before,
                       {.whole = reads ? BasicMode::kS : BasicMode::kX, .gap = reads ? BasicMode::kS : BasicMode::kX});
          if (got && !reads && !exists) got = c.lock(entry, {.whole = BasicMode::kX});
          break;
        case Method::kOkrl:
          if (exists) {
            got = c.lock(entry, {.whole = reads ? BasicMode::kS : BasicMode::kX});
          } else {
            got = c.lock(before, {.gap = reads ? BasicMode::kS : BasicMode::kX});
            if (got && !reads) got = c.lock(entry, {.whole = BasicMode::kX});
          }
          break;
      }
      if (got && !reads) wait_for_log();
      c.end();
      return got;
    });
  }

 private:
  // Off the processor, as for a disk: so that many transactions hold locks at a time on few cores.
  void wait_for_log() const {
    if (o_.log_us > 0) std::this_thread::sleep_for(std::chrono::microseconds(o_.log_us));
  }

  template <class Transaction>
  void show(const char* name, Parameters parameters, int threads, Transaction transaction) {
    const std::unique_ptr<LockManager> locks = LockManager::create();
    const Outcome outcome =
        run_sampled(threads, o_.seconds, [&](int thread, const std::atomic<bool>& stop, Sample& sample) {
          Client client(*locks, static_cast<uint64_t>(thread));
          while (!stop.load(std::memory_order_relaxed)) sample.run([&] { return transaction(client, sample); });
        });
    parameters.emplace_back("threads", std::to_string(threads));
    print(std::string("locks_") + name, parameters, outcome);
  }

  const Options& o_;
};

void run(const Options& options) {
  LockBench bench(options);
  const auto wanted = [&](const char* part) {
    return std::find(options.parts.begin(), options.parts.end(), part) != options.parts.end();
  };
  if (wanted("equality")) {
    constexpr size_t kRecordBytes[] = {0, 100};
    for (const size_t bytes : kRecordBytes) {
      for (const auto& [method, name] : kMethods) bench.equality(method, name, bytes);
    }
  }
  for (const int threads : options.threads) {
    for (const bool skew : {false, true}) {
      for (const uint16_t k : options.partitions) {
        if (wanted("updates")) bench.updates(k, skew, threads);
      }
    }
    for (const auto& [method, name] : kMethods) {
      if (wanted("mixed")) bench.mixed(method, name, threads);
    }
  }
  if (wanted("tables")) measure_table_locks(options.seconds, options.rows);
}

}  // namespace

void add_lock_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("locks", "orthogonal key-value locking against its predecessors");
  auto options = std::make_shared<Options>();
  command->add_option("--parts", options->parts, "equality, updates, mixed, tables")->delimiter(',');
  command->add_option("--rows", options->rows, "of the tables");
  command->add_option("--threads", options->threads, "thread counts");
  command->add_option("--partitions", options->partitions, "partitions of a value's entries");
  command->add_option("--seconds", options->seconds, "of each measurement");
  command->add_option("--duplicates", options->duplicates, "entries of a value");
  command->add_option("--log-us", options->log_us, "what a change waits for its log, holding its locks");
  command->callback([options] { run(*options); });
}

}  // namespace indigo::bench
