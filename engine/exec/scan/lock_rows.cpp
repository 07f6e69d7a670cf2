// SELECT ... FOR UPDATE, NO KEY UPDATE, SHARE, KEY SHARE: locks the rows that are answered.
#include <algorithm>

#include "engine/exec/change/moved_away.h"
#include "engine/exec/operators.h"
#include "storage/okvl/search.h"
#include "storage/table.h"

namespace indigo::engine::exec {
namespace {

class LockRowsOperator final : public Operator {
 public:
  LockRowsOperator(QueryState& state, const sql::LockRowsPlan& plan, Condition recheck, OperatorPtr input)
      : state_(state), plan_(plan), recheck_(std::move(recheck)), input_(std::move(input)) {}

  Status open(Open mode) override {
    error_ = nullptr;
    announce(plan_.locks);
    return input_->open(mode);
  }
  void close() override { input_->close(); }

  Result<Chunk*> next(uint32_t max_rows) override {
    while (true) {
      if (error_ != nullptr) return std::move(error_);
      // Functions run between the rows' locks.
      INDIGO_ASSIGN(Chunk * chunk, input_->next(state_.runs_routines() ? 1 : max_rows));
      if (chunk == nullptr) return nullptr;
      if (chunk->selection.count > 1) INDIGO_TRY(state_.check());
      arena_.reset();
      ArenaScope scope(state_, arena_);
      copied_ = false;
      uint16_t* kept = kept_.reserve(chunk->selection.count);
      uint32_t n = 0;
      for (uint32_t i = 0; i < chunk->selection.count; i++) {
        auto keep = lock(*chunk, chunk->selection[i]);
        if (!keep.ok()) {
          error_ = keep.take_error();
          break;
        }
        if (*keep) kept[n++] = static_cast<uint16_t>(chunk->selection[i]);
      }
      if (n == 0) continue;
      Chunk* out = copied_ ? &copy_ : chunk;
      out->selection = {kept, n};
      return out;
    }
  }

 private:
  void announce(const std::vector<sql::LockRowsPlan::Lock>& locks) {
    for (const sql::LockRowsPlan::Lock& lock : locks) {
      if (lock.mode < storage::RowLockMode::kNoKeyUpdate) continue;
      // A partitioned table has no rows of its own.
      if (lock.relation->table != nullptr) storage::search_to_change(state_.transaction(), *lock.relation->table);
      announce(lock.tables);
    }
  }

  // Locks the row in each table. False: it is gone, no longer qualifies, or is skipped.
  Result<bool> lock(const Chunk& chunk, uint32_t row) {
    bool changed = false;
    for (const sql::LockRowsPlan::Lock& named : plan_.locks) {
      const Vector& keys = (copied_ ? copy_ : chunk).columns[static_cast<size_t>(named.key_column)];
      if (keys.is_null(row)) continue;  // the null-extended side of an outer join
      const sql::LockRowsPlan::Lock& lock = own_table(named, chunk, row);
      storage::StorageStatus status = lock.relation->table->lock_row(
          state_.transaction(), state_.view(), keys.get<Str>(row), lock.mode, lock.wait, claimed_);
      if (status == storage::StorageStatus::kNotFound) return false;
      if (status == storage::StorageStatus::kWouldBlock && lock.wait == storage::LockWait::kSkip) return false;
      if (moved_away(state_.transaction(), status)) return claim_error(state_.transaction(), status, *lock.relation);
      if (status != storage::StorageStatus::kOk) return storage_error(status, lock.relation.get());
      if (claimed_.self_modified)
        return false;  // a function has changed it since, or what came after a cursor's opening
      if (!claimed_.changed || stays(lock, keys.get<Str>(row))) continue;
      changed = true;
      refresh(chunk, lock, row);
    }
    if (!changed || !recheck_) return true;
    auto r = static_cast<uint16_t>(row);
    std::unique_ptr<Error> error;
    Selection passed = recheck_.filter(Frame{{&copy_, nullptr}, row + 1}, {&r, 1}, error);
    if (error != nullptr) return error;
    return passed.count == 1;
  }

  // The row's own table, where the locked one stands for several.
  static const sql::LockRowsPlan::Lock& own_table(const sql::LockRowsPlan::Lock& lock, const Chunk& chunk,
                                                  uint32_t row) {
    if (lock.table_column < 0) return lock;
    const auto oid = static_cast<Oid>(chunk.columns[static_cast<size_t>(lock.table_column)].get<int32_t>(row));
    for (const sql::LockRowsPlan::Lock& t : lock.tables) {
      if (t.relation->oid == oid) return t;
    }
    return lock;
  }

  // FOR KEY SHARE keeps the key, which has not changed: the row stays as the snapshot has it.
  bool stays(const sql::LockRowsPlan::Lock& lock, Str key) const {
    if (lock.mode != storage::RowLockMode::kKeyShare || claimed_.key != key) return false;
    const catalog::RelationInfo& relation = *lock.relation;
    const auto is_key = [&](int16_t column) {
      return std::find(relation.key_columns.begin(), relation.key_columns.end(), column) != relation.key_columns.end();
    };
    return std::all_of(relation.referenced_by.begin(), relation.referenced_by.end(), [&](const auto& c) {
      return std::all_of(c.foreign_columns.begin(), c.foreign_columns.end(), is_key);
    });
  }

  void refresh(const Chunk& chunk, const sql::LockRowsPlan::Lock& lock, uint32_t row) {
    if (!copied_) {
      copied_ = true;
      copy_.columns.resize(chunk.columns.size());
      uint32_t extent = extent_of(chunk.selection);
      for (size_t c = 0; c < chunk.columns.size(); c++) {
        copy_.columns[c].init(chunk.columns[c].phys(), extent);
        for (uint32_t i = 0; i < chunk.selection.count; i++) {
          copy_.columns[c].copy_row(chunk.selection[i], chunk.columns[c], chunk.selection[i]);
        }
      }
    }
    auto put = [&](size_t column, Datum d) {
      if (d.phys == Phys::kStr && !d.null) d.str = arena_.copy(d.str);
      copy_.columns[column].set_datum(row, d);
    };
    for (auto [input, column] : lock.refresh) {
      put(static_cast<size_t>(input), lock.relation->layout.column(claimed_.row, static_cast<size_t>(column)));
    }
    put(static_cast<size_t>(lock.key_column), Datum::of(Str(claimed_.key)));
  }

  QueryState& state_;
  const sql::LockRowsPlan& plan_;
  Condition recheck_;
  OperatorPtr input_;
  storage::Claimed claimed_;
  Chunk copy_;
  SelectionBuffer kept_;
  Arena arena_;
  std::unique_ptr<Error> error_;
  bool copied_ = false;
};

}  // namespace

Result<OperatorPtr> make_lock_rows(Builder& b, const sql::LockRowsPlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  INDIGO_ASSIGN(Condition recheck, b.compile_condition(p.recheck));
  return OperatorPtr(std::make_unique<LockRowsOperator>(b.state(), p, std::move(recheck), std::move(input)));
}

}  // namespace indigo::engine::exec
