// HashAggregate: groups in a hash table, answered in order of their first row. When they outgrow work_mem, and there is a place for
// temporary files, the rows of further groups go there, in partitions by their hashes, which are aggregated one after the other.
#include <algorithm>
#include <array>
#include <utility>

#include "engine/exec/aggregate/aggregate_states.h"
#include "engine/exec/aggregate/group_table.h"
#include "engine/exec/aggregate/grouping.h"
#include "engine/exec/operators.h"
#include "engine/exec/spill/spilled_rows.h"

namespace indigo::engine::exec {
namespace {

class HashAggregateOperator final : public Operator {
 public:
  HashAggregateOperator(QueryState& state, Grouping grouping, std::vector<Phys> columns, OperatorPtr input)
      : state_(state),
        columns_(std::move(columns)),
        groups_(std::move(grouping.columns)),
        calls_(std::move(grouping.calls)),
        input_(std::move(input)) {
    table_.init(std::move(grouping.ops), std::move(grouping.phys));
    states_.init(calls_);
  }

  Status open(Open mode) override {
    at_ = 0;
    uint64_t generation = state_.generation(slots());
    if (mode == Open::kAgain && built_ && !spilled_ && generation == generation_) return {};
    generation_ = generation;
    drop();
    return input_->open(mode);
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (!built_) INDIGO_TRY(build());
    while (at_ == states_.size()) {
      if (waiting_.empty()) return nullptr;
      INDIGO_TRY(build_next_partition());
    }
    arena_.reset();
    ArenaScope scope(state_, arena_);
    uint32_t n = std::min(states_.size() - at_, max_rows);
    picked_.resize(n);
    for (uint32_t i = 0; i < n; i++) picked_[i] = at_ + i;
    size_t keys = groups_.size();
    out_.columns.resize(keys + calls_.size());
    for (size_t k = 0; k < keys; k++) table_.keys().gather(k, picked_, out_.columns[k]);
    INDIGO_TRY(states_.finalize(state_, at_, n, out_.columns.data() + keys));
    at_ += n;
    out_.selection = {nullptr, n};
    return &out_;
  }

  void close() override {
    input_->close();
    drop();
  }

 private:
  // Rows whose groups had no room; how often their like has been divided.
  struct Partition {
    std::unique_ptr<SpilledRows> rows;
    uint32_t depth = 0;
  };
  static constexpr uint32_t kPartitionBits = 4, kDepthMax = 8;

  void drop() {
    states_.clear();
    table_.clear();
    built_ = spilled_ = false;
    batches_ = 1;
    disk_bytes_ = 0;
    current_ = {};
    for (auto& partition : partitions_) partition.reset();
    waiting_.clear();
  }

  Status build_next_partition() {
    states_.clear();
    table_.clear();
    at_ = 0;
    current_ = std::move(waiting_.back());
    waiting_.pop_back();
    return build();
  }

  Result<Chunk*> next_rows() { return current_.rows != nullptr ? current_.rows->next() : input_->next(kChunkRows); }

  // The rows of groups that are there; the others go to the partitions.
  Result<Selection> divide(const Chunk& chunk, SpillSpace& space) {
    table_.find(keys_, chunk.selection, group_of_);
    columns_of_chunk_.clear();
    for (const Vector& v : chunk.columns) columns_of_chunk_.push_back(&v);
    uint16_t* known = known_.reserve(chunk.selection.count);
    uint32_t n = 0;
    for (uint32_t i = 0; i < chunk.selection.count; i++) {
      const uint32_t row = chunk.selection[i];
      if (group_of_[i] != GroupTable::kNone) {
        group_of_[n] = group_of_[i];
        known[n++] = static_cast<uint16_t>(row);
        continue;
      }
      const uint64_t hash = table_.row_hashes()[row];
      auto& partition = partitions_[hash >> (64 - kPartitionBits * (current_.depth + 1)) & (partitions_.size() - 1)];
      if (partition == nullptr) {
        INDIGO_ASSIGN(partition, SpilledRows::make(space, columns_));
      }
      INDIGO_TRY(partition->add(columns_of_chunk_, row));
    }
    return Selection{known, n};
  }

  // The partitions that have been filled wait for their turn.
  void keep_partitions() {
    for (auto& partition : partitions_) {
      if (partition == nullptr) continue;
      batches_++;
      disk_bytes_ += partition->bytes();
      waiting_.push_back({std::exchange(partition, nullptr), current_.depth + 1});
    }
    counters().note_disk(batches_, disk_bytes_);
    current_ = {};
  }

  Status build() {
    std::unique_ptr<Error> error;
    SpillSpace* const space = current_.depth < kDepthMax ? state_.context().spill : nullptr;
    bool full = false;
    while (true) {
      INDIGO_ASSIGN(Chunk * chunk, next_rows());
      if (chunk == nullptr) break;
      INDIGO_TRY(state_.check());
      arena_.reset();
      ArenaScope scope(state_, arena_);
      Frame frame{{chunk, nullptr}, extent_of(chunk->selection)};
      if (groups_.evaluate(frame, chunk->selection, error) < chunk->selection.count) return error;
      keys_.clear();
      for (size_t i = 0; i < groups_.size(); i++) keys_.push_back(&groups_[i]);
      Selection rows = chunk->selection;
      if (full) {
        INDIGO_ASSIGN(rows, divide(*chunk, *space));
        if (rows.count == 0) continue;
      } else {
        table_.find_or_add(keys_, rows, group_of_);
        while (states_.size() < table_.size()) states_.add();
      }
      uint64_t bytes = table_.bytes() + states_.bytes();
      INDIGO_TRY(states_.accumulate(state_, frame, rows, group_of_));
      for (const AggregateCall& call : calls_) bytes += call.bytes();
      counters().note_memory(bytes);
      if (space != nullptr && bytes > space->memory_bytes && table_.size() > kChunkRows) full = spilled_ = true;
      if (!full) INDIGO_TRY(state_.check_memory(bytes));
    }
    keep_partitions();
    arena_.reset();
    ArenaScope scope(state_, arena_);
    if (groups_.empty() && states_.size() == 0) states_.add();
    for (AggregateCall& call : calls_) INDIGO_TRY(call.flush(state_, states_.size(), states_.data()));
    built_ = true;
    return {};
  }

  QueryState& state_;
  std::vector<Phys> columns_;  // of the input
  ExpressionSet groups_;
  std::vector<AggregateCall> calls_;
  OperatorPtr input_;
  GroupTable table_;
  AggregateStates states_;
  Arena arena_;
  Chunk out_;
  std::vector<const Vector*> keys_;
  std::vector<uint32_t> picked_;
  uint32_t group_of_[kChunkRows];
  uint32_t at_ = 0;
  uint64_t generation_ = 0;
  bool built_ = false;
  bool spilled_ = false;  // not all groups of the input are, or were, in memory
  Partition current_;     // that is read in the input's place
  std::array<std::unique_ptr<SpilledRows>, size_t{1} << kPartitionBits> partitions_;
  std::vector<Partition> waiting_;
  uint64_t batches_ = 1, disk_bytes_ = 0;
  std::vector<const Vector*> columns_of_chunk_;
  SelectionBuffer known_;
};

}  // namespace

Result<OperatorPtr> make_hash_aggregate(Builder& b, const sql::HashAggregatePlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  INDIGO_ASSIGN(Grouping grouping, Grouping::make(b, p));
  return OperatorPtr(std::make_unique<HashAggregateOperator>(b.state(), std::move(grouping),
                                                             b.phys_of(p.inputs[0]->columns), std::move(input)));
}

}  // namespace indigo::engine::exec
