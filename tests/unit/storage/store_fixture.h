// A store with one table of small leaves, and the calls that tests make again and again.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "storage/store.h"
#include "storage/store_options.h"
#include "storage/table/table_impl.h"
#include "storage/table_options.h"

namespace indigo::storage {

using Rows = std::map<std::string, std::string>;

class StoreFixture : public ::testing::Test {
 protected:
  explicit StoreFixture(uint32_t leaf_bytes = 4096, const StoreOptions& store_options = {})
      : StoreFixture(TableOptions{leaf_bytes, {}}, store_options) {}
  explicit StoreFixture(const TableOptions& options, const StoreOptions& store_options = {})
      : store(Store::create(store_options)), table(store->create_table(options)) {}
  ~StoreFixture() override {
    static_cast<StoreImpl&>(*store).reclaimer().stop();  // merges while it is looked at would be mistaken for damage
    EXPECT_EQ(static_cast<TableImpl&>(*table).tree().check(), "");
    table.reset();
  }

  static std::string key_of(int i) {
    char buffer[16];
    std::snprintf(buffer, sizeof buffer, "%08d", i);
    return buffer;
  }

  std::unique_ptr<Transaction> begin(Isolation isolation = Isolation::kReadCommitted) {
    auto t = store->begin(isolation, 0);
    t->take_statement_snapshot();
    return t;
  }
  void commit(Transaction& t) { ASSERT_EQ(store->commit(t), StorageStatus::kOk); }

  StorageStatus insert(Transaction& t, Bytes key, Bytes row) { return table->insert(t, key, row, nullptr); }
  StorageStatus update(Transaction& t, Bytes key, Bytes row, LockWait wait = LockWait::kWait) {
    Claimed claimed;
    StorageStatus s = table->claim(t, t.view(), key, RowLockMode::kNoKeyUpdate, wait, claimed);
    return s == StorageStatus::kOk ? table->update(t, claimed.key, row, nullptr) : s;
  }
  StorageStatus erase(Transaction& t, Bytes key) {
    Claimed claimed;
    StorageStatus s = table->claim(t, t.view(), key, RowLockMode::kUpdate, LockWait::kWait, claimed);
    return s == StorageStatus::kOk ? table->erase(t, claimed.key) : s;
  }
  // The visible row, "-" when there is none.
  std::string get(Transaction& t, Bytes key) {
    std::string row;
    return table->get(t, t.view(), key, row) == StorageStatus::kOk ? row : "-";
  }

  // The next statement of a transaction: a new command and, at READ COMMITTED, a new snapshot.
  static Transaction& next(Transaction& t) {
    t.next_command();
    t.take_statement_snapshot();
    return t;
  }
  // Statements of their own in a transaction.
  std::string read(Transaction& t, Bytes key) { return get(next(t), key); }
  StorageStatus write(Transaction& t, Bytes key, Bytes row) { return update(next(t), key, row); }
  size_t count(Transaction& t, Bytes low, Bytes high) {
    KeyRange range;
    range.has_low = range.has_high = true;
    range.low = low;
    range.high = high;
    return drain(*table->scan(t, next(t).view(), range)).size();
  }
  std::unique_ptr<Transaction> serializable() { return begin(Isolation::kSerializable); }
  void expect_failure(Transaction& t) { EXPECT_EQ(store->commit(t), StorageStatus::kSerialization); }

  // Transactions of their own.
  void put(Bytes key, Bytes row) {
    auto t = begin();
    StorageStatus s = update(*t, key, row);
    if (s == StorageStatus::kNotFound) s = insert(*t, key, row);
    ASSERT_EQ(s, StorageStatus::kOk);
    commit(*t);
  }
  void remove(Bytes key) {
    auto t = begin();
    ASSERT_EQ(erase(*t, key), StorageStatus::kOk);
    commit(*t);
  }

  std::vector<std::pair<std::string, std::string>> drain(Cursor& cursor) {
    std::vector<std::pair<std::string, std::string>> list;
    std::vector<RowRef> out(37);
    for (;;) {
      size_t n;
      EXPECT_EQ(cursor.next(out, n), StorageStatus::kOk);
      if (n == 0) return list;
      for (size_t i = 0; i < n; i++) list.emplace_back(out[i].key, out[i].row);
    }
  }
  std::vector<std::pair<std::string, std::string>> scan_list(Transaction& t, const KeyRange& range,
                                                             Direction direction) {
    return drain(*table->scan(t, t.view(), range, direction));
  }
  Rows scan(Transaction& t) {
    Rows rows;
    for (auto& [k, v] : scan_list(t, KeyRange::all(), Direction::kForward)) rows[k] = v;
    return rows;
  }
  std::vector<std::string> scan_all_keys() {
    auto t = begin();
    std::vector<std::string> keys;
    for (auto& [k, v] : scan_list(*t, KeyRange::all(), Direction::kForward)) keys.push_back(k);
    return keys;
  }
  Rows committed() {
    auto t = begin();
    return scan(*t);
  }

  std::unique_ptr<Store> store;
  std::shared_ptr<Table> table;
};

}  // namespace indigo::storage
