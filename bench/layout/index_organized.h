// The layout of storage/, as workloads use it (bench/layout/layout.h).
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/layout/layout.h"
#include "storage/key_range.h"
#include "storage/store.h"
#include "storage/store_options.h"
#include "storage/table.h"
#include "storage/table_options.h"

namespace indigo::bench {

class IndexOrganized {
 public:
  static constexpr const char* kName = "index-organized";
  using TableRef = storage::Table*;

  explicit IndexOrganized(storage::ClockSource clock, const storage::TableOptions& options = {})
      : options_(options), store_(storage::Store::create({.log = nullptr, .memory_limit_bytes = 0, .clock = clock})) {}
  TableRef create_table() {
    tables_.push_back(store_->create_table(options_));
    return tables_.back().get();
  }
  storage::Store& store() { return *store_; }
  uint64_t bytes() const { return store_->statistics().bytes; }
  bool supports(storage::Isolation isolation) { return store_->begin(isolation, 0) != nullptr; }

  class Session {
   public:
    explicit Session(IndexOrganized& layout) : store_(layout.store()) {}

    void begin(storage::Isolation isolation) {
      txn_ = store_.begin(isolation, 0, std::move(txn_));
      txn_->take_statement_snapshot();
    }
    bool commit() { return store_.commit(*txn_) == storage::StorageStatus::kOk; }
    void rollback() { store_.rollback(*txn_); }

    Answer read(TableRef table, uint64_t key, std::string& row) {
      return answer(table->get(*txn_, txn_->view(), Key(key), row));
    }
    template <class Visit>
    void read_many(TableRef table, std::span<const uint64_t> keys, Visit visit) {
      constexpr size_t kBatch = 64;
      std::array<Bytes, kBatch> bytes;
      std::array<bool, kBatch> found;
      keys_.clear();
      many_rows_.resize(kBatch);
      for (uint64_t key : keys) keys_.emplace_back(key);
      for (size_t from = 0; from < keys.size(); from += kBatch) {
        const size_t n = std::min(kBatch, keys.size() - from);
        std::copy_n(keys_.begin() + static_cast<ptrdiff_t>(from), n, bytes.begin());
        (void)table->get_many(*txn_, txn_->view(), std::span(bytes).first(n), std::span(many_rows_).first(n),
                              std::span(found).first(n));
        for (size_t i = 0; i < n; i++) {
          if (found[i]) visit(from + i, Bytes(many_rows_[i]));
        }
      }
    }
    Answer lock(TableRef table, uint64_t key, std::string& row) {
      Answer a = answer(table->claim(*txn_, txn_->view(), Key(key), storage::RowLockMode::kNoKeyUpdate,
                                     storage::LockWait::kWait, claimed_));
      row.swap(claimed_.row);
      return a;
    }
    Answer update(TableRef table, uint64_t key, Bytes row) {
      Answer a = answer(table->update(*txn_, Key(key), row, nullptr));
      txn_->next_command();
      return a;
    }
    Answer erase(TableRef table, uint64_t key) {
      Answer a = answer(table->erase(*txn_, Key(key)));
      txn_->next_command();
      return a;
    }
    Answer insert(TableRef table, uint64_t key, Bytes row) {
      Answer a = answer(table->insert(*txn_, Key(key), row, nullptr));
      txn_->next_command();
      return a;
    }
    template <class Visit>
    void scan(TableRef table, uint64_t low, uint64_t high, uint64_t limit, Visit visit) {
      range_.low.assign(Bytes(Key(low)));
      range_.high.assign(Bytes(Key(high)));
      range_.has_low = range_.has_high = true;
      range_.high_inclusive = false;
      auto cursor = table->scan(*txn_, txn_->view(), range_);
      while (limit > 0) {
        size_t n;
        auto out = std::span(rows_).first(std::min<uint64_t>(rows_.size(), limit));
        if (cursor->next(out, n) != storage::StorageStatus::kOk || n == 0) return;
        limit -= n;
        for (size_t i = 0; i < n; i++) {
          if (!visit(big_endian(load_unaligned<uint64_t>(rows_[i].key.data())), rows_[i].row)) return;
        }
      }
    }

   private:
    static Answer answer(storage::StorageStatus s) {
      return s == storage::StorageStatus::kOk         ? Answer::kOk
             : s == storage::StorageStatus::kNotFound ? Answer::kNotFound
                                                      : Answer::kConflict;
    }
    storage::Store& store_;
    std::unique_ptr<storage::Transaction> txn_;  // the last one's memory serves the next
    storage::Claimed claimed_;
    storage::KeyRange range_;
    std::vector<storage::RowRef> rows_{1024};
    std::vector<Key> keys_;
    std::vector<std::string> many_rows_;
  };

 private:
  const storage::TableOptions options_;
  std::unique_ptr<storage::Store> store_;
  std::vector<std::shared_ptr<storage::Table>> tables_;
};

}  // namespace indigo::bench
