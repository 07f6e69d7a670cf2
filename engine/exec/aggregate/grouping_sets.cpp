// GroupingSets: one hash aggregation for each set, all fed by one pass over the input, answered set by set.
#include <algorithm>

#include "engine/exec/aggregate/aggregate_states.h"
#include "engine/exec/aggregate/group_table.h"
#include "engine/exec/aggregate/grouping.h"
#include "engine/exec/operators.h"
#include "sql/analyze/make.h"
#include "storage/table.h"
#include "types/oids.h"

namespace indigo::engine::exec {
namespace {

struct GroupingSetState {
  std::vector<size_t> columns;  // of the group list
  GroupTable table;
  std::vector<AggregateCall> calls;
  AggregateStates states;
  std::vector<int32_t> bitmaps;  // one for each GROUPING() call
};

class GroupingSetsOperator final : public Operator {
 public:
  GroupingSetsOperator(QueryState& state, ExpressionSet groups, std::vector<std::unique_ptr<GroupingSetState>> sets,
                       size_t aggregates, OperatorPtr input)
      : state_(state),
        groups_(std::move(groups)),
        sets_(std::move(sets)),
        aggregates_(aggregates),
        input_(std::move(input)) {}

  Status open(Open mode) override {
    drop();
    return input_->open(mode);
  }
  void close() override {
    input_->close();
    drop();
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (!built_) INDIGO_TRY(build());
    while (set_ < sets_.size() && at_ == sets_[set_]->states.size()) {
      set_++;
      at_ = 0;
    }
    if (set_ == sets_.size()) return nullptr;
    GroupingSetState& s = *sets_[set_];
    arena_.reset();
    ArenaScope scope(state_, arena_);
    uint32_t n = std::min(max_rows, s.states.size() - at_);
    picked_.resize(n);
    for (uint32_t i = 0; i < n; i++) picked_[i] = at_ + i;
    size_t keys = groups_.size();
    out_.columns.resize(keys + aggregates_ + s.bitmaps.size());
    for (size_t k = 0; k < keys; k++) out_.columns[k].set_constant(Datum::make_null(groups_.node(k).phys));
    for (size_t i = 0; i < s.columns.size(); i++) s.table.keys().gather(i, picked_, out_.columns[s.columns[i]]);
    INDIGO_TRY(s.states.finalize(state_, at_, n, out_.columns.data() + keys));
    for (size_t g = 0; g < s.bitmaps.size(); g++)
      out_.columns[keys + aggregates_ + g].set_constant(Datum::of(s.bitmaps[g]));
    at_ += n;
    out_.selection = {nullptr, n};
    return &out_;
  }

 private:
  void drop() {
    for (auto& s : sets_) {
      s->states.clear();
      s->table.clear();
    }
    built_ = false;
    set_ = 0;
    at_ = 0;
  }

  Status build() {
    std::vector<const Vector*> keys;
    std::vector<uint32_t> group_of(kChunkRows);
    while (true) {
      INDIGO_ASSIGN(Chunk * chunk, input_->next(kChunkRows));
      if (chunk == nullptr) break;
      INDIGO_TRY(state_.check());
      arena_.reset();
      ArenaScope scope(state_, arena_);
      std::unique_ptr<Error> error;
      Frame frame{{chunk, nullptr}, extent_of(chunk->selection)};
      if (groups_.evaluate(frame, chunk->selection, error) < chunk->selection.count) return error;
      uint64_t bytes = 0;
      for (auto& s : sets_) {
        keys.clear();
        for (size_t c : s->columns) keys.push_back(&groups_[c]);
        if (keys.empty()) {
          std::fill_n(group_of.begin(), chunk->selection.count, 0u);
          if (s->states.size() == 0) s->states.add();
        } else {
          s->table.find_or_add(keys, chunk->selection, group_of.data());
          while (s->states.size() < s->table.size()) s->states.add();
        }
        bytes += s->table.bytes() + s->states.bytes();
        INDIGO_TRY(s->states.accumulate(state_, frame, chunk->selection, group_of.data()));
        for (const AggregateCall& call : s->calls) bytes += call.bytes();
      }
      counters().note_memory(bytes);
      INDIGO_TRY(state_.check_memory(bytes));
    }
    arena_.reset();
    ArenaScope scope(state_, arena_);
    for (auto& s : sets_) {
      if (s->columns.empty() && s->states.size() == 0) s->states.add();  // the empty set has its row even over no rows
      for (AggregateCall& call : s->calls) INDIGO_TRY(call.flush(state_, s->states.size(), s->states.data()));
    }
    built_ = true;
    return {};
  }

  QueryState& state_;
  ExpressionSet groups_;
  std::vector<std::unique_ptr<GroupingSetState>> sets_;
  size_t aggregates_;
  OperatorPtr input_;
  Arena arena_;
  Chunk out_;
  std::vector<uint32_t> picked_;
  size_t set_ = 0;
  uint32_t at_ = 0;
  bool built_ = false;
};

// The expression where those columns of the group list are null.
sql::ExprPtr with_nulls(Builder& b, const sql::ExprPtr& e, const sql::ExprList& absent) {
  for (const sql::ExprPtr& column : absent)
    if (sql::equal(column, e)) return sql::make_const(e->type, Datum::make_null(b.phys_of(e->type)));
  return sql::map_children(e, [&](const sql::ExprPtr& child) { return with_nulls(b, child, absent); });
}

// Direct arguments are of the group, where the columns that are not in its set are null.
sql::AggregatePlan for_set(Builder& b, const sql::GroupingSetsPlan& p, const std::vector<size_t>& columns) {
  sql::AggregatePlan out;
  out.aggregates = p.aggregates;
  sql::ExprList absent;
  for (size_t c = 0; c < p.groups.size(); c++)
    if (std::find(columns.begin(), columns.end(), c) == columns.end()) absent.push_back(p.groups[c]);
  for (auto& aggregate : out.aggregates) {
    if (aggregate->direct.empty()) continue;
    auto copy = std::make_shared<sql::AggregateExpr>(*aggregate);
    for (sql::ExprPtr& direct : copy->direct) direct = with_nulls(b, direct, absent);
    aggregate = std::move(copy);
  }
  return out;
}

}  // namespace

Result<OperatorPtr> make_grouping_sets(Builder& b, const sql::GroupingSetsPlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  INDIGO_ASSIGN(ExpressionSet groups, b.compile_all(p.groups));
  std::vector<std::unique_ptr<GroupingSetState>> sets;
  for (const sql::GroupingSet& set : p.sets) {
    auto s = std::make_unique<GroupingSetState>();
    std::vector<types::TypeRef> types;
    std::vector<Phys> phys;
    for (int c : set.columns) {
      auto column = static_cast<size_t>(c);
      if (std::find(s->columns.begin(), s->columns.end(), column) != s->columns.end()) continue;
      s->columns.push_back(column);
      types.push_back(p.groups[column]->type);
      phys.push_back(b.phys_of(p.groups[column]->type));
    }
    INDIGO_ASSIGN(KeyOps ops, KeyOps::make(b, types));
    s->table.init(std::move(ops), std::move(phys));
    INDIGO_ASSIGN(s->calls, Grouping::make_calls(b, for_set(b, p, s->columns)));
    s->states.init(s->calls);
    for (const std::vector<int>& grouping : p.groupings) {
      int32_t bitmap = 0;
      for (int c : grouping) {
        bool absent = std::find(s->columns.begin(), s->columns.end(), static_cast<size_t>(c)) == s->columns.end();
        bitmap = bitmap * 2 + (absent ? 1 : 0);
      }
      s->bitmaps.push_back(bitmap);
    }
    sets.push_back(std::move(s));
  }
  return OperatorPtr(std::make_unique<GroupingSetsOperator>(b.state(), std::move(groups), std::move(sets),
                                                            p.aggregates.size(), std::move(input)));
}

}  // namespace indigo::engine::exec
