#include "bench/table_lock_bench.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bench/layout/layout.h"
#include "bench/measurement.h"
#include "bench/must.h"
#include "bench/random.h"
#include "storage/index/btree_index.h"
#include "storage/index/griffin/griffin_index.h"
#include "storage/index/hash_index.h"
#include "storage/index/hydralist/hydralist_index.h"
#include "storage/index/index_factory.h"
#include "storage/index/indexlet/indexlet_index.h"
#include "storage/store.h"
#include "storage/store_options.h"
#include "storage/table.h"
#include "storage/table_options.h"

namespace indigo::bench {

namespace {

using namespace indigo::storage;

constexpr size_t kColumns = 4, kColumnBytes = 8;

// A row is a few numbers; each index has one of them.
class ColumnExtractor final : public KeyExtractor {
 public:
  explicit ColumnExtractor(size_t column) : column_(column) {}
  Outcome extract(Bytes, Bytes row, std::string& key, bool& has_null) const override {
    has_null = false;
    key.assign(row.substr(column_ * kColumnBytes, kColumnBytes));
    return Outcome::kKey;
  }

 private:
  const size_t column_;
};

struct Structure {
  const char* name;
  IndexFactory make;
};
constexpr Structure kStructures[] = {{"btree", create_btree_index},
                                     {"hash", create_hash_index},
                                     {"griffin", create_griffin_index},
                                     {"indexlet", create_indexlet_index},
                                     {"hydralist", create_hydralist_index}};

class TableLockBench {
 public:
  TableLockBench(bool locking, const Structure& structure, size_t indexes, uint64_t rows)
      : parameters_{{"method", locking ? "locking" : "ssn"},
                    {"structure", structure.name},
                    {"indexes", std::to_string(indexes)},
                    {"rows", std::to_string(rows)}},
        store_(Store::create(options(locking))),
        table_(store_->create_table(TableOptions{})) {
    auto ddl = begin(Isolation::kReadCommitted);
    for (size_t i = 0; i < indexes; i++) {
      const IndexId id(store_->next_id().value);
      must(create_index(*table_, *ddl, id, structure.make, {}, std::make_shared<ColumnExtractor>(i), nullptr));
    }
    must(store_->commit(*ddl));
    constexpr uint64_t kBatch = 1000;
    std::unique_ptr<Transaction> txn;
    for (uint64_t i = 0; i < rows; i++) {
      if (i % kBatch == 0) txn = begin(Isolation::kReadCommitted);
      must(table_->insert(*txn, Key(scatter(next_++)), random_row(), nullptr));
      if (i % kBatch == kBatch - 1 || i + 1 == rows) must(store_->commit(*txn));
    }
  }

  void inserts(double seconds) {
    show("insert", seconds, [&] {
      auto txn = begin(Isolation::kSerializable);
      must(table_->insert(*txn, Key(scatter(next_++)), random_row(), nullptr));
      return store_->commit(*txn) == StorageStatus::kOk;
    });
  }
  void updates(double seconds) {
    const uint64_t rows = next_ - 1;
    show("update", seconds, [&] {
      auto txn = begin(Isolation::kSerializable);
      const Key key(scatter(1 + random_.below(rows)));
      must(table_->claim(*txn, txn->view(), key, RowLockMode::kNoKeyUpdate, LockWait::kWait, claimed_));
      must(table_->update(*txn, key, random_row(), nullptr));
      return store_->commit(*txn) == StorageStatus::kOk;
    });
  }
  void reads(double seconds) {
    const uint64_t rows = next_ - 1;
    show("lookup", seconds, [&] {
      auto txn = begin(Isolation::kSerializable);
      must(table_->get(*txn, txn->view(), Key(scatter(1 + random_.below(rows))), read_));
      return store_->commit(*txn) == StorageStatus::kOk;
    });
  }
  void scans(double seconds) {
    constexpr size_t kRows = 100;
    show("scan", seconds, [&] {
      auto txn = begin(Isolation::kSerializable);
      const Key from(random_.next());
      KeyRange range;
      range.low = Bytes(from);
      range.has_low = true;
      const std::unique_ptr<Cursor> cursor = table_->scan(*txn, txn->view(), range, Direction::kForward);
      std::array<RowRef, 20> rows;
      size_t n = 1;
      for (size_t all = 0; all < kRows && n > 0; all += n) must(cursor->next(rows, n));
      return store_->commit(*txn) == StorageStatus::kOk;
    });
  }

 private:
  static StoreOptions options(bool locking) {
    StoreOptions o;
    o.locking = locking;
    return o;
  }
  std::unique_ptr<Transaction> begin(Isolation isolation) {
    auto txn = store_->begin(isolation, 0, std::move(spare_));
    txn->take_statement_snapshot();
    return txn;
  }
  Bytes random_row() {
    row_.resize(kColumns * kColumnBytes);
    for (size_t i = 0; i < kColumns; i++) store_unaligned(row_.data() + i * kColumnBytes, random_.next());
    return row_;
  }
  template <class Operation>
  void show(const char* name, double seconds, Operation operation) {
    print(std::string("locks_table_") + name, parameters_,
          run_sampled(1, seconds, [&](int, const std::atomic<bool>& stop, Sample& sample) {
            while (!stop.load(std::memory_order_relaxed)) sample.run(operation);
          }));
  }

  const Parameters parameters_;
  const std::unique_ptr<Store> store_;
  const std::shared_ptr<Table> table_;
  std::unique_ptr<Transaction> spare_;
  Random random_{17};
  Claimed claimed_;
  std::string row_, read_;
  uint64_t next_ = 1;
};

}  // namespace

void measure_table_locks(double seconds, uint64_t rows) {
  for (const Structure& structure : kStructures) {
    for (const size_t indexes : {size_t{0}, size_t{1}, kColumns}) {
      const bool plain = structure.make == static_cast<IndexFactory>(create_btree_index);
      if (indexes == 0 && !plain) continue;
      for (const bool locking : {false, true}) {
        TableLockBench bench(locking, structure, indexes, rows);
        bench.inserts(seconds);
        bench.updates(seconds);
        if (indexes > 0) continue;
        bench.reads(seconds);
        bench.scans(seconds);
      }
    }
  }
}

}  // namespace indigo::bench
