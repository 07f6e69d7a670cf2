#include "sql/plan/condition/table_terms.h"

#include "sql/analyze/analyzer.h"
#include "sql/analyze/make.h"
#include "sql/plan/rewrite/fold.h"

namespace indigo::sql::planning {
namespace {

// A column that the upper table has not is no column of the query: nothing equals it.
constexpr int kNoUpperColumn = 1 << 20;

}  // namespace

TableTerms::TableTerms(const Level& level, int entry, const ScannedTable* table)
    : level_(level),
      entry_(entry),
      table_(table),
      relation_(table != nullptr ? table->relation : level.entry(entry).relation) {}

ExprPtr TableTerms::column(int16_t number) const {
  int at = number - 1;
  if (table_ != nullptr) at = table_->upper_of[static_cast<size_t>(at)];
  return at < 0 ? nullptr : make_var(entry_, at, relation_->columns[static_cast<size_t>(number - 1)].type);
}

Result<ExprPtr> TableTerms::expression(const std::string& tree, const TypeRef& target) const {
  INDIGO_ASSIGN(const ExprPtr e, analyze_expression(level_.s.session, tree, relation_, target));
  return fold(level_.s.session, moved(e));
}

// An expression over entry 0 as one over this entry.
ExprPtr TableTerms::moved(const ExprPtr& e) const {
  if (const auto* v = try_as<VarExpr>(e)) {
    auto copy = std::make_shared<VarExpr>(*v);
    copy->entry = entry_;
    if (table_ != nullptr && v->column >= 0) {
      const int upper = table_->upper_of[static_cast<size_t>(v->column)];
      copy->column = upper >= 0 ? upper : kNoUpperColumn;
    }
    return copy;
  }
  return map_children(e, [&](const ExprPtr& c) { return moved(c); });
}

}  // namespace indigo::sql::planning
