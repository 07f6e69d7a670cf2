#include "engine/session/portal/read_ahead.h"

#include "catalog/descriptor/catalog_view.h"
#include "engine/session/portal/portal.h"
#include "storage/transaction.h"
#include "types/oids.h"

namespace indigo::engine {

namespace {

bool cannot_fail(catalog::CatalogView& catalog, const sql::ExprPtr& e);

bool function_cannot_fail(catalog::CatalogView& catalog, Oid function) {
  if (function >= oid::kFirstUserOid) return false;
  const auto info = catalog.function(function);
  return info != nullptr && info->leakproof && info->volatility != types::Volatility::kVolatile;
}

bool children_cannot_fail(catalog::CatalogView& catalog, const sql::Expr& e) {
  bool ok = true;
  sql::for_each_child(e, [&](const sql::ExprPtr& child) { ok = ok && cannot_fail(catalog, child); });
  return ok;
}

bool cannot_fail(catalog::CatalogView& catalog, const sql::ExprPtr& e) {
  if (e == nullptr) return true;
  switch (e->kind) {
    case sql::ExprKind::kVar:
    case sql::ExprKind::kColumn:
    case sql::ExprKind::kConst:
    case sql::ExprKind::kParam: return true;
    case sql::ExprKind::kBool:
    case sql::ExprKind::kNullTest:
    case sql::ExprKind::kBooleanTest:
    case sql::ExprKind::kRelabel:
    case sql::ExprKind::kCase:
    case sql::ExprKind::kCoalesce:
    case sql::ExprKind::kDistinct: return children_cannot_fail(catalog, *e);
    case sql::ExprKind::kCall:
      return function_cannot_fail(catalog, sql::as<sql::CallExpr>(*e).function) && children_cannot_fail(catalog, *e);
    default: return false;
  }
}

bool all_cannot_fail(catalog::CatalogView& catalog, const sql::ExprList& list) {
  return std::all_of(list.begin(), list.end(), [&](const sql::ExprPtr& e) { return cannot_fail(catalog, e); });
}

bool node_cannot_fail(catalog::CatalogView& catalog, const sql::Plan& plan) {
  switch (plan.kind) {
    case sql::PlanKind::kTableScan: {
      const auto& scan = static_cast<const sql::TableScanPlan&>(plan);
      return scan.current_of.empty() && cannot_fail(catalog, scan.filter);
    }
    case sql::PlanKind::kIndexScan: return cannot_fail(catalog, static_cast<const sql::IndexScanPlan&>(plan).filter);
    case sql::PlanKind::kSubqueryScan:
      return cannot_fail(catalog, static_cast<const sql::SubqueryScanPlan&>(plan).filter);
    case sql::PlanKind::kFilter: return cannot_fail(catalog, static_cast<const sql::FilterPlan&>(plan).condition);
    case sql::PlanKind::kProject:
      return all_cannot_fail(catalog, static_cast<const sql::ProjectPlan&>(plan).projection);
    case sql::PlanKind::kLimit: return true;  // its numbers are computed first
    default: return false;
  }
}

bool rows_cannot_fail(catalog::CatalogView& catalog, const sql::Plan& plan) {
  // Has read all of its input when it gives the first row.
  if (plan.kind == sql::PlanKind::kSort) return static_cast<const sql::SortPlan&>(plan).presorted == 0;
  return node_cannot_fail(catalog, plan) && std::all_of(plan.inputs.begin(), plan.inputs.end(), [&](const auto& input) {
           return rows_cannot_fail(catalog, *input);
         });
}

}  // namespace

bool may_read_ahead(catalog::CatalogView& catalog, const sql::PlannedStatement& plan) {
  return plan.read_only && !plan.locks_rows && plan.subplans.empty() && plan.ctes.empty() &&
         rows_cannot_fail(catalog, *plan.root);
}

const Chunk& ReadAhead::take_some(uint32_t most) {
  uint32_t count = chunk_->rows() - at_;
  if (most != 0) count = std::min(count, most);
  shown_.columns.resize(chunk_->columns.size());
  for (size_t c = 0; c < shown_.columns.size(); c++) shown_.columns[c].reference(chunk_->columns[c]);
  rows_.resize(count);
  for (uint16_t& row : rows_) row = static_cast<uint16_t>(take());
  shown_.selection = {rows_.data(), count};
  return shown_;
}

Result<const Chunk*> Portal::next(uint32_t max_rows) {
  if (ahead.any()) return &ahead.take_some(max_rows);
  ahead.drop();
  return execution->next(max_rows);
}

Result<Portal::Row> Portal::next_row(catalog::CatalogView& catalog, const storage::Transaction& transaction) {
  while (!ahead.any()) {
    const bool alone = rows_sent == 0 || transaction.isolation() == storage::Isolation::kSerializable;
    ahead.drop();
    INDIGO_ASSIGN(const Chunk* chunk, execution->next(ahead.wanted(catalog, *prepared->plan, alone)));
    if (chunk == nullptr) return Row();
    ahead.set(chunk);
  }
  const uint32_t row = ahead.take();
  note_position(*ahead.chunk(), row);
  return Row{ahead.chunk(), row};
}

}  // namespace indigo::engine
