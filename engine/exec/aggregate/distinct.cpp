// DISTINCT and DISTINCT ON: the first row of each key, in order of arrival.
//
// When hashed keys outgrow work_mem, and there is a place for temporary files, the rows with other keys go there with their
// numbers, by their hashes. The first ones of each part are merged by the numbers when the input has ended.
#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "engine/exec/aggregate/group_table.h"
#include "engine/exec/operators.h"
#include "engine/exec/spill/partitioned_rows.h"
#include "engine/exec/spill/sorted_runs.h"

namespace indigo::engine::exec {
namespace {

class DistinctOperator final : public Operator {
 public:
  DistinctOperator(QueryState& state, ExpressionSet on, KeyOps ops, std::vector<Phys> phys, std::vector<Phys> columns,
                   bool sorted, OperatorPtr input)
      : state_(state),
        on_(std::move(on)),
        ops_(ops),
        columns_(std::move(columns)),
        sorted_(sorted),
        input_(std::move(input)) {
    last_.init(phys);
    table_.init(std::move(ops), std::move(phys));
  }

  Status open(Open mode) override {
    drop();
    return input_->open(mode);
  }
  void close() override {
    input_->close();
    drop();
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (merged_ != nullptr) return merged_->next(max_rows);
    while (true) {
      if (error_ != nullptr) return std::move(error_);
      INDIGO_ASSIGN(Chunk * chunk, input_->next(max_rows));
      if (chunk == nullptr) {
        if (parts_ == nullptr) return nullptr;
        INDIGO_TRY(merge_parts());
        return merged_->next(max_rows);
      }
      INDIGO_TRY(state_.check());
      arena_.reset();
      ArenaScope scope(state_, arena_);
      Selection rows = chunk->selection;
      rows.count = on_.evaluate(Frame{{chunk, nullptr}, extent_of(rows)}, rows, error_);
      if (rows.count == 0) continue;
      keys_.clear();
      for (size_t i = 0; i < on_.size(); i++) keys_.push_back(&on_[i]);
      if (parts_ != nullptr) {
        INDIGO_TRY(keep_unknown(*chunk, rows));
        continue;
      }
      uint16_t* kept = kept_.reserve(rows.count);
      uint32_t n = sorted_ ? pick_sorted(rows, kept) : pick_hashed(rows, kept);
      if (!sorted_) INDIGO_TRY(look_at_memory(0, true));
      if (n == 0) continue;
      chunk->selection = {kept, n};
      return chunk;
    }
  }

 private:
  // Rows of keys that had no room, in order, and how often their like has been divided.
  struct Part {
    std::unique_ptr<SpilledRows> rows;
    uint32_t depth = 0;
    bool divisible = false;
  };

  void drop() {
    table_.clear();
    last_.clear();
    error_ = nullptr;
    parts_ = nullptr;
    waiting_.clear();
    merged_ = nullptr;
    number_ = 0;
    batches_ = 1;
    disk_bytes_ = 0;
  }

  // No key is added any more when they take too much and their rows may be divided.
  Status look_at_memory(uint32_t depth, bool divisible) {
    counters().note_memory(table_.bytes());
    SpillSpace* const space = state_.context().spill;
    if (space == nullptr || !divisible || depth == PartitionedRows::kDepthMax ||
        table_.bytes() <= space->memory_bytes || table_.size() <= kChunkRows) {
      return state_.check_memory(table_.bytes());
    }
    std::vector<Phys> columns = columns_;
    columns.push_back(Phys::kI64);
    parts_ = std::make_unique<PartitionedRows>(*space, std::move(columns), depth);
    return {};
  }

  // The input's rows whose keys are not in the table go to the parts, with their numbers.
  Status keep_unknown(const Chunk& chunk, Selection rows) {
    point_at(chunk, row_);
    row_.push_back(&numbers_);
    table_.find(keys_, rows, groups_);
    for (uint32_t i = 0; i < rows.count; i++) {
      if (groups_[i] != GroupTable::kNone) continue;
      numbers_.set(rows[i], number_++);
      INDIGO_TRY(parts_->add(table_.row_hashes()[rows[i]] & kHashBits, row_, rows[i]));
    }
    return {};
  }

  // What has been added waits for its turn.
  void end_parts(uint32_t depth) {
    disk_bytes_ += parts_->bytes();
    for (uint32_t i = PartitionedRows::kParts; i-- > 0;) {
      if (!parts_->has(i)) continue;
      waiting_.push_back({parts_->take(i), depth + 1, !parts_->alike(i)});
      batches_++;
    }
    parts_ = nullptr;
    counters().note_disk(batches_, disk_bytes_);
  }

  Status merge_parts() {
    merged_ = std::make_unique<SortedRuns>(*state_.context().spill, columns_, [this] { return state_.check(); });
    end_parts(0);
    while (!waiting_.empty()) {
      Part part = std::move(waiting_.back());
      waiting_.pop_back();
      INDIGO_TRY(pick_part(part));
      INDIGO_TRY(merged_->end_run());
      if (parts_ != nullptr) end_parts(part.depth);
    }
    table_.clear();
    return merged_->rewind();
  }

  // The first row of each key, as far as there is room for them.
  Status pick_part(Part& part) {
    table_.clear();
    while (true) {
      INDIGO_ASSIGN(Chunk * chunk, part.rows->next());
      if (chunk == nullptr) return {};
      INDIGO_TRY(state_.check());
      arena_.reset();
      ArenaScope scope(state_, arena_);
      const Selection rows = chunk->selection;
      if (on_.evaluate(Frame{{chunk, nullptr}, extent_of(rows)}, rows, error_) < rows.count) return std::move(error_);
      keys_.clear();
      for (size_t i = 0; i < on_.size(); i++) keys_.push_back(&on_[i]);
      point_at(*chunk, row_);
      if (parts_ != nullptr) {
        table_.find(keys_, rows, groups_);
        for (uint32_t i = 0; i < rows.count; i++) {
          if (groups_[i] == GroupTable::kNone) INDIGO_TRY(parts_->add(table_.row_hashes()[i] & kHashBits, row_, i));
        }
        continue;
      }
      uint16_t* kept = kept_.reserve(rows.count);
      const uint32_t n = pick_hashed(rows, kept);
      const Vector& numbers = *row_.back();
      row_.pop_back();
      for (uint32_t i = 0; i < n; i++) {
        const uint64_t number = big_endian(numbers.get<uint64_t>(kept[i]));
        INDIGO_TRY(merged_->add({reinterpret_cast<const char*>(&number), sizeof number}, row_, kept[i]));
      }
      INDIGO_TRY(look_at_memory(part.depth, part.divisible));
    }
  }

  uint32_t pick_hashed(Selection rows, uint16_t* kept) {
    uint32_t n = 0, before = table_.size();
    table_.find_or_add(keys_, rows, groups_);
    for (uint32_t i = 0; i < rows.count; i++) {
      if (groups_[i] != before) continue;  // not the next new group: its first row was seen
      kept[n++] = static_cast<uint16_t>(rows[i]);
      before++;
    }
    return n;
  }
  uint32_t pick_sorted(Selection rows, uint16_t* kept) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < rows.count; i++) {
      bool same = i == 0 ? last_.rows() > 0 && ops_.equal(keys_, rows[i], last_, 0, 0)
                         : ops_.equal(keys_, rows[i], keys_, rows[i - 1]);
      if (!same) kept[n++] = static_cast<uint16_t>(rows[i]);
    }
    last_.clear();
    auto row = static_cast<uint16_t>(rows[rows.count - 1]);
    last_.append(keys_, {&row, 1});
    return n;
  }

  QueryState& state_;
  ExpressionSet on_;
  static constexpr uint64_t kHashBits = ~uint64_t{0} >> 1;  // that parts are made by

  KeyOps ops_;
  const std::vector<Phys> columns_;  // of the input
  bool sorted_;
  OperatorPtr input_;
  GroupTable table_;
  RowStore last_;
  std::vector<const Vector*> keys_;
  SelectionBuffer kept_;
  uint32_t groups_[kChunkRows];
  Arena arena_;
  std::unique_ptr<Error> error_;

  std::unique_ptr<PartitionedRows> parts_;  // of rows whose keys have no room
  std::vector<Part> waiting_;
  std::unique_ptr<SortedRuns> merged_;  // the parts' rows that are answered, by number
  std::vector<const Vector*> row_;
  Vector numbers_{Phys::kI64};
  uint64_t number_ = 0, batches_ = 1, disk_bytes_ = 0;
};

}  // namespace

Result<OperatorPtr> make_distinct(Builder& b, const sql::DistinctPlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  std::vector<types::TypeRef> types;
  std::vector<Phys> phys;
  for (const sql::ExprPtr& e : p.on) {
    types.push_back(e->type);
    phys.push_back(b.phys_of(e->type));
  }
  INDIGO_ASSIGN(ExpressionSet on, b.compile_all(p.on));
  INDIGO_ASSIGN(KeyOps ops, KeyOps::make(b, types));
  return OperatorPtr(std::make_unique<DistinctOperator>(b.state(), std::move(on), std::move(ops), std::move(phys),
                                                        b.phys_of(p.inputs[0]->columns), p.sorted, std::move(input)));
}

}  // namespace indigo::engine::exec
