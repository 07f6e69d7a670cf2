// INTERSECT and EXCEPT, with and without ALL, by counting rows of both sides in a hash table. Answers come in the order in
// which the left side brought its rows. (UNION is Append and Distinct.)
//
// When they outgrow work_mem, and there is a place for temporary files, other rows of both sides go there, in parts by their
// hashes, which are counted one after the other, and answered in that order.
#include <algorithm>

#include "engine/exec/aggregate/group_table.h"
#include "engine/exec/operators.h"
#include "engine/exec/spill/partitioned_rows.h"

namespace indigo::engine::exec {
namespace {

class SetOperationOperator final : public Operator {
 public:
  SetOperationOperator(QueryState& state, const sql::SetOperationPlan& plan, KeyOps ops, std::vector<Phys> phys,
                       OperatorPtr left, OperatorPtr right)
      : state_(state),
        intersect_(plan.op == sql::SetOperation::kIntersect),
        all_(plan.all),
        columns_(phys),
        left_(std::move(left)),
        right_(std::move(right)) {
    table_.init(std::move(ops), std::move(phys));
  }

  Status open(Open mode) override {
    drop();
    built_ = false;
    batches_ = 1;
    disk_bytes_ = 0;
    INDIGO_TRY(left_->open(mode));
    return right_->open(mode);
  }
  void close() override {
    left_->close();
    right_->close();
    drop();
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (!built_) {
      built_ = true;
      INDIGO_TRY(build(Part()));
    }
    while (true) {
      INDIGO_ASSIGN(Chunk * chunk, answer(max_rows));
      if (chunk != nullptr || waiting_.empty()) return chunk;
      const Part part = std::move(waiting_.back());
      waiting_.pop_back();
      INDIGO_TRY(build(part));
    }
  }

 private:
  struct Counts {
    uint64_t left = 0, right = 0;
  };
  // Rows of both sides that had no room, and how often their like has been divided; 0: the inputs.
  struct Part {
    std::unique_ptr<SpilledRows> left, right;
    uint32_t depth = 0;
    bool divisible = true;
  };

  void drop() {
    table_.clear();
    counts_.clear();
    at_ = 0;
    lefts_ = nullptr;
    rights_ = nullptr;
    waiting_.clear();
  }

  Result<Chunk*> answer(uint32_t max_rows) {
    picked_.clear();
    while (at_ < counts_.size() && picked_.size() < max_rows) {
      if (left_to_emit_ == UINT64_MAX) left_to_emit_ = copies(counts_[at_]);
      if (left_to_emit_ == 0) {
        at_++;
        left_to_emit_ = UINT64_MAX;
        continue;
      }
      picked_.push_back(static_cast<uint32_t>(at_));
      left_to_emit_--;
    }
    if (picked_.empty()) return nullptr;
    table_.keys().gather(picked_, out_);
    return &out_;
  }

  uint64_t copies(const Counts& c) const {
    if (intersect_) return all_ ? std::min(c.left, c.right) : (c.left > 0 && c.right > 0);
    if (all_) return c.left > c.right ? c.left - c.right : 0;
    return c.left > 0 && c.right == 0;
  }

  Status build(const Part& part) {
    table_.clear();
    counts_.clear();
    at_ = 0;
    left_to_emit_ = UINT64_MAX;
    INDIGO_TRY(count(part, true));
    INDIGO_TRY(count(part, false));
    if (lefts_ != nullptr) end_parts(part.depth);
    return {};
  }

  Result<Chunk*> next_rows(const Part& part, bool left) {
    if (part.depth == 0) return (left ? left_ : right_)->next(kChunkRows);
    SpilledRows* const rows = (left ? part.left : part.right).get();
    return rows != nullptr ? rows->next() : nullptr;
  }

  Status count(const Part& part, bool left) {
    while (true) {
      INDIGO_ASSIGN(Chunk * chunk, next_rows(part, left));
      if (chunk == nullptr) return {};
      INDIGO_TRY(state_.check());
      point_at(*chunk, keys_);
      if (left && lefts_ == nullptr) {
        table_.find_or_add(keys_, chunk->selection, groups_);
        counts_.resize(table_.size());
      } else {
        table_.find(keys_, chunk->selection, groups_);
        if (lefts_ != nullptr) INDIGO_TRY(keep_unknown(chunk->selection, left));
      }
      for (uint32_t i = 0; i < chunk->selection.count; i++) {
        if (groups_[i] == GroupTable::kNone) continue;
        (left ? counts_[groups_[i]].left : counts_[groups_[i]].right)++;
      }
      INDIGO_TRY(look_at_memory(part));
    }
  }

  // No row is added any more when they take too much and may be divided.
  Status look_at_memory(const Part& part) {
    const uint64_t bytes = table_.bytes() + counts_.size() * sizeof(Counts);
    SpillSpace* const space = state_.context().spill;
    if (lefts_ != nullptr) return {};
    if (space == nullptr || !part.divisible || part.depth == PartitionedRows::kDepthMax ||
        bytes <= space->memory_bytes || table_.size() <= kChunkRows) {
      return state_.check_memory(bytes);
    }
    lefts_ = std::make_unique<PartitionedRows>(*space, columns_, part.depth);
    rights_ = std::make_unique<PartitionedRows>(*space, columns_, part.depth);
    return {};
  }

  // Rows that are not in the table; right ones only where the left side has some that may be the same.
  Status keep_unknown(Selection rows, bool left) {
    for (uint32_t i = 0; i < rows.count; i++) {
      if (groups_[i] != GroupTable::kNone) continue;
      const uint64_t hash = table_.row_hashes()[rows[i]] & kHashBits;
      if (left) {
        INDIGO_TRY(lefts_->add(hash, keys_, rows[i]));
      } else if (lefts_->has(lefts_->part_of(hash))) {
        INDIGO_TRY(rights_->add(hash, keys_, rows[i]));
      }
    }
    return {};
  }

  void end_parts(uint32_t depth) {
    disk_bytes_ += lefts_->bytes() + rights_->bytes();
    for (uint32_t i = PartitionedRows::kParts; i-- > 0;) {
      if (!lefts_->has(i)) continue;
      waiting_.push_back({lefts_->take(i), rights_->take(i), depth + 1, !lefts_->alike(i)});
      batches_++;
    }
    lefts_ = nullptr;
    rights_ = nullptr;
    counters().note_disk(batches_, disk_bytes_);
  }

  static constexpr uint64_t kHashBits = ~uint64_t{0} >> 1;  // that parts are made by

  QueryState& state_;
  bool intersect_, all_;
  const std::vector<Phys> columns_;
  OperatorPtr left_, right_;
  GroupTable table_;
  std::vector<Counts> counts_;
  std::vector<const Vector*> keys_;
  std::vector<uint32_t> picked_;
  uint32_t groups_[kChunkRows];
  Chunk out_;
  size_t at_ = 0;
  uint64_t left_to_emit_ = UINT64_MAX;
  bool built_ = false;
  std::unique_ptr<PartitionedRows> lefts_, rights_;  // of rows that have no room
  std::vector<Part> waiting_;
  uint64_t batches_ = 1, disk_bytes_ = 0;
};

}  // namespace

Result<OperatorPtr> make_set_operation(Builder& b, const sql::SetOperationPlan& p) {
  INDIGO_ASSIGN(OperatorPtr left, b.build(p.inputs[0]));
  INDIGO_ASSIGN(OperatorPtr right, b.build(p.inputs[1]));
  std::vector<types::TypeRef> types;
  for (const sql::PlanColumn& c : p.columns) types.push_back(c.type);
  INDIGO_ASSIGN(KeyOps ops, KeyOps::make(b, types));
  return OperatorPtr(std::make_unique<SetOperationOperator>(b.state(), p, std::move(ops), b.phys_of(p.columns),
                                                            std::move(left), std::move(right)));
}

}  // namespace indigo::engine::exec
