// INSERT, UPDATE and DELETE of a view: its INSTEAD OF triggers get the rows, and nothing else is done with them.
#include "catalog/descriptor/trigger_info.h"
#include "engine/exec/change/change_operator.h"
#include "engine/exec/change/insert.h"
#include "engine/exec/change/row_triggers.h"
#include "engine/exec/change/update.h"
#include "engine/exec/operators.h"

namespace indigo::engine::exec {
namespace {

class InsteadOperator final : public ChangeOperator {
 public:
  InsteadOperator(QueryState& state, const sql::InsertPlan& plan, std::unique_ptr<RowInserter> rows,
                  ViewChecks view_checks, ExpressionSet returning, OperatorPtr input)
      : ChangeOperator(state, plan, std::move(returning), std::move(input)),
        plan_(plan),
        rows_(std::move(rows)),
        view_checks_(std::move(view_checks)),
        triggers_(state, plan.relation) {}

 private:
  Selection change(const Chunk*& source, std::unique_ptr<Error>& error) override {
    done_.clear();
    const Selection all = rows_->compute(*source, source->selection, error);
    if (all.count == 0) return {};
    const types::RowLayout& layout = plan_.relation->layout;
    const uint32_t extent = extent_of(all);
    shown_.columns.resize(layout.column_count());
    for (size_t c = 0; c < layout.column_count(); c++) shown_.columns[c].init(layout.phys(c), extent);
    Arena& arena = state_.functions().arena();
    for (uint32_t i = 0; i < all.count; i++) {
      const uint32_t r = all[i];
      auto taken = fire(*source, r);
      if (!taken.ok()) {
        error = taken.take_error();
        break;
      }
      if (!*taken) continue;
      const Bytes row = plan_.instead_event == catalog::kTriggerDelete ? Bytes(old_row_) : Bytes(new_row_);
      for (size_t c = 0; c < layout.column_count(); c++) {
        Datum d = layout.column(row, c);
        if (d.phys == Phys::kStr && !d.null) d.str = arena.copy(d.str);
        shown_.columns[c].set_datum(r, d);
      }
      if (!passes_view_checks(*source, static_cast<uint16_t>(r), error)) break;
      done_.push_back(static_cast<uint16_t>(r));
    }
    return {done_.data(), static_cast<uint32_t>(done_.size())};
  }
  const Chunk& changed_rows(Selection) override { return shown_; }

  // WITH CHECK OPTION of views above looks at what the triggers have made of the row.
  bool passes_view_checks(const Chunk& source, uint16_t row, std::unique_ptr<Error>& error) {
    if (plan_.instead_event == catalog::kTriggerDelete) return true;
    shown_columns_.clear();
    for (const Vector& v : shown_.columns) shown_columns_.push_back(&v);
    const Selection one{&row, 1};
    return view_checks_.run(rows_->target(), Frame{{&source, &shown_}, extent_of(one)}, one, shown_columns_, error) ==
           1;
  }

  Result<bool> fire(const Chunk& source, uint32_t row) {
    const types::RowLayout& layout = plan_.relation->layout;
    old_row_.clear();
    new_row_.clear();
    if (plan_.instead_event != catalog::kTriggerInsert) {
      old_columns_.clear();
      for (size_t c = 0; c < layout.column_count(); c++) old_columns_.push_back(&source.columns[c]);
      layout.encode(old_columns_, row, old_row_);
    }
    if (plan_.instead_event != catalog::kTriggerDelete) layout.encode(rows_->columns(), row, new_row_);
    return triggers_.fire(catalog::kTriggerInstead, plan_.instead_event, old_row_, new_row_);
  }

  const sql::InsertPlan& plan_;
  std::unique_ptr<RowInserter> rows_;
  ViewChecks view_checks_;
  RowTriggers triggers_;
  std::string old_row_, new_row_;
  std::vector<const Vector*> old_columns_, shown_columns_;
  std::vector<uint16_t> done_;
  Chunk shown_;
};

}  // namespace

Result<OperatorPtr> make_instead(Builder& b, const sql::InsertPlan& p, OperatorPtr input) {
  INDIGO_ASSIGN(auto rows, RowInserter::make(b, p, p.assignments, true));
  INDIGO_ASSIGN(ViewChecks checks, ViewChecks::make(b, p));
  INDIGO_ASSIGN(ExpressionSet returning, b.compile_all(p.returning));
  std::vector<int> named = p.named_columns;
  return with_statement_triggers(b.state(), p.relation, {p.instead_event}, updated_columns(*p.relation, named),
                                 std::make_unique<InsteadOperator>(b.state(), p, std::move(rows), std::move(checks),
                                                                   std::move(returning), std::move(input)));
}

}  // namespace indigo::engine::exec
