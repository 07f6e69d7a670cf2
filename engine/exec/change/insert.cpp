// INSERT, with ON CONFLICT.
#include "engine/exec/change/insert.h"

#include "catalog/descriptor/trigger_info.h"
#include "engine/exec/change/change_operator.h"
#include "engine/exec/change/on_conflict.h"
#include "engine/exec/operators.h"
#include "engine/exec/partition/partitioned_insert.h"

namespace indigo::engine::exec {
namespace {

class InsertOperator final : public ChangeOperator {
 public:
  InsertOperator(QueryState& state, const sql::InsertPlan& plan, std::unique_ptr<RowInserter> inserter,
                 std::unique_ptr<OnConflictHandler> handler, ExpressionSet returning, OperatorPtr input)
      : ChangeOperator(state, plan, std::move(returning), std::move(input)),
        inserter_(std::move(inserter)),
        handler_(std::move(handler)) {}

 private:
  Status announce() override { return inserter_->target().check_foreign(); }
  Selection change(const Chunk*& source, std::unique_ptr<Error>& error) override {
    return inserter_->insert(*source, source->selection, handler_.get(), error);
  }
  const Chunk& changed_rows(Selection) override { return inserter_->rows(); }

  std::unique_ptr<RowInserter> inserter_;
  std::unique_ptr<OnConflictHandler> handler_;
};

}  // namespace

Result<OperatorPtr> make_insert(Builder& b, const sql::InsertPlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  if (p.instead_event != 0) return make_instead(b, p, std::move(input));
  if (p.relation->is_partitioned()) return make_partitioned_insert(b, p, std::move(input));
  INDIGO_ASSIGN(auto inserter, RowInserter::make(b, p, p.assignments));
  std::unique_ptr<OnConflictHandler> handler;
  if (p.on_conflict.has_value() && p.relation->is_foreign()) {
    inserter->set_do_nothing();
  } else if (p.on_conflict.has_value()) {
    INDIGO_ASSIGN(handler, OnConflictHandler::make(b, p, *inserter));
  }
  INDIGO_ASSIGN(ExpressionSet returning, b.compile_all(p.returning));
  return with_insert_triggers(b.state(), p,
                              std::make_unique<InsertOperator>(b.state(), p, std::move(inserter), std::move(handler),
                                                               std::move(returning), std::move(input)));
}

OperatorPtr with_insert_triggers(QueryState& state, const sql::InsertPlan& p, OperatorPtr change) {
  if (p.relation->triggers == nullptr) return change;
  if (!p.on_conflict || !p.on_conflict->update) {
    return with_statement_triggers(state, p.relation, {catalog::kTriggerInsert}, {}, std::move(change));
  }
  std::vector<int> assigned;
  for (const sql::Assignment& a : p.on_conflict->assignments) assigned.push_back(a.column);
  return with_statement_triggers(state, p.relation, {catalog::kTriggerInsert, catalog::kTriggerUpdate},
                                 updated_columns(*p.relation, assigned), std::move(change));
}

}  // namespace indigo::engine::exec
