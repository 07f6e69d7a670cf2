// Clients of a Store in this process: storage's own interface, no SQL.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/bytes.h"
#include "storage/index/hash_index.h"
#include "storage/prepared.h"
#include "storage/store.h"
#include "storage/store_options.h"
#include "storage/table.h"
#include "storage/table_options.h"
#include "storage/txn/advance_snapshot.h"
#include "tests/history/client.h"

namespace indigo::history {

namespace {

using storage::StorageStatus;

void append(std::string& to, int64_t n) {
  for (int shift = 56; shift >= 0; shift -= 8) to.push_back(static_cast<char>(n >> shift));
}
int64_t number(Bytes from) {
  int64_t n = 0;
  for (char c : from.substr(0, 8)) n = n << 8 | static_cast<uint8_t>(c);
  return n;
}
std::string key_of(int64_t k) {
  std::string key;
  append(key, k);
  return key;
}
std::string row_of(int64_t v, int64_t g) {
  std::string row;
  append(row, g);
  append(row, v);
  return row;
}
Row decoded(Bytes key, Bytes row) { return {number(key), number(row.substr(8)), number(row)}; }

class GroupExtractor final : public storage::KeyExtractor {
 public:
  Outcome extract(Bytes, Bytes row, std::string& key, bool& has_null) const override {
    has_null = false;
    key.assign(row.substr(0, 8));
    return Outcome::kKey;
  }
};

class StoreBackend final : public Backend {
 public:
  StoreBackend(storage::ClockSource clock, bool locking, storage::IndexFactory structure)
      : ranges(structure != storage::IndexFactory(storage::create_hash_index)) {
    storage::StoreOptions store_options;
    store_options.clock = clock;
    store_options.locking = locking;
    store = storage::Store::create(store_options);
    storage::TableOptions options;
    options.leaf_bytes = 1024;  // few records: splits and merges happen
    table = store->create_table(options);
    index = IndexId(store->next_id().value);
    auto t = store->begin(storage::Isolation::kReadCommitted, 0);
    (void)storage::create_index(*table, *t, index, structure, {}, std::make_shared<GroupExtractor>(), nullptr);
    (void)store->commit(*t);
  }
  ~StoreBackend() override { table.reset(); }
  std::unique_ptr<Client> connect() override;

  std::unique_ptr<storage::Store> store;
  std::shared_ptr<storage::Table> table;
  IndexId index;
  const bool ranges;  // may be asked of the index: it has an order
};

class StoreClient final : public Client {
 public:
  explicit StoreClient(StoreBackend& backend)
      : store_(*backend.store), table_(*backend.table), index_(backend.index), ranges_(backend.ranges) {}

  void begin(Level level) override {
    txn_ = store_.begin(level == Level::kReadCommitted    ? storage::Isolation::kReadCommitted
                        : level == Level::kRepeatableRead ? storage::Isolation::kRepeatableRead
                                                          : storage::Isolation::kSerializable,
                        0);
    level_ = level;
  }
  Answer commit() override {
    if (commits_++ % 4 == 3) return commit_in_two_phases();
    StorageStatus s = store_.commit(*txn_);
    txn_.reset();
    return answer(s);
  }
  void rollback() override {
    if (txn_) store_.rollback(*txn_);
    txn_.reset();
  }
  Answer savepoint() override {
    level_of_savepoint_ = txn_->savepoint();
    return Answer::kOk;
  }
  Answer rollback_to() override {
    txn_->rollback_to(level_of_savepoint_);
    txn_->release(level_of_savepoint_);
    return Answer::kOk;
  }

  Answer read_key(int64_t k, std::vector<Row>& rows) override {
    next();
    return get(k, rows);
  }
  Answer lock_key(int64_t k, std::vector<Row>& rows) override {
    next();
    storage::Claimed claimed;
    std::string key = key_of(k);
    StorageStatus s =
        table_.lock_row(*txn_, txn_->view(), key, storage::RowLockMode::kUpdate, storage::LockWait::kWait, claimed);
    if (s == StorageStatus::kOk) rows.push_back(decoded(claimed.key, claimed.row));
    return s == StorageStatus::kNotFound ? Answer::kOk : answer(s);
  }
  Answer read_range(int64_t low, int64_t high, bool backward, std::vector<Row>& rows) override {
    next();
    storage::KeyRange range;
    range.has_low = range.has_high = true;
    range.low = key_of(low);
    range.high = key_of(high);
    auto direction = backward ? storage::Direction::kBackward : storage::Direction::kForward;
    return drain(*table_.scan(*txn_, txn_->view(), range, direction), rows);
  }
  Answer read_group(int64_t g, std::vector<Row>& rows) override {
    next();
    // As a point and as a range, which Griffin's hash table and its tree answer differently. An index without order has no
    // gaps, so that nothing would protect what is missing in a range of it.
    storage::KeyRange range = storage::KeyRange::point(key_of(g));
    if (ranges_ && group_reads_++ % 2 == 1) {
      range.high = key_of(g + 1);
      range.high_inclusive = false;
    }
    return drain(*table_.scan_index(*txn_, txn_->view(), index_, range), rows);
  }
  Answer update(int64_t k, int64_t v, int64_t g, std::optional<int64_t>& before) override {
    storage::Claimed claimed;
    StorageStatus s = claim(k, storage::RowLockMode::kNoKeyUpdate, claimed);
    if (s == StorageStatus::kNotFound) return Answer::kOk;
    if (s == StorageStatus::kOk) {
      before = number(Bytes(claimed.row).substr(8));
      s = table_.update(*txn_, claimed.key, row_of(v, g), nullptr);
    }
    return answer(s);
  }
  Answer erase(int64_t k, std::optional<int64_t>& before) override {
    storage::Claimed claimed;
    StorageStatus s = claim(k, storage::RowLockMode::kUpdate, claimed);
    if (s == StorageStatus::kNotFound) return Answer::kOk;
    if (s == StorageStatus::kOk) {
      before = number(Bytes(claimed.row).substr(8));
      s = table_.erase(*txn_, claimed.key);
    }
    return answer(s);
  }
  Answer insert(int64_t k, int64_t v, int64_t g, bool& inserted) override {
    next();
    storage::Duplicate duplicate;
    StorageStatus s = table_.insert(*txn_, key_of(k), row_of(v, g), &duplicate);
    inserted = s == StorageStatus::kOk;
    if (s != StorageStatus::kDuplicateKey) return answer(s);
    if (level_ == Level::kReadCommitted) return Answer::kOk;
    // As ON CONFLICT does: a row that is not in the snapshot may not be skipped.
    std::vector<Row> rows;
    Answer a = get(k, rows);
    return a == Answer::kOk && rows.empty() ? Answer::kFailed : a;
  }

  Answer upsert(int64_t k, int64_t v, int64_t g, std::optional<int64_t>& before) override {
    for (;;) {
      next();
      StorageStatus s = table_.insert(*txn_, key_of(k), row_of(v, g), nullptr);
      if (s != StorageStatus::kDuplicateKey) return answer(s);
      storage::Claimed claimed;
      storage::ReadView view = level_ == Level::kReadCommitted ? txn_->newest_view() : txn_->view();
      s = table_.claim(*txn_, view, key_of(k), storage::RowLockMode::kNoKeyUpdate, storage::LockWait::kWait, claimed);
      if (s == StorageStatus::kNotFound || begins_again(s)) continue;  // gone meanwhile, or changed
      if (s != StorageStatus::kOk) return answer(s);
      before = number(Bytes(claimed.row).substr(8));
      return answer(table_.update(*txn_, claimed.key, row_of(v, g), nullptr));
    }
  }

 private:
  // What has been prepared commits, whatever the others do meanwhile.
  Answer commit_in_two_phases() {
    const std::string name = std::to_string(txn_->id().value);
    storage::PreparedTransactions& prepared = storage::prepared_transactions(store_);
    if (prepared.reserve({name}, SIZE_MAX) != StorageStatus::kOk) std::abort();
    if (const StorageStatus s = prepared.prepare(name, std::move(txn_)); s != StorageStatus::kOk) return answer(s);
    for (size_t i = 0; i < commits_ % 16; i++) std::this_thread::yield();
    storage::PreparedName found;
    if (prepared.begin_end(name, found) != StorageStatus::kOk || prepared.commit(name) != StorageStatus::kOk) {
      std::fprintf(stderr, "a prepared transaction has not committed\n");
      std::abort();
    }
    return Answer::kOk;
  }
  static Answer answer(StorageStatus s) { return s == StorageStatus::kOk ? Answer::kOk : Answer::kFailed; }
  void next() {
    txn_->next_command();
    storage::advance_snapshot(*txn_);
    txn_->take_statement_snapshot();
    storage::mark_statement(*txn_);
  }
  StorageStatus claim(int64_t k, storage::RowLockMode mode, storage::Claimed& claimed) {
    next();
    for (;;) {
      const auto s = table_.claim(*txn_, txn_->view(), key_of(k), mode, storage::LockWait::kWait, claimed);
      if (!begins_again(s)) return s;
    }
  }
  // What failed because of what others have just committed is tried again (R9).
  bool begins_again(StorageStatus s) {
    if (s != StorageStatus::kConflict && s != StorageStatus::kConflictDelete) return false;
    if (!storage::begin_statement_again(*txn_)) return false;
    txn_->next_command();
    return true;
  }
  Answer get(int64_t k, std::vector<Row>& rows) {
    std::string row, key = key_of(k);
    StorageStatus s = table_.get(*txn_, txn_->view(), key, row);
    if (s == StorageStatus::kOk) rows.push_back(decoded(key, row));
    return s == StorageStatus::kNotFound ? Answer::kOk : answer(s);
  }
  static Answer drain(storage::Cursor& cursor, std::vector<Row>& rows) {
    std::array<storage::RowRef, 7> out;
    for (;;) {
      size_t n = 0;
      StorageStatus s = cursor.next(out, n);
      if (s != StorageStatus::kOk) return Answer::kFailed;
      if (n == 0) return Answer::kOk;
      for (size_t i = 0; i < n; i++) rows.push_back(decoded(out[i].key, out[i].row));
    }
  }

  storage::Store& store_;
  storage::Table& table_;
  IndexId index_;
  const bool ranges_;
  std::unique_ptr<storage::Transaction> txn_;
  Level level_ = Level::kSerializable;
  uint32_t level_of_savepoint_ = 0;
  uint32_t group_reads_ = 0;
  size_t commits_ = 0;
};

std::unique_ptr<Client> StoreBackend::connect() { return std::make_unique<StoreClient>(*this); }

}  // namespace

std::unique_ptr<Backend> store_backend(storage::ClockSource clock, bool locking, storage::IndexFactory structure) {
  return std::make_unique<StoreBackend>(clock, locking, structure);
}

}  // namespace indigo::history
