// Subqueries in expressions that the planner has left as such: run again for each row that reaches them with values that have
// not been seen before.
//
// An uncorrelated ANY with equalities (`hashed`) is answered from a hash table of the subquery's rows. An EXISTS may have such an
// ANY as its `test`: it takes over when running the subquery again and again has cost more than it does.
#include <algorithm>

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "engine/exec/aggregate/group_table.h"
#include "engine/exec/expression/expression_nodes.h"
#include "engine/exec/expression/subplan_cache.h"
#include "types/oids.h"

namespace indigo::engine::exec {
namespace {

using Form = sql::SubLinkExpr::Form;

class SubPlanNode : public Node {
 public:
  SubPlanNode(QueryState& state, const sql::SubPlanExpr& e, ExpressionSet passes, NodePtr test, size_t column)
      : Node(state), e_(e), passes_(std::move(passes)), test_(std::move(test)), column_(column) {}

  // The alternative that an EXISTS has with it may take over.
  void may_ask_all() {
    const sql::Plan& one = shape();
    const auto& any = sql::as<sql::SubPlanExpr>(*sql::as<sql::BooleanTestExpr>(*e_.test).argument);
    const sql::Plan& all = *state_.statement().subplans[static_cast<size_t>(any.subplan)];
    run_cost_ = one.startup_cost + (one.total_cost - one.startup_cost) / std::max(1.0, one.rows);
    patience_ = kPatience * (all.total_cost + all.rows * kHashedRowCost);
  }

  // What it answers depends on the values passed and on these slots alone.
  void remember_answers(std::vector<int> other_slots) {
    remembers_ = true;
    other_slots_ = std::move(other_slots);
  }

  const Vector& evaluate(const Frame& frame, Selection selection) override {
    out_.init(phys, frame.extent);
    for (uint32_t i = 0; i < selection.count && !failed(); i++) {
      const bool all = patience_ > 0 && run_ == state_.run() && static_cast<double>(runs_) * run_cost_ > patience_;
      Status status = all ? ask_all(frame, selection, i) : evaluate_row(frame, selection[i]);
      if (!status.ok()) functions().fail(std::move(*status.take_error()));
      if (all) break;
    }
    return out_;
  }

 protected:
  Operator& plan() { return *state_.subplans()[static_cast<size_t>(e_.subplan)]; }
  const sql::Plan& shape() const { return *state_.statement().subplans[static_cast<size_t>(e_.subplan)]; }

  Status evaluate_passes(const Frame& frame, uint32_t row) {
    if (passes_.empty()) return {};
    auto r = static_cast<uint16_t>(row);
    std::unique_ptr<Error> error;
    if (passes_.evaluate(frame, {&r, 1}, error) == 0) return error;
    return {};
  }
  Status start(const Frame& frame, uint32_t row) {
    INDIGO_TRY(evaluate_passes(frame, row));
    return start_passed(row);
  }
  Status start_passed(uint32_t row) {
    INDIGO_TRY(check_stack_depth());
    for (size_t i = 0; i < e_.passes.size() && !passes_.empty(); i++) {
      state_.set_slot(e_.passes[i].to, passes_[i].datum(row));
    }
    Open mode = run_ == state_.run() ? Open::kAgain : Open::kFresh;
    if (mode == Open::kFresh) runs_ = 0;
    run_ = state_.run();
    runs_++;
    return plan().open(mode);
  }

  // The rows from selection[first] on by the alternative.
  Status ask_all(const Frame& frame, Selection selection, uint32_t first) {
    if (instead_ == nullptr) {
      Builder builder(state_);
      INDIGO_ASSIGN(instead_, builder.compile(e_.test));
    }
    rest_.clear();
    for (uint32_t i = first; i < selection.count; i++) rest_.push_back(static_cast<uint16_t>(selection[i]));
    if (rest_.empty()) return {};
    const Selection rest{rest_.data(), static_cast<uint32_t>(rest_.size())};
    const Vector& values = instead_->evaluate(frame, rest);
    if (failed()) return functions().take_error();
    for (const uint16_t r : rest_) out_.set_datum(r, values.datum(r));
    return {};
  }

  virtual Status evaluate_row(const Frame& frame, uint32_t row) {
    if (remembers_) return evaluate_remembered(frame, row);
    INDIGO_TRY(start(frame, row));
    if (e_.form == Form::kAny || e_.form == Form::kAll) return compare_all(frame, row);
    if (e_.form == Form::kRowCompare) {
      INDIGO_TRY(run_subquery(state_, plan(), shape(), Form::kScalar, e_.columns));
      return take_test(frame, row);
    }
    // The value goes through a slot of the node's own.
    INDIGO_TRY(run_value(row));
    return {};
  }

 private:
  Status evaluate_remembered(const Frame& frame, uint32_t row) {
    const uint64_t generation = state_.generation(other_slots_);
    if (cached_run_ != state_.run() || generation != cached_generation_) {
      cache_.clear();
      cached_run_ = state_.run();
      cached_generation_ = generation;
    }
    INDIGO_TRY(evaluate_passes(frame, row));
    if (cache_.in_use()) {
      cache_.start_key();
      for (size_t i = 0; i < e_.passes.size(); i++) cache_.add_to_key(passes_[i].datum(row));
      if (const Datum* known = cache_.find()) {
        Datum d = *known;
        if (d.phys == Phys::kStr && !d.null) d.str = functions().arena().copy(d.str);
        out_.set_datum(row, d);
        return {};
      }
    }
    INDIGO_TRY(start_passed(row));
    INDIGO_TRY(run_value(row));
    if (cache_.in_use()) cache_.store(out_.datum(row));
    return {};
  }

  Status run_value(uint32_t row) {
    if (e_.form == Form::kExists) {
      INDIGO_ASSIGN(Chunk * chunk, plan().next(1));
      out_.set_datum(row, Datum::of(chunk != nullptr));
      return {};
    }
    if (e_.form == Form::kArray) {
      INDIGO_ASSIGN(std::string image, array_value(state_, plan(), shape()));
      out_.set_datum(row, Datum::of(functions().arena().copy(image)));
      return {};
    }
    INDIGO_ASSIGN(Chunk * chunk, plan().next(1));
    if (chunk == nullptr) {
      out_.set_datum(row, Datum::make_null(phys));
      return {};
    }
    Datum d = chunk->columns[column_].datum(chunk->selection[0]);
    if (d.phys == Phys::kStr && !d.null) d.str = functions().arena().copy(d.str);
    out_.set_datum(row, d);
    INDIGO_ASSIGN(Chunk * more, plan().next(1));
    if (more != nullptr) {
      return Error(sqlstate::kCardinalityViolation, "more than one row returned by a subquery used as an expression");
    }
    return {};
  }

  Status take_test(const Frame& frame, uint32_t row) {
    auto r = static_cast<uint16_t>(row);
    const Vector& value = test_->evaluate(frame, {&r, 1});
    if (failed()) return functions().take_error();
    out_.set_datum(row, value.datum(row));
    return {};
  }

  Status compare_all(const Frame& frame, uint32_t row) {
    bool any = e_.form == Form::kAny, null = false;
    auto r = static_cast<uint16_t>(row);
    while (true) {
      INDIGO_ASSIGN(Chunk * chunk, plan().next(kChunkRows));
      if (chunk == nullptr) break;
      for (uint32_t i = 0; i < chunk->selection.count; i++) {
        for (size_t c = 0; c < e_.columns.size(); c++) {
          state_.set_slot(e_.columns[c], chunk->columns[c].datum(chunk->selection[i]));
        }
        const Vector& value = test_->evaluate(frame, {&r, 1});
        if (failed()) return functions().take_error();
        if (value.is_null(row)) {
          null = true;
        } else if (value.get<bool>(row) == any) {
          out_.set_datum(row, Datum::of(any));
          return {};
        }
      }
    }
    out_.set_datum(row, null ? Datum::make_null(Phys::kBool) : Datum::of(!any));
    return {};
  }

 protected:
  const sql::SubPlanExpr& e_;
  ExpressionSet passes_;
  NodePtr test_;
  size_t column_;  // of the subquery, for single values
  Vector out_;
  uint64_t run_ = 0;
  bool remembers_ = false;
  std::vector<int> other_slots_;
  SubPlanCache cache_;
  uint64_t cached_run_ = 0, cached_generation_ = 0;

  static constexpr double kPatience = 2;          // times the alternative's cost
  static constexpr double kHashedRowCost = 0.03;  // beyond its plan's
  NodePtr instead_;                               // once it is needed
  std::vector<uint16_t> rest_;
  double patience_ = 0;  // 0: there is no alternative
  double run_cost_ = 0;
  uint64_t runs_ = 0;  // of the subquery, in this run
};

// x IN (subquery): x = each row, by hashing. Rows with nulls in the subquery make a miss unknown; with several columns
// such rows are compared one by one.
class HashedAnyNode final : public SubPlanNode {
 public:
  HashedAnyNode(QueryState& state, const sql::SubPlanExpr& e, NodePtr test, ExpressionSet probes,
                std::vector<size_t> columns, std::vector<bool> widened, KeyOps ops, std::vector<Phys> keys)
      : SubPlanNode(state, e, ExpressionSet(), std::move(test), 0),
        probes_(std::move(probes)),
        columns_(std::move(columns)),
        widened_(std::move(widened)),
        wide_(widened_.size()) {
    table_.init(std::move(ops), std::move(keys));
  }

 protected:
  Status evaluate_row(const Frame& frame, uint32_t row) override {
    uint64_t generation = state_.generation(plan().slots());
    if (built_run_ != state_.run() || generation != generation_) {
      INDIGO_TRY(build(frame, row));
      built_run_ = state_.run();
      generation_ = generation;
    }
    auto r = static_cast<uint16_t>(row);
    std::unique_ptr<Error> error;
    if (probes_.evaluate(frame, {&r, 1}, error) == 0) return error;
    keys_.clear();
    bool null = false;
    for (size_t i = 0; i < probes_.size(); i++) {
      keys_.push_back(&key(i, probes_[i], {&r, 1}));
      null |= probes_[i].is_null(row);
    }
    if (rows_ == 0) {
      out_.set_datum(row, Datum::of(false));
      return {};
    }
    if (null || has_nulls_) {
      if (columns_.size() > 1) return SubPlanNode::evaluate_row(frame, row);
      if (null) {
        out_.set_datum(row, Datum::make_null(Phys::kBool));
        return {};
      }
    }
    uint32_t group;
    table_.find(keys_, {&r, 1}, &group);
    if (group != GroupTable::kNone) {
      out_.set_datum(row, Datum::of(true));
    } else {
      out_.set_datum(row, has_nulls_ ? Datum::make_null(Phys::kBool) : Datum::of(false));
    }
    return {};
  }

 private:
  // The values as the table has them: integers of different widths as the widest.
  const Vector& key(size_t i, const Vector& values, Selection rows) {
    if (!widened_[i]) return values;
    Vector& out = wide_[i];
    out.init(Phys::kI64, extent_of(rows));
    for (uint32_t j = 0; j < rows.count; j++) {
      const uint32_t r = rows[j];
      if (values.is_null(r)) {
        out.set_null(r);
        continue;
      }
      const int64_t value = values.phys() == Phys::kI16   ? values.get<int16_t>(r)
                            : values.phys() == Phys::kI32 ? values.get<int32_t>(r)
                                                          : values.get<int64_t>(r);
      out.set<int64_t>(r, value);
      out.set_valid(r);
    }
    return out;
  }

  Status build(const Frame& frame, uint32_t row) {
    table_.clear();
    rows_ = 0;
    has_nulls_ = false;
    INDIGO_TRY(start(frame, row));
    std::vector<uint32_t> groups(kChunkRows);
    while (true) {
      INDIGO_ASSIGN(Chunk * chunk, plan().next(kChunkRows));
      if (chunk == nullptr) return {};
      INDIGO_TRY(state_.check());
      rows_ += chunk->selection.count;
      keys_.clear();
      for (size_t i = 0; i < columns_.size(); i++) {
        keys_.push_back(&key(i, chunk->columns[columns_[i]], chunk->selection));
      }
      std::vector<uint16_t> whole;
      for (uint32_t i = 0; i < chunk->selection.count; i++) {
        uint32_t r = chunk->selection[i];
        bool null = std::any_of(keys_.begin(), keys_.end(), [r](const Vector* k) { return k->is_null(r); });
        if (!null) whole.push_back(static_cast<uint16_t>(r));
        has_nulls_ |= null;
      }
      table_.find_or_add(keys_, {whole.data(), static_cast<uint32_t>(whole.size())}, groups.data());
      INDIGO_TRY(state_.check_memory(table_.bytes()));
    }
  }

  ExpressionSet probes_;
  std::vector<size_t> columns_;  // subquery column that probe i is compared with
  std::vector<bool> widened_;    // by probe
  std::vector<Vector> wide_;
  GroupTable table_;
  std::vector<const Vector*> keys_;
  uint64_t built_run_ = 0, generation_ = 0, rows_ = 0;
  bool has_nulls_ = false;
};

bool is_integer(types::TypeRef type) {
  return type.oid == oid::kInt2 || type.oid == oid::kInt4 || type.oid == oid::kInt8;
}

// Takes `x = slot AND ...` apart; false when the test is anything else or an equality crosses types that are not integers.
bool hashable(const sql::ExprPtr& test, const sql::SubPlanExpr& e, sql::ExprList& probes, std::vector<size_t>& columns,
              std::vector<bool>& widened) {
  if (const auto* all = sql::try_as<sql::BoolExpr>(test); all != nullptr && all->op == sql::BoolExpr::Op::kAnd) {
    return std::all_of(all->arguments.begin(), all->arguments.end(),
                       [&](const sql::ExprPtr& a) { return hashable(a, e, probes, columns, widened); });
  }
  const auto* call = sql::try_as<sql::CallExpr>(test);
  if (call == nullptr || call->arguments.size() != 2) return false;
  for (int side = 0; side < 2; side++) {
    sql::ExprPtr inner = call->arguments[static_cast<size_t>(side)],
                 outer = call->arguments[static_cast<size_t>(1 - side)];
    const types::TypeRef type = inner->type;
    const bool widen = type.oid != outer->type.oid && is_integer(type) && is_integer(outer->type);
    while (const auto* relabel = sql::try_as<sql::RelabelExpr>(inner)) inner = relabel->argument;  // varchar as text
    const auto* slot = sql::try_as<sql::RuntimeParamExpr>(inner);
    if (slot == nullptr || (type.oid != outer->type.oid && !widen)) continue;
    auto at = std::find(e.columns.begin(), e.columns.end(), slot->slot);
    if (at == e.columns.end()) continue;
    probes.push_back(outer);
    widened.push_back(widen);
    columns.push_back(static_cast<size_t>(at - e.columns.begin()));
    return true;
  }
  return false;
}

}  // namespace

Result<NodePtr> compile_subplan(Builder& b, const sql::SubPlanExpr& e, int column) {
  OperatorPtr& plan = b.state().subplans()[static_cast<size_t>(e.subplan)];
  if (plan == nullptr) {
    INDIGO_ASSIGN(plan, b.build(b.state().statement().subplans[static_cast<size_t>(e.subplan)]));
  } else {
    for (int s : plan->slots()) b.use_slot(s);
  }
  for (const auto& pass : e.passes) b.own_slot(pass.to);
  for (int slot : e.columns) b.own_slot(slot);
  sql::ExprList from;
  for (const auto& pass : e.passes) from.push_back(pass.from);
  INDIGO_ASSIGN(ExpressionSet passes, b.compile_all(from));
  const bool adaptive = e.form == Form::kExists && e.test != nullptr;
  NodePtr test;
  if (!adaptive) {
    INDIGO_ASSIGN(test, b.compile(e.test));
  }
  NodePtr node;
  sql::ExprList probes;
  std::vector<size_t> columns;
  std::vector<bool> widened;
  if (e.hashed && e.passes.empty() && e.form == Form::kAny && hashable(e.test, e, probes, columns, widened)) {
    std::vector<types::TypeRef> types;
    std::vector<Phys> phys;
    for (size_t i = 0; i < probes.size(); i++) {
      types.push_back(probes[i]->type);
      if (widened[i]) types.back() = {oid::kInt8, -1, kInvalidOid};
      phys.push_back(b.phys_of(types.back()));
    }
    INDIGO_ASSIGN(ExpressionSet compiled, b.compile_all(probes));
    INDIGO_ASSIGN(KeyOps ops, KeyOps::make(b, types));
    node = std::make_unique<HashedAnyNode>(b.state(), e, std::move(test), std::move(compiled), std::move(columns),
                                           std::move(widened), std::move(ops), std::move(phys));
  } else {
    bool fixed = !e.passes.empty() && !plan->is_volatile();
    for (size_t i = 0; i < passes.size(); i++) fixed &= !passes.node(i).is_volatile;
    auto made =
        std::make_unique<SubPlanNode>(b.state(), e, std::move(passes), std::move(test), static_cast<size_t>(column));
    if (fixed && (e.form == Form::kExists || e.form == Form::kScalar)) {
      std::vector<int> others = plan->slots();
      std::erase_if(others, [&](int slot) {
        return std::any_of(e.passes.begin(), e.passes.end(), [&](const auto& pass) { return pass.to == slot; });
      });
      made->remember_answers(std::move(others));
    }
    if (adaptive && fixed) made->may_ask_all();
    node = std::move(made);
  }
  b.note_plan();
  node->is_volatile = plan->is_volatile();
  node->invariant = false;
  node->uses_slots = true;
  return node;
}

}  // namespace indigo::engine::exec
