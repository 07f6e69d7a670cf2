#include "bench/storage_bench.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "bench/layout/layout.h"
#include "bench/measurement.h"
#include "bench/must.h"
#include "bench/random.h"
#include "bench/table_work.h"
#include "storage/store.h"
#include "storage/store_options.h"
#include "storage/table.h"
#include "storage/table_options.h"

namespace indigo::bench {

namespace {

using namespace indigo::storage;

struct Options {
  uint64_t rows = 1'000'000;
  size_t row_bytes = 100;
  int threads = 1;
  double seconds = 1;
  std::string only;
  std::string level = "read-committed";  // of the timed measurements
  Isolation isolation() const {
    if (level == "serializable") return Isolation::kSerializable;
    return level == "repeatable-read" ? Isolation::kRepeatableRead : Isolation::kReadCommitted;
  }
};

class RowExtractor final : public KeyExtractor {
 public:
  Outcome extract(Bytes, Bytes row, std::string& key, bool& has_null) const override {
    has_null = false;
    key.assign(row.substr(0, 8));
    return Outcome::kKey;
  }
};

class StorageBench {
 public:
  explicit StorageBench(const Options& options)
      : o_(options), store_(Store::create({})), table_(store_->create_table({})) {}

  void run() {
    measure_once("load_ascending", [&] { return load(*table_, false); });
    double encoded = static_cast<double>(o_.rows * (o_.row_bytes + 8));
    auto s = table_->statistics();
    std::printf("name=memory rows=%llu leaves=%llu bytes_per_encoded_byte=%.3f\n",
                static_cast<unsigned long long>(o_.rows), static_cast<unsigned long long>(s.leaf_count),
                static_cast<double>(s.bytes) / encoded);
    measure("point_read", [&](Random& random, std::string& row) { return point_read(random, row); });
    measure("point_read_batch_8", [&](Random& random, std::string&) { return point_read_batch(random); });
    measure("update_one", [&](Random& random, std::string& row) { return update(random.next() % o_.rows, row); });
    measure("update_hot", [&](Random& random, std::string& row) { return update(random.next() % 10, row); });
    measure("read_10_update_2", [&](Random& random, std::string& row) { return mix(random, row); });
    measure("range_50_update_1", [&](Random& random, std::string& row) { return range(random, row); });
    measure_once("scan", [&] { return scan(); });
    {
      auto reader = store_->begin(Isolation::kRepeatableRead, 0);
      reader->take_statement_snapshot();
      measure("update_one_long_reader",
              [&](Random& random, std::string& row) { return update(random.next() % o_.rows, row); });
      measure_once("scan_old_snapshot", [&] { return scan(*reader); });
    }
    measure("insert_one", [&](Random& random, std::string&) { return insert(random.next() | uint64_t{1} << 63); });
    auto other = store_->create_table({});
    measure_once("load_random", [&] { return load(*other, true); });
    other = nullptr;
    indexed();
  }

  // A second table with an index over eight bytes of the row.
  void indexed() {
    auto table = store_->create_table({});
    load(*table, false);
    IndexId index(store_->next_id().value);
    auto t = store_->begin(Isolation::kReadCommitted, 0);
    measure_once("create_index", [&] {
      must(table->create_index(*t, index, {}, std::make_shared<RowExtractor>(), nullptr));
      return o_.rows;
    });
    must(store_->commit(*t));
    table.swap(table_);
    measure("update_indexed", [&](Random& random, std::string& row) {
      store_unaligned(row.data(), random.next());
      return update(random.next() % o_.rows, row);
    });
    measure("update_not_indexed", [&](Random& random, std::string& row) {
      std::string same(row.size(), 'x');
      return update(random.next() % o_.rows, same);
    });
    measure("index_read", [&](Random& random, std::string&) {
      auto r = begin();
      r->take_statement_snapshot();
      KeyRange range;
      range.low.resize(8);
      store_unaligned(range.low.data(), random.next());
      range.has_low = true;
      auto cursor = table_->scan_index(*r, r->view(), index, range);
      RowRef out[8];
      size_t n;
      must(cursor->next(out, n));
      must(store_->commit(*r));
      return n;
    });
    table.swap(table_);
  }

 private:
  bool wanted(const std::string& name) const { return o_.only.empty() || o_.only == name || name == "load_ascending"; }
  Parameters parameters(int threads) const {
    return {{"threads", std::to_string(threads)},
            {"rows", std::to_string(o_.rows)},
            {"row_bytes", std::to_string(o_.row_bytes)},
            {"isolation", o_.level}};
  }
  template <class F>
  void measure(const std::string& name, F operation) {
    if (!wanted(name)) return;
    auto body = [&](int thread, const std::atomic<bool>& stop) {
      Random random(static_cast<uint64_t>(thread) + 7);
      std::string row(o_.row_bytes, 'r');
      uint64_t n = 0;
      while (!stop.load(std::memory_order_relaxed)) n += operation(random, row);
      return n;
    };
    print(name, parameters(o_.threads), run_threads(o_.threads, o_.seconds, body));
  }
  template <class F>
  void measure_once(const std::string& name, F operation) {
    if (wanted(name)) print(name, parameters(1), run_once(operation));
  }

  uint64_t load(Table& table, bool random_order) {
    std::string row(o_.row_bytes, 'x');
    auto t = store_->begin(Isolation::kReadCommitted, 0);
    Random random(3);
    for (uint64_t i = 0; i < o_.rows; i++) must(table.insert(*t, Key(random_order ? random.next() : i), row, nullptr));
    must(store_->commit(*t));
    return o_.rows;
  }
  std::unique_ptr<Transaction> begin() { return store_->begin(o_.isolation(), 0); }
  uint64_t point_read(Random& random, std::string& row) {
    auto t = begin();
    t->take_statement_snapshot();
    must(table_->get(*t, t->view(), Key(random.next() % o_.rows), row));
    must(store_->commit(*t));
    return 1;
  }
  uint64_t point_read_batch(Random& random) {
    constexpr size_t kBatch = 8;
    thread_local std::string rows[kBatch];
    bool found[kBatch];
    std::vector<Key> keys;
    Bytes views[kBatch];
    keys.reserve(kBatch);
    for (size_t i = 0; i < kBatch; i++) views[i] = keys.emplace_back(random.next() % o_.rows);
    auto t = begin();
    t->take_statement_snapshot();
    must(table_->get_many(*t, t->view(), views, rows, found));
    must(store_->commit(*t));
    return kBatch;
  }
  uint64_t update(uint64_t n, const std::string& row) {
    return update_row(*store_, *table_, o_.isolation(), n, row) ? 1 : 0;
  }
  // Transactions of several statements; those that fail do not count.
  uint64_t finish(Transaction& t, bool ok) {
    if (ok) return store_->commit(t) == StorageStatus::kOk ? 1 : 0;
    store_->rollback(t);
    return 0;
  }
  bool update_in(Transaction& t, uint64_t n, const std::string& row) {
    Key key(n);
    thread_local Claimed claimed;
    t.next_command();
    t.take_statement_snapshot();
    return table_->claim(t, t.view(), key, RowLockMode::kNoKeyUpdate, LockWait::kWait, claimed) == StorageStatus::kOk &&
           table_->update(t, key, row, nullptr) == StorageStatus::kOk;
  }
  uint64_t mix(Random& random, std::string& row) {
    auto t = begin();
    bool ok = true;
    thread_local std::string got;
    for (int i = 0; i < 10 && ok; i++) {
      t->take_statement_snapshot();
      ok = table_->get(*t, t->view(), Key(random.next() % o_.rows), got) == StorageStatus::kOk;
    }
    for (int i = 0; i < 2 && ok; i++) ok = update_in(*t, random.next() % o_.rows, row);
    return finish(*t, ok);
  }
  uint64_t range(Random& random, std::string& row) {
    auto t = begin();
    t->take_statement_snapshot();
    KeyRange range;
    uint64_t from = random.next() % o_.rows;
    range.has_low = range.has_high = true;
    range.low = Bytes(Key(from));
    range.high = Bytes(Key(from + 49));
    auto cursor = table_->scan(*t, t->view(), range);
    RowRef out[64];
    size_t n = 0;
    bool ok = true;
    do {
      ok = cursor->next(out, n) == StorageStatus::kOk;
    } while (ok && n > 0);
    return finish(*t, ok && update_in(*t, from, row));
  }
  uint64_t insert(uint64_t n) {
    auto t = begin();
    t->take_statement_snapshot();
    must(table_->insert(*t, Key(n), std::string(o_.row_bytes, 'n'), nullptr));
    must(store_->commit(*t));
    return 1;
  }
  uint64_t scan() {
    auto t = begin();
    t->take_statement_snapshot();
    return scan(*t);
  }
  uint64_t scan(Transaction& t) {
    auto cursor = table_->scan(t, t.view(), KeyRange::all());
    std::vector<RowRef> out(1024);
    uint64_t rows = 0, sum = 0;
    for (;;) {
      size_t n;
      if (cursor->next(out, n) != StorageStatus::kOk || n == 0) break;
      for (size_t i = 0; i < n; i++) sum += static_cast<unsigned char>(out[i].row[0]);
      rows += n;
    }
    return sum == 0 ? 0 : rows;
  }

  const Options o_;
  std::unique_ptr<Store> store_;
  std::shared_ptr<Table> table_;
};

}  // namespace

void add_storage_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("storage", "Tables in process, without SQL");
  command->add_option("--rows", options->rows, "Rows in the table");
  command->add_option("--row-bytes", options->row_bytes, "Bytes of a row");
  command->add_option("--threads", options->threads, "Threads of the timed measurements");
  command->add_option("--seconds", options->seconds, "Time of each measurement");
  command->add_option("--isolation", options->level, "Of the timed measurements")
      ->check(CLI::IsMember({"read-committed", "repeatable-read", "serializable"}));
  command->add_option("--only", options->only, "One measurement's name");
  command->callback([options] { StorageBench(*options).run(); });
}

}  // namespace indigo::bench
