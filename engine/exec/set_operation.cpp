// INTERSECT and EXCEPT, with and without ALL, by counting rows of both sides in a hash table. Answers come in the order in
// which the left side brought its rows. (UNION is Append and Distinct.)
#include <algorithm>

#include "engine/exec/aggregate/group_table.h"
#include "engine/exec/operators.h"

namespace indigo::engine::exec {
namespace {

class SetOperationOperator final : public Operator {
 public:
  SetOperationOperator(QueryState& state, const sql::SetOperationPlan& plan, KeyOps ops, std::vector<Phys> phys,
                       OperatorPtr left, OperatorPtr right)
      : state_(state),
        intersect_(plan.op == sql::SetOperation::kIntersect),
        all_(plan.all),
        left_(std::move(left)),
        right_(std::move(right)) {
    table_.init(std::move(ops), std::move(phys));
  }

  Status open(Open mode) override {
    table_.clear();
    counts_.clear();
    built_ = false;
    at_ = 0;
    INDIGO_TRY(left_->open(mode));
    return right_->open(mode);
  }
  void close() override {
    left_->close();
    right_->close();
    table_.clear();
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (!built_) INDIGO_TRY(build());
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

 private:
  struct Counts {
    uint64_t left = 0, right = 0;
  };

  uint64_t copies(const Counts& c) const {
    if (intersect_) return all_ ? std::min(c.left, c.right) : (c.left > 0 && c.right > 0);
    if (all_) return c.left > c.right ? c.left - c.right : 0;
    return c.left > 0 && c.right == 0;
  }

  Status build() {
    built_ = true;
    left_to_emit_ = UINT64_MAX;
    INDIGO_TRY(count(*left_, true));
    return count(*right_, false);
  }

  Status count(Operator& input, bool left) {
    while (true) {
      INDIGO_ASSIGN(Chunk * chunk, input.next(kChunkRows));
      if (chunk == nullptr) return {};
      INDIGO_TRY(state_.check());
      point_at(*chunk, keys_);
      if (left) {
        table_.find_or_add(keys_, chunk->selection, groups_);
        counts_.resize(table_.size());
      } else {
        table_.find(keys_, chunk->selection, groups_);
      }
      for (uint32_t i = 0; i < chunk->selection.count; i++) {
        if (groups_[i] == GroupTable::kNone) continue;
        (left ? counts_[groups_[i]].left : counts_[groups_[i]].right)++;
      }
      INDIGO_TRY(state_.check_memory(table_.bytes() + counts_.size() * sizeof(Counts)));
    }
  }

  QueryState& state_;
  bool intersect_, all_;
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
