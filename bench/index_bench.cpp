#include "bench/index_bench.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/bytes.h"
#include "bench/art/art_index.h"
#include "bench/measurement.h"
#include "bench/must.h"
#include "bench/random.h"
#include "storage/epoch.h"
#include "storage/index/btree_index.h"
#include "storage/index/griffin/griffin_index.h"
#include "storage/index/hash_index.h"
#include "storage/index/hydralist/hydralist_index.h"
#include "storage/index/indexlet/indexlet_index.h"

namespace indigo::bench {

namespace {

using namespace indigo::storage;

struct Options {
  std::vector<std::string> methods{"btree", "hash", "griffin", "indexlet", "hydralist"};
  std::vector<std::string> operations{};  // empty: all
  std::vector<int> threads{1, 2};
  uint64_t entries = 1'000'000;
  double seconds = 1;
  uint64_t rounds = 3;
  uint64_t scan_entries = 100;
  bool strings = false;  // keys of 28 bytes, the first 12 of them common
};

// Percent of the operations; the rest are updates, which in an index are an erasure and an insert.
struct Mix {
  const char* name;
  unsigned lookups, inserts, erasures;
  bool latest;  // look-ups are of what this thread has inserted last
};
constexpr Mix kMixes[] = {{"ycsb_a", 50, 0, 0, false},
                          {"ycsb_b", 95, 0, 0, false},
                          {"ycsb_d", 95, 5, 0, true},
                          {"read_insert", 50, 50, 0, false},
                          {"read_mostly", 95, 5, 0, false},
                          {"write_only", 0, 100, 0, false},
                          {"insert_erase_read", 70, 15, 15, false}};

std::string number(uint64_t n) {
  const uint64_t bytes = big_endian(n);
  return {reinterpret_cast<const char*>(&bytes), sizeof bytes};
}

// No service of its own: what is done later is done by the threads that are measured, and counts.
std::unique_ptr<Index> create(const std::string& method, EpochManager& epochs, const PauseHook& pauses) {
  if (method == "btree") return create_btree_index(epochs, pauses);
  if (method == "hash") return create_hash_index(epochs, pauses);
  if (method == "griffin") return create_griffin_index(epochs, pauses);
  if (method == "hydralist") return create_hydralist_index(epochs, pauses);
  if (method == "indexlet") return create_indexlet_index(epochs, pauses);
  if (method == "art") return std::make_unique<ArtIndex>(epochs);
  if (method == "adaptive") return create_adaptive_index(epochs, pauses);
  std::fprintf(stderr, "no such method: %s\n", method.c_str());
  std::exit(2);
}

class IndexBench {
 public:
  IndexBench(const Options& options, const std::string& method)
      : o_(options), method_(method), ordered_(method != "hash"), index_(create(method, epochs_, pauses_)) {}

  void load() {
    const Outcome loaded = run_once([&] {
      for (uint64_t i = 0; i < o_.entries; i++) must(index_->insert(key_of(i), number(i)));
      return o_.entries;
    });
    show("load", 1, loaded);
    std::printf("name=index_memory method=%s bytes_per_entry=%.1f\n", method_.c_str(),
                static_cast<double>(index_->memory_bytes()) / static_cast<double>(o_.entries));
  }

  void run(int threads) {
    each("lookup", threads, [&](State& s) { return index_->lookup(key_of(s.random.below(o_.entries)), s.found) == 1; });
    each("lookup_many_16", threads, [&](State& s) {
      constexpr size_t kMany = 16;
      s.keys.resize(kMany);
      s.views.clear();
      for (std::string& key : s.keys) key = key_of(s.random.below(o_.entries)), s.views.emplace_back(key);
      index_->lookup_many(s.views, s.matches);
      return s.matches.count() == kMany;
    });
    each("insert_erase", threads, [&](State& s) {
      const uint64_t n = o_.entries + s.random.below(o_.entries);
      if (index_->erase(key_of(n), number(n))) return true;
      return index_->insert(key_of(n), number(n)) == StorageStatus::kOk;
    });
    for (const Mix& m : kMixes) {
      each(m.name, threads, [&](State& s) { return mix(s, m); });
    }
    // All threads at the greatest key, which is where an index on a time or a number from a sequence is written.
    each("append", threads, [&](State&) {
      const uint64_t n = appended_.fetch_add(1, std::memory_order_relaxed);
      return index_->insert("\xff" + number(n), number(n)) == StorageStatus::kOk;
    });
    // As an index cursor reads the entries of one key.
    each("point_scan", threads, [&](State& s) {
      const KeyRange range = KeyRange::point(key_of(s.random.below(o_.entries)));
      if (s.cursor == nullptr) s.cursor = index_->scan(range, Direction::kForward);
      s.cursor->rebind(range, Direction::kForward);
      return s.cursor->next(8).size() == 1 && s.cursor->next(8).empty();
    });
    if (!ordered_) return;
    each("scan", threads, [&](State& s) { return scan(s, false); });
    each("ycsb_e", threads, [&](State& s) { return mixed(s, false); });
    // What a tree needs that finds phantoms by scanning again.
    if (method_ == "btree") each("ycsb_e_rescan", threads, [&](State& s) { return mixed(s, true); });
  }

 private:
  struct State {
    explicit State(uint64_t seed) : random(seed), first(seed << 32), end(first) {}
    Random random;
    uint64_t first, end;  // the entries that this thread has inserted, and not erased
    std::vector<std::string> found, keys;
    std::vector<Bytes> views;
    IndexMatches matches;
    std::unique_ptr<IndexScan> cursor;
  };

  bool scan(State& s, bool twice) {
    KeyRange range;
    range.low = key_of(s.random.next());
    range.has_low = true;
    for (int i = 0; i < (twice ? 2 : 1); i++) {
      if (s.cursor == nullptr) {
        s.cursor = index_->scan(range, Direction::kForward);
      } else {
        s.cursor->rebind(range, Direction::kForward);
      }
      for (uint64_t left = o_.scan_entries; left > 0;) {
        const auto entries = s.cursor->next(left);
        if (entries.empty()) break;
        left -= entries.size();
      }
    }
    return true;
  }
  std::string key_of(uint64_t n) const {
    if (!o_.strings) return number(scatter(n));
    char text[32];
    std::snprintf(text, sizeof text, "customer/id/%016llx", static_cast<unsigned long long>(scatter(n)));
    return text;
  }
  bool mix(State& s, const Mix& m) {
    constexpr uint64_t kLatest = 1000;
    const uint64_t way = s.random.below(100);
    if (way < m.lookups) {
      const uint64_t own = std::min(kLatest, s.end - s.first);
      const uint64_t n = m.latest && own > 0 ? s.end - 1 - s.random.below(own) : s.random.below(o_.entries);
      index_->lookup(key_of(n), s.found);
      return true;
    }
    if (way >= m.lookups + m.inserts + m.erasures) {
      const uint64_t n = s.random.below(o_.entries);
      index_->erase(key_of(n), number(n));
      return index_->insert(key_of(n), number(n)) == StorageStatus::kOk;
    }
    if (way >= m.lookups + m.inserts && s.first < s.end) {
      const uint64_t n = s.first++;
      return index_->erase(key_of(n), number(n));
    }
    const uint64_t n = s.end++;
    return index_->insert(key_of(n), number(n)) == StorageStatus::kOk;
  }
  bool mixed(State& s, bool twice) {
    if (s.random.below(20) != 0) return scan(s, twice);
    const uint64_t n = s.end++;
    return index_->insert(key_of(n), number(n)) == StorageStatus::kOk;
  }

  template <class Operation>
  void each(const char* name, int threads, Operation operation) {
    if (!o_.operations.empty() && std::find(o_.operations.begin(), o_.operations.end(), name) == o_.operations.end())
      return;
    seed_ += 100;
    inserted_.assign(static_cast<size_t>(threads), {});
    show(name, threads,
         run_sampled(threads, o_.seconds, [&](int thread, const std::atomic<bool>& stop, Sample& sample) {
           State state(seed_ + static_cast<uint64_t>(thread));
           while (!stop.load(std::memory_order_relaxed)) sample.run([&] { return operation(state); });
           inserted_[static_cast<size_t>(thread)] = {state.first, state.end};
         }));
    // What comes next finds the index as this did: else the quicker of two methods would have more entries from then on.
    for (const auto& [first, end] : inserted_) {
      for (uint64_t n = first; n < end; n++) index_->erase(key_of(n), number(n));
    }
    for (uint64_t n = appended_.exchange(0); n > 0; n--) index_->erase("\xff" + number(n - 1), number(n - 1));
  }
  void show(const char* name, int threads, const Outcome& outcome) const {
    print(std::string("index_") + name,
          {{"method", method_}, {"keys", o_.strings ? "strings" : "numbers"}, {"threads", std::to_string(threads)}},
          outcome);
  }

  const Options& o_;
  const std::string method_;
  const bool ordered_;
  EpochManager epochs_;
  PauseHook pauses_;
  std::unique_ptr<Index> index_;
  uint64_t seed_ = 0;
  std::atomic<uint64_t> appended_{0};
  std::vector<std::pair<uint64_t, uint64_t>> inserted_;  // by each thread, in the last measurement
};

}  // namespace

void add_index_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("index", "structures of secondary indexes, without tables");
  command->add_option("--methods", options->methods, "which, in turn")->delimiter(',')->capture_default_str();
  command->add_option("--operations", options->operations, "only these")->delimiter(',');
  command->add_flag("--strings", options->strings, "keys are strings, not numbers");
  command->add_option("--threads", options->threads)->delimiter(',')->capture_default_str();
  command->add_option("--entries", options->entries, "loaded before")->capture_default_str();
  command->add_option("--seconds", options->seconds, "of each measurement")->capture_default_str();
  command->add_option("--rounds", options->rounds, "of all of them, methods taking turns")->capture_default_str();
  command->add_option("--scan-entries", options->scan_entries)->capture_default_str();
  command->callback([options] {
    std::vector<std::unique_ptr<IndexBench>> benches;
    for (const std::string& method : options->methods) {
      benches.push_back(std::make_unique<IndexBench>(*options, method));
      benches.back()->load();
    }
    for (uint64_t round = 0; round < options->rounds; round++) {
      for (const int threads : options->threads) {
        for (const auto& bench : benches) bench->run(threads);
      }
    }
  });
}

}  // namespace indigo::bench
