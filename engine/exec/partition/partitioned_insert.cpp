#include "engine/exec/partition/partitioned_insert.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "engine/exec/change/statement_state.h"
#include "sql/plan/change/table_rules.h"

namespace indigo::engine::exec {

namespace {

// The index of a partition that belongs to one of the named table's, through the levels between them.
bool belongs_to(catalog::CatalogView& catalog, Oid index, Oid above) {
  for (int depth = 0; index != kInvalidOid && depth < 100; depth++) {
    if (index == above) return true;
    const auto info = catalog.relation(index);
    index = info == nullptr || info->parents.empty() ? kInvalidOid : info->parents[0];
  }
  return false;
}

sql::OnConflict conflict_of(catalog::CatalogView& catalog, const sql::OnConflict& from,
                            const catalog::RelationInfo& table, std::span<const int> columns) {
  sql::OnConflict out = from;
  out.arbiters.clear();
  for (const Oid arbiter : from.arbiters) {
    for (const catalog::IndexInfo& index : table.indexes) {
      if (belongs_to(catalog, index.oid, arbiter)) out.arbiters.push_back(index.oid);
    }
  }
  const auto shift = static_cast<int>(table.columns.size()) - static_cast<int>(columns.size());
  const auto own = [&](const sql::ExprPtr& e) { return renumbered(renumbered(e, 0, columns, shift), 1, columns); };
  for (sql::Assignment& a : out.assignments) {
    a.column = columns[static_cast<size_t>(a.column)];
    a.value = own(a.value);
  }
  out.where = own(out.where);
  return out;
}

}  // namespace

PartitionedInsert::PartitionedInsert(QueryState& state, const sql::ChangePlan& plan, const sql::OnConflict* conflict)
    : state_(state), plan_(plan), conflict_(conflict), router_(state, plan.relation) {}

Status PartitionedInsert::prepare(Builder& b, const std::vector<sql::Assignment>& assignments) {
  sql::ChangePlan values;
  values.relation = plan_.relation;
  INDIGO_ASSIGN(root_, RowInserter::make(b, values, assignments, true));
  INDIGO_ASSIGN(check_, PartitionCheck::make(state_, *plan_.relation));
  return {};
}

Result<PartitionWriter*> PartitionedInsert::writer(size_t table) {
  if (table < writers_.size() && writers_[table] != nullptr) return writers_[table].get();
  if (table >= writers_.size()) writers_.resize(table + 1);
  auto out = std::make_unique<PartitionWriter>();
  const RelationPtr& relation = router_.table(table);
  const catalog::RelationInfo& root = router_.root();
  out->columns = matching_columns(*relation, root);
  const std::vector<int> own = matching_columns(root, *relation);
  sql::InsertPlan& plan = out->plan;
  plan.relation = relation;
  INDIGO_ASSIGN(sql::TableRules rules, sql::table_rules(state_.session(), relation));
  plan.generated = std::move(rules.generated);
  plan.checks = std::move(rules.checks);
  plan.check_names = std::move(rules.check_names);
  for (const int c : plan_.named_columns) plan.named_columns.push_back(own[static_cast<size_t>(c)]);
  plan.row_checks = plan_.row_checks;
  for (sql::RowCheck& check : plan.row_checks) check.condition = renumbered(check.condition, 1, own);
  plan.view_checks = renumbered(plan_.view_checks, 1, own);
  plan.view_check_names = plan_.view_check_names;
  plan.returned_system_columns = plan_.returned_system_columns;
  const auto shift = static_cast<int>(relation->columns.size()) - static_cast<int>(root.columns.size());
  plan.returning = renumbered(plan_.returning, 1, own, shift);
  for (size_t c = 0; c < relation->columns.size(); c++) {
    if (out->columns[c] < 0 || relation->columns[c].generated != 0) continue;
    auto value = std::make_shared<sql::ColumnExpr>();
    value->column = out->columns[c];
    value->type = relation->columns[c].type;
    plan.assignments.push_back({static_cast<int>(c), std::move(value)});
  }
  Builder b(state_);
  INDIGO_ASSIGN(out->inserter, RowInserter::make(b, plan, plan.assignments, true));
  out->inserter->target().triggers().set_named(plan_.relation);
  out->inserter->target().set_named_relation(plan_.relation);
  out->inserter->set_moving(moving_);
  if (moving_ && relation->is_foreign()) INDIGO_TRY(plan_foreign_move(*out->inserter));
  if (conflict_ != nullptr && relation->is_foreign()) {
    out->inserter->set_do_nothing();
  } else if (conflict_ != nullptr) {
    plan.on_conflict = conflict_of(state_.session().catalog(), *conflict_, *relation, own);
    INDIGO_ASSIGN(out->handler, OnConflictHandler::make(b, plan, *out->inserter));
    out->handler->set_named(plan_.relation);
  }
  INDIGO_ASSIGN(out->returning, b.compile_all(plan.returning));
  writers_[table] = std::move(out);
  return writers_[table].get();
}

Status PartitionedInsert::plan_foreign_move(RowInserter& inserter) const {
  const catalog::RelationInfo& relation = inserter.target().relation();
  if (state_.changes().changes(relation.oid)) {
    return Error(sqlstate::kFeatureNotSupported,
                 "cannot route tuples into foreign table to be updated \"" + relation.name + "\"");
  }
  ForeignChangeSpec& spec = inserter.target().foreign_spec();
  spec.returning |= returned_;
  spec.one_by_one |= returned_;
  return {};
}

Status PartitionedInsert::check(const Chunk& rows, uint32_t row) {
  if (check_ == nullptr) return {};
  INDIGO_ASSIGN(const bool holds, check_->holds(rows, row));
  if (holds) return {};
  std::vector<const Vector*> columns;
  for (size_t c = 0; c < router_.root().columns.size(); c++) columns.push_back(&rows.columns[c]);
  return root_->target().partition_violation(columns, row);
}

void PartitionedInsert::start(const Chunk& source, Selection selection, bool in_order, std::unique_ptr<Error>& error) {
  std::unique_ptr<Error> failed;
  const Selection computed = root_->compute(source, selection, failed);
  start_rows(root_->rows(), computed, in_order, error);
  if (failed_ == nullptr) failed_ = std::move(failed);
}

void PartitionedInsert::start_rows(const Chunk& rows, Selection selection, bool in_order,
                                   std::unique_ptr<Error>& error) {
  error = nullptr;
  failed_ = nullptr;
  rows_ = &rows;
  group_count_ = at_ = 0;
  consumed_ = 0;
  std::fill(group_of_.begin(), group_of_.end(), -1);
  for (uint32_t i = 0; i < selection.count; i++) {
    const uint32_t r = selection[i];
    if (Status belongs = check(rows, r); !belongs.ok()) {
      failed_ = belongs.take_error();
      consumed_ = r;
      return;
    }
    auto table = router_.route(rows, r);
    if (!table.ok()) {  // the rows before it are written first
      failed_ = table.take_error();
      consumed_ = r;
      return;
    }
    if (*table >= group_of_.size()) group_of_.resize(*table + 1, -1);
    int& group = group_of_[*table];
    if (group < 0 || (in_order && static_cast<size_t>(group) + 1 != group_count_)) {
      group = static_cast<int>(group_count_++);
      if (groups_.size() < group_count_) groups_.emplace_back();
      groups_[static_cast<size_t>(group)].table = *table;
      groups_[static_cast<size_t>(group)].rows.clear();
    }
    groups_[static_cast<size_t>(group)].rows.push_back(static_cast<uint16_t>(r));
  }
}

PartitionWriter* PartitionedInsert::next(Selection& written, std::unique_ptr<Error>& error) {
  if (at_ == group_count_) {
    error = std::move(failed_);
    return nullptr;
  }
  const Group& group = groups_[at_++];
  auto found = writer(group.table);
  if (!found.ok()) {
    error = found.take_error();
    return nullptr;
  }
  PartitionWriter* w = *found;
  const Selection selection{group.rows.data(), static_cast<uint32_t>(group.rows.size())};
  written = w->inserter->insert(*rows_, selection, w->handler.get(), error);
  if (error != nullptr) {
    at_ = group_count_;
    failed_ = nullptr;
    consumed_ = selection[static_cast<uint32_t>(std::min<uint64_t>(w->inserter->consumed(), selection.count - 1))];
  }
  return w;
}

uint64_t PartitionedInsert::insert(const Chunk& source, Selection selection, std::unique_ptr<Error>& error) {
  uint64_t rows = 0;
  start(source, selection, false, error);
  while (error == nullptr) {
    Selection written;
    if (next(written, error) == nullptr) break;
    rows += written.count;
  }
  return rows;
}

namespace {

class PartitionedInsertOperator final : public Operator {
 public:
  PartitionedInsertOperator(QueryState& state, const sql::InsertPlan& plan, OperatorPtr input)
      : state_(state),
        plan_(plan),
        insert_(state, plan, plan.on_conflict ? &*plan.on_conflict : nullptr),
        input_(std::move(input)),
        counts_(state.statement().root.get() == &plan) {}

  Status prepare(Builder& b) { return insert_.prepare(b, plan_.assignments); }

  Status open(Open mode) override {
    error_ = nullptr;
    source_ = nullptr;
    return input_->open(mode);
  }
  void close() override { input_->close(); }

  Result<Chunk*> next(uint32_t) override {
    while (true) {
      if (error_ != nullptr) return std::move(error_);
      if (source_ == nullptr) {
        INDIGO_ASSIGN(source_, input_->next(kChunkRows));
        if (source_ == nullptr) return nullptr;
        if (source_->selection.count > 1) INDIGO_TRY(state_.check());
        arena_.reset();
        ArenaScope scope(state_, arena_);
        insert_.start(*source_, source_->selection, !plan_.returning.empty(), error_);
      }
      ArenaScope scope(state_, arena_);
      Selection written;
      PartitionWriter* w = insert_.next(written, error_);
      if (w == nullptr) {
        source_ = nullptr;
        continue;
      }
      if (counts_) state_.add_affected(written.count);
      if (w->returning.empty() || written.count == 0) continue;
      std::unique_ptr<Error> failed;
      const uint32_t good =
          w->returning.evaluate(Frame{{source_, &w->inserter->rows()}, extent_of(written)}, written, failed);
      if (failed != nullptr) error_ = std::move(failed);
      if (good == 0) continue;
      out_.columns.resize(w->returning.size());
      for (size_t i = 0; i < w->returning.size(); i++) out_.columns[i].reference(w->returning[i]);
      out_.selection = {written.rows, good};
      return &out_;
    }
  }

 private:
  QueryState& state_;
  const sql::InsertPlan& plan_;
  PartitionedInsert insert_;
  OperatorPtr input_;
  const bool counts_;
  const Chunk* source_ = nullptr;
  Chunk out_;
  Arena arena_;
  std::unique_ptr<Error> error_;
};

}  // namespace

Result<OperatorPtr> make_partitioned_insert(Builder& b, const sql::InsertPlan& p, OperatorPtr input) {
  auto op = std::make_unique<PartitionedInsertOperator>(b.state(), p, std::move(input));
  INDIGO_TRY(op->prepare(b));
  return with_insert_triggers(b.state(), p, std::move(op));
}

}  // namespace indigo::engine::exec
