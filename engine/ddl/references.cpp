#include "engine/ddl/references.h"

#include "sql/deparse.h"
#include "sql/query_walk.h"

namespace indigo::engine::ddl {

namespace {

// The system table behind a type of objects' names.
Oid class_behind(Oid type) {
  switch (type) {
    case oid::kRegClass: return pg_class::kOid;
    case oid::kRegType: return pg_type::kOid;
    case oid::kRegProc:
    case oid::kRegProcedure: return pg_proc::kOid;
    case oid::kRegOper:
    case oid::kRegOperator: return catalog::pg_operator::kOid;
    case oid::kRegNamespace: return pg_namespace::kOid;
    case oid::kRegCollation: return pg_collation::kOid;
    case oid::kRegConfig: return catalog::pg_ts_config::kOid;
    case oid::kRegDictionary: return catalog::pg_ts_dict::kOid;
    default: return kInvalidOid;
  }
}

bool exists(catalog::CatalogView& catalog, Oid class_id, Oid object) {
  switch (class_id) {
    case pg_class::kOid: return catalog.relation(object) != nullptr;
    case pg_type::kOid: return catalog.type(object) != nullptr;
    case pg_proc::kOid: return catalog.function(object) != nullptr;
    case pg_namespace::kOid: return !catalog.schema_name(object).empty();
    default: return true;
  }
}

}  // namespace

void References::type(const TypeRef& t) {
  add(pg_type::kOid, t.oid);
  add(pg_collation::kOid, t.collation);
}

void References::constant(const sql::ConstExpr& e) {
  type(e.type);
  const Datum& d = e.value.get();
  if (d.null) return;
  if (e.type.oid == oid::kRegRole) refused_constant_ = e.type.oid;
  if (const Oid class_id = class_behind(e.type.oid); class_id != kInvalidOid && exists(catalog_, class_id, d.oid())) {
    add(class_id, d.oid());
  }
}

void References::column_of(const sql::Entry& entry, int column) {
  if (entry.relation != nullptr) {
    if (column >= 0) add(pg_class::kOid, entry.relation->oid, column + 1);
    return;
  }
  // A function's composite result has its type's columns.
  if (entry.kind != sql::EntryKind::kFunction || column < 0) return;
  int first = 0;
  for (const sql::Entry::Function& f : entry.functions) {
    const auto result = column < first + f.column_count ? catalog_.type(f.call->type.oid) : nullptr;
    if (result != nullptr && column >= first && result->relation != kInvalidOid) {
      add(pg_class::kOid, result->relation, column - first + 1);
    }
    first += f.column_count;
  }
}

void References::column(const sql::VarExpr& v) {
  if (around_.empty()) {
    if (v.column >= 0) columns_.insert(static_cast<int16_t>(v.column + 1));
    return;
  }
  const auto up = static_cast<size_t>(v.levels_up);
  if (up >= around_.size()) {  // of the relation around an expression with subqueries
    if (v.column >= 0) columns_.insert(static_cast<int16_t>(v.column + 1));
    return;
  }
  const sql::Query& owner = *around_[around_.size() - 1 - up];
  if (static_cast<size_t>(v.entry) < owner.entries.size())
    column_of(owner.entries[static_cast<size_t>(v.entry)], v.column);
}

void References::expression(const sql::ExprPtr& e) {
  sql::visit_expressions(e, [&](const sql::Expr& x, int depth) { return depth == 0 && node(x); });
}

bool References::node(const sql::Expr& e) {
  switch (e.kind) {
    case sql::ExprKind::kVar: column(sql::as<sql::VarExpr>(e)); break;
    case sql::ExprKind::kConst: constant(sql::as<sql::ConstExpr>(e)); break;
    case sql::ExprKind::kParam: type(e.type); break;
    case sql::ExprKind::kCall: {
      const auto& call = sql::as<sql::CallExpr>(e);
      if (call.op != kInvalidOid) add(catalog::pg_operator::kOid, call.op);
      if (call.op == kInvalidOid) add(pg_proc::kOid, call.function);
      add(pg_collation::kOid, call.collation);
      break;
    }
    case sql::ExprKind::kArrayCompare: {
      const auto& compare = sql::as<sql::ArrayCompareExpr>(e);
      add(catalog::pg_operator::kOid, compare.op);
      add(pg_proc::kOid, compare.function);
      add(pg_collation::kOid, compare.collation);
      break;
    }
    case sql::ExprKind::kRowCompare: {
      const auto& compare = sql::as<sql::RowCompareExpr>(e);
      for (const Oid f : compare.less_functions) add(pg_proc::kOid, f);
      for (const Oid f : compare.equal_functions) add(pg_proc::kOid, f);
      break;
    }
    case sql::ExprKind::kField: {
      const auto& field = sql::as<sql::FieldExpr>(e);
      const auto row = catalog_.type(field.argument->type.oid);
      if (row != nullptr && row->relation != kInvalidOid) add(pg_class::kOid, row->relation, field.field + 1);
      break;
    }
    case sql::ExprKind::kAggregate: {
      const auto& aggregate = sql::as<sql::AggregateExpr>(e);
      add(pg_proc::kOid, aggregate.function);
      for (const sql::SortKey& key : aggregate.order) add(catalog::pg_operator::kOid, key.less);
      break;
    }
    case sql::ExprKind::kWindowCall: add(pg_proc::kOid, sql::as<sql::WindowCallExpr>(e).function); break;
    case sql::ExprKind::kSubLink:
      if (const auto& q = sql::as<sql::SubLinkExpr>(e).query; q != nullptr) query(*q);
      break;
    case sql::ExprKind::kDomainCast:  // its checks are the domain's
      type(e.type);
      expression(sql::as<sql::DomainCastExpr>(e).argument);
      return false;
    case sql::ExprKind::kRow:
    case sql::ExprKind::kArray:
    case sql::ExprKind::kRelabel:
    case sql::ExprKind::kIoCast:
    case sql::ExprKind::kRowCast:
    case sql::ExprKind::kArrayCast: type(e.type); break;
    case sql::ExprKind::kCollate:  // the order of a class is that of the sort key's operator
      if (!sql::is_class_order(catalog_, e)) type(e.type);
      break;
    default: break;
  }
  return true;
}

void References::entry(const sql::Entry& e) {
  if (e.relation != nullptr) {
    add(pg_class::kOid, e.relation->oid);  // a view's entry holds its expansion, which is the view's own business
  } else if (e.subquery != nullptr) {
    query(*e.subquery);
  }
}

void References::query(const sql::Query& q) {
  around_.push_back(&q);
  for (const sql::CommonTable& t : q.ctes) {
    if (t.query != nullptr) query(*t.query);
  }
  for (const sql::Entry& e : q.entries) entry(e);
  const auto sorted = [&](const std::vector<sql::SortKey>& keys) {
    for (const sql::SortKey& key : keys) add(catalog::pg_operator::kOid, key.less);
  };
  sorted(q.order_by);
  for (const sql::Window& w : q.windows) sorted(w.order);
  sql::visit_query(q, [&](const sql::Expr& x, int depth) { return depth == 0 && node(x); });
  for (const Oid constraint : q.constraints) add(pg_constraint::kOid, constraint);
  around_.pop_back();
}

void add_changed_columns(const sql::Query& around, std::set<Address>& out) {
  for (const sql::CommonTable& statement : around.ctes) {
    const sql::Query& q = *statement.query;
    if (q.target < 0) continue;
    const Oid relation = q.entries[static_cast<size_t>(q.target)].relation->oid;
    const auto set = [&](const std::vector<sql::Assignment>& list) {
      for (const sql::Assignment& a : list) out.insert({pg_class::kOid, relation, a.column + 1});
    };
    for (const int column : q.insert_columns) out.insert({pg_class::kOid, relation, column + 1});
    set(q.assignments);
    if (q.on_conflict) set(q.on_conflict->assignments);
    for (const sql::MergeAction& action : q.merge_actions) set(action.assignments);
  }
}

}  // namespace indigo::engine::ddl
