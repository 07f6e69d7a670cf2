// Workloads of the Index-Organized paper, section 6: each operation is a transaction of its own.
#include "bench/ycsb.h"

#include <functional>
#include <map>
#include <memory>
#include <span>

#include <CLI/CLI.hpp>

#include "bench/layout/index_organized.h"
#include "bench/layout/options.h"
#include "bench/level_slices.h"
#include "bench/measurement.h"
#include "bench/random.h"
#include "bench/row_store/row_store.h"
#include "storage/table.h"
#include "storage/table_options.h"

namespace indigo::bench {

namespace {

using storage::Isolation;

struct Options : LayoutOptions {
  std::string workload = "scan";
  std::string distribution = "uniform";
  std::string load = "hashed";
  int threads = 1;
  double seconds = 3;
  uint64_t rows = 1'000'000;
  size_t row_bytes = 100;
  uint64_t scan_length = 100;
  int chain_length = 30;
  size_t longer = 0;
  storage::TableOptions table;  // of the index-organized layout
};

constexpr double kZipfTheta = 0.9;
constexpr size_t kManyKeys = 16;  // of a transaction of lookup-many
// Percentage of updates; the rest are look-ups.
const std::map<std::string, unsigned> kMixes = {
    {"lookup", 0}, {"read-intensive", 10}, {"balanced", 50}, {"write-intensive", 90}, {"update", 100}};

// What a reader of a whole row does at least: it touches all of it, in whatever place the layout hands it out.
inline uint64_t sum_of(Bytes row) {
  uint64_t sums[4] = {};
  const char* p = row.data();
  size_t n = row.size();
  for (; n > sizeof sums; n -= sizeof sums, p += sizeof sums) {
    for (size_t i = 0; i < 4; i++) sums[i] += load_unaligned<uint64_t>(p + i * 8);
  }
  for (; n > 8; n -= 8, p += 8) sums[0] += load_unaligned<uint64_t>(p);
  // The last eight bytes, some of them for the second time (a row has eight at least).
  sums[1] += load_unaligned<uint64_t>(p + n - 8);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class Layout>
class Ycsb {
 public:
  explicit Ycsb(const Options& o, std::unique_ptr<Layout> layout)
      : o_(o),
        isolation_(o.isolation_level()),
        beside_(o.beside_level()),
        layout_(std::move(layout)),
        table_(layout_->create_table()) {
    if (o.distribution == "zipf") zipf_ = std::make_unique<Zipfian>(o.rows, kZipfTheta);
  }

  int run() {
    if (!layout_->supports(isolation_) || !layout_->supports(beside_)) {
      std::fprintf(stderr, "this layout has no such level\n");
      return 1;
    }
    if (!o_.beside.empty() && (o_.workload == "chain" || o_.workload == "hybrid")) {
      std::fprintf(stderr, "%s has one level\n", o_.workload.c_str());
      return 1;
    }
    const Outcome loaded = run_once([this] {
      load();
      return o_.rows;
    });
    load_per_core_ = static_cast<uint64_t>(loaded.throughput_per_core());
    if (o_.workload == "chain") {
      chain();
    } else if (o_.workload == "hybrid") {
      hybrid();
    } else if (!o_.beside.empty()) {
      LevelSlices slices(o_.threads);
      run_sampled(o_.threads, o_.seconds, [&](int thread, const auto& stop, Sample& s) {
        Worker worker(*this, thread, o_.workload);
        slices.run(thread, stop, [&](bool second) { worker.operation(second ? beside_ : isolation_, stop, s); });
      });
      slices.print("ycsb", parameters(), o_.isolation, o_.beside);
    } else {
      print("ycsb", parameters(), run_sampled(o_.threads, o_.seconds, [&](int thread, const auto& stop, Sample& s) {
              worker(thread, stop, s, o_.workload);
            }));
    }
    return 0;
  }

 private:
  using Session = typename Layout::Session;

  Parameters parameters() const {
    double encoded = static_cast<double>(o_.rows * (o_.row_bytes + sizeof(uint64_t)));
    auto number = [](double n) {
      char text[32];
      std::snprintf(text, sizeof text, "%.3f", n);
      return std::string(text);
    };
    return {{"workload", o_.workload},
            {"layout", Layout::kName},
            {"distribution", o_.distribution},
            {"isolation", o_.isolation},
            {"load", o_.load},
            {"scan_length", std::to_string(o_.scan_length)},
            {"row_store_prefetch", o_.row_store_prefetch ? "1" : "0"},
            {"clock", o_.clock},
            {"threads", std::to_string(o_.threads)},
            {"rows", std::to_string(o_.rows)},
            {"row_bytes", std::to_string(o_.row_bytes)},
            {"load_per_core", std::to_string(load_per_core_)},
            {"bytes_per_encoded_byte", number(static_cast<double>(layout_->bytes()) / encoded)}};
  }

  // Row i's key: with YCSB's hashed order, keys that follow each other were not loaded one after the other.
  uint64_t key_of(uint64_t i) const { return o_.load == "hashed" ? scatter(i + 1) >> 1 : i; }
  uint64_t random_row(Random& random) const {
    if (zipf_ == nullptr) return random.below(o_.rows);
    return scatter(zipf_->rank(random)) % o_.rows;
  }

  void load() {
    constexpr uint64_t kBatch = 1000;
    std::string row(o_.row_bytes, 'x');
    Session session(*layout_);
    for (uint64_t i = 0; i < o_.rows; i++) {
      if (i % kBatch == 0) session.begin(Isolation::kReadCommitted);
      store_unaligned(row.data(), i);
      session.insert(table_, key_of(i), row);
      if (i % kBatch == kBatch - 1 || i + 1 == o_.rows) session.commit();
    }
  }

  // One thread's transactions.
  class Worker {
   public:
    Worker(Ycsb& bench, int thread, const std::string& workload)
        : bench_(bench), session_(*bench.layout_), random_(static_cast<uint64_t>(thread) + 7) {
      if (workload == "scan") {
        scan_rows_ = bench.o_.scan_length;
      } else if (workload == "full-scan") {
        scan_all_ = true;
      } else if (workload == "lookup-many") {
        many_.resize(kManyKeys);
      } else if (workload == "turnover") {
        turnover_ = true;
      } else {
        updates_ = kMixes.at(workload);
      }
    }
    void operation(Isolation isolation, const std::atomic<bool>& stop, Sample& sample) {
      if (scan_all_ || scan_rows_ > 0) {
        const uint64_t from = scan_all_ ? 0 : bench_.key_of(bench_.random_row(random_));
        sample.run([&] {
          session_.begin(isolation);
          sample.rows +=
              bench_.read_range(session_, from, scan_all_ ? bench_.o_.rows : scan_rows_, scan_all_ ? &stop : nullptr);
          session_.commit();
          return true;
        });
        return;
      }
      if (!many_.empty()) {
        for (uint64_t& key : many_) key = bench_.key_of(bench_.random_row(random_));
        sample.run([&] { return bench_.lookup_many(session_, isolation, many_); });
        return;
      }
      if (turnover_) {
        const uint64_t i = random_.below(bench_.o_.rows);
        sample.run([&] { return bench_.replace_one(session_, isolation, i, row_); });
        return;
      }
      const bool update = updates_ > 0 && random_.below(100) < updates_;
      const uint64_t key = bench_.key_of(bench_.random_row(random_));
      sample.run([&] {
        return update ? bench_.update_one(session_, isolation, key, row_, random_.next())
                      : bench_.lookup(session_, isolation, key, row_);
      });
    }

   private:
    Ycsb& bench_;
    Session session_;
    Random random_;
    std::string row_;
    bool scan_all_ = false;
    bool turnover_ = false;
    uint64_t scan_rows_ = 0;
    std::vector<uint64_t> many_;  // keys of a lookup-many
    unsigned updates_ = 0;        // percent
  };

  void worker(int thread, const std::atomic<bool>& stop, Sample& sample, const std::string& workload) {
    Worker worker(*this, thread, workload);
    while (!stop.load(std::memory_order_relaxed)) worker.operation(isolation_, stop, sample);
  }

  bool lookup(Session& session, Isolation isolation, uint64_t key, std::string& row) {
    session.begin(isolation);
    Answer a = session.read(table_, key, row);
    return session.commit() && a == Answer::kOk;
  }
  // As an IN list or the inner side of an index join reads.
  bool lookup_many(Session& session, Isolation isolation, std::span<const uint64_t> keys) {
    session.begin(isolation);
    size_t found = 0;
    uint64_t sum = 0;
    session.read_many(table_, keys, [&](size_t, Bytes row) {
      sum += sum_of(row);
      found++;
    });
    checksum_.fetch_add(sum, std::memory_order_relaxed);
    return session.commit() && found == keys.size();
  }
  bool update_one(Session& session, Isolation isolation, uint64_t key, std::string& row, uint64_t value) {
    session.begin(isolation);
    Answer a = session.lock(table_, key, row);
    if (a == Answer::kOk) {
      if (o_.longer > 0) row.resize(o_.row_bytes + value % (o_.longer + 1), 'y');
      store_unaligned(row.data(), value);
      a = session.update(table_, key, row);
    }
    if (a != Answer::kOk) {
      session.rollback();
      return false;
    }
    return session.commit();
  }
  // Row i goes, or comes back: in the long run half of them are there.
  bool replace_one(Session& session, Isolation isolation, uint64_t i, std::string& row) {
    session.begin(isolation);
    Answer a = session.lock(table_, key_of(i), row);
    if (a == Answer::kOk) {
      a = session.erase(table_, key_of(i));
    } else if (a == Answer::kNotFound) {
      row.assign(o_.row_bytes, 'x');
      a = session.insert(table_, key_of(i), row);
    }
    if (a != Answer::kOk) {
      session.rollback();
      return false;
    }
    return session.commit();
  }
  uint64_t read_range(Session& session, uint64_t from, uint64_t rows, const std::atomic<bool>* stop = nullptr) {
    uint64_t n = 0, sum = 0;
    session.scan(table_, from, UINT64_MAX, rows, [&](uint64_t key, Bytes row) {
      sum += sum_of(row) + key;
      return ++n < rows && (stop == nullptr || n % 4096 != 0 || !stop->load(std::memory_order_relaxed));
    });
    checksum_.fetch_add(sum, std::memory_order_relaxed);
    return n;
  }

  // Updaters, and one analytical reader that scans the table again and again. A row for each side.
  void hybrid() {
    Outcome scans;
    Outcome updates = run_sampled(
        std::max(2, o_.threads), o_.seconds,
        [&](int thread, const std::atomic<bool>& stop, Sample& s) {
          worker(thread, stop, s, thread == 0 ? "full-scan" : "update");
        },
        1, &scans);
    Parameters p = parameters();
    p.emplace_back("side", "updates");
    print("ycsb", p, updates);
    p.back().second = "scan";
    scans.operations = scans.rows;  // rows scanned: whole scans are too few to count
    print("ycsb", p, scans);
  }

  // Scans by the oldest of some readers, between each two of which every row was updated.
  void chain() {
    Session updater(*layout_);
    std::vector<std::unique_ptr<Session>> readers;
    std::string row;
    uint64_t value = 0;
    for (int length = 0; length <= o_.chain_length; length++) {
      static constexpr int kMeasured[] = {0, 1, 2, 6, 15, 20, 30};
      if (std::find(std::begin(kMeasured), std::end(kMeasured), length) != std::end(kMeasured)) {
        Parameters p = parameters();
        p.emplace_back("chain_length", std::to_string(length));
        print("ycsb", p, run_sampled(1, o_.seconds, [&](int, const auto& stop, Sample& s) {
                Session fresh(*layout_);
                if (readers.empty()) fresh.begin(Isolation::kRepeatableRead);
                Session& reader = readers.empty() ? fresh : *readers.front();
                while (!stop.load(std::memory_order_relaxed)) {
                  uint64_t n = read_range(reader, 0, o_.rows, &stop);
                  s.rows += n;
                  s.operations += n;
                }
                if (readers.empty()) fresh.commit();
              }));
      }
      readers.push_back(std::make_unique<Session>(*layout_));
      readers.back()->begin(Isolation::kRepeatableRead);
      for (uint64_t i = 0; i < o_.rows; i++) update_one(updater, isolation_, key_of(i), row, value++);
    }
    for (auto& r : readers) r->commit();
  }

  const Options o_;
  const Isolation isolation_;
  const Isolation beside_;
  std::unique_ptr<Layout> layout_;
  typename Layout::TableRef table_;
  std::unique_ptr<Zipfian> zipf_;
  uint64_t load_per_core_ = 0;         // rows per second of processor time
  std::atomic<uint64_t> checksum_{0};  // so that nothing is left unread
};

int run(const Options& o) {
  if (o.layout == "row-store") return Ycsb<RowStore>(o, std::make_unique<RowStore>(o.row_store_prefetch)).run();
  return Ycsb<IndexOrganized>(o, std::make_unique<IndexOrganized>(o.clock_source(), o.table)).run();
}

// Of the index-organized layout (storage/thresholds.h).
void add_thresholds(CLI::App& command, storage::TableOptions& table) {
  using storage::LeafThresholds;
  const auto bounded = [](storage::Bounds b) { return CLI::Range(b.least, b.most); };
  LeafThresholds& t = table.thresholds;
  command.add_option("--leaf-bytes", table.leaf_bytes, "Leaf size")->check(bounded(storage::kLeafBytes));
  command.add_option("--fillfactor", t.fill_percent, "Percent of a leaf that ascending inserts fill")
      ->check(bounded(LeafThresholds::kFill));
  command.add_option("--leaf-merge-fill", t.merge_percent, "Percent of a leaf up to which neighbours are merged")
      ->check(bounded(LeafThresholds::kMerge));
  command.add_option("--leaf-dead-share", t.dead_percent, "Percent of a leaf from which dead bytes mean compaction")
      ->check(bounded(LeafThresholds::kDead));
  command.add_option("--toast-tuple-target", t.inline_bytes, "Bytes up to which a row lies in its leaf")
      ->check(bounded(LeafThresholds::kInline));
}

}  // namespace

void add_ycsb_command(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("ycsb", "YCSB over one table, in process");
  command->add_option("--workload", o->workload, "What the transactions do")
      ->check(CLI::IsMember({"scan", "full-scan", "lookup", "lookup-many", "update", "read-intensive", "balanced",
                             "write-intensive", "turnover", "hybrid", "chain"}));
  o->add_to(*command);
  command->add_option("--distribution", o->distribution, "Of the keys; zipf has theta 0.9")
      ->check(CLI::IsMember({"uniform", "zipf"}));
  command->add_option("--load", o->load, "Order of the keys while loading")
      ->check(CLI::IsMember({"hashed", "ascending"}));
  command->add_option("--threads", o->threads);
  command->add_option("--seconds", o->seconds, "Time of each measurement");
  command->add_option("--rows", o->rows, "Rows in the table");
  command->add_option("--row-bytes", o->row_bytes, "Bytes of a row, at least 8")->check(CLI::Range(8, 1 << 20));
  command->add_option("--scan-length", o->scan_length, "Rows of a range scan");
  command->add_option("--chain-length", o->chain_length, "Longest version chain of workload chain");
  command->add_option("--longer", o->longer, "Updates make a row up to so many bytes longer than it was loaded");
  add_thresholds(*command, o->table);
  command->callback([o] {
    if (int status = run(*o); status != 0) throw CLI::RuntimeError(status);
  });
}

}  // namespace indigo::bench
