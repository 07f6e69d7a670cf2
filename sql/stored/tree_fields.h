// What a stored tree keeps of each node, in order: one list for writing and reading. Left out is what the catalog knows better
// when the tree is read: functions' properties, domains' checks, the definitions of views.
//
// An archive is called with fields and knows how to keep numbers, texts, lists and pointers; what needs more than that has a
// member function of its own (entry_source). Thread safety: pure functions.
#pragma once

#include <concepts>
#include <type_traits>

#include "sql/expr.h"
#include "sql/query.h"

namespace indigo::sql::stored {

template <class T, class Of>
concept Is = std::same_as<std::remove_const_t<T>, Of>;

// ---- expressions

void fields(auto& a, Is<TypeRef> auto& t) { a(t.oid, t.typmod, t.collation); }
void fields(auto& a, Is<SortKey> auto& k) { a(k.expr, k.descending, k.nulls_first, k.less); }
void fields(auto& a, Is<CaseExpr::When> auto& w) { a(w.condition, w.result); }
void fields(auto& a, Is<SubscriptExpr::Index> auto& i) { a(i.lower, i.upper, i.slice); }

void fields(auto& a, Is<VarExpr> auto& e) { a(e.entry, e.column, e.levels_up); }
void fields(auto& a, Is<ColumnExpr> auto& e) { a(e.input, e.column); }
void fields(auto& a, Is<ConstExpr> auto& e) { a(e.value); }
void fields(auto& a, Is<ParamExpr> auto& e) { a(e.index); }
void fields(auto& a, Is<RuntimeParamExpr> auto& e) { a(e.slot); }
void fields(auto& a, Is<CallExpr> auto& e) {
  a(e.function, e.op, e.form, e.collation, e.variadic_array, e.arguments);
  a.since_version(6, e.positional);
  a.since_version(6, e.given);
}
void fields(auto& a, Is<BoolExpr> auto& e) { a(e.op, e.arguments); }
void fields(auto& a, Is<CaseExpr> auto& e) { a(e.whens, e.otherwise, e.simple); }
void fields(auto& a, Is<CoalesceExpr> auto& e) { a(e.arguments); }
void fields(auto& a, Is<GreatestLeastExpr> auto& e) { a(e.greatest, e.arguments); }
void fields(auto& a, Is<NullIfExpr> auto& e) { a.whole_call(e.equal); }
void fields(auto& a, Is<NullTestExpr> auto& e) { a(e.argument, e.is_null, e.row); }
void fields(auto& a, Is<BooleanTestExpr> auto& e) { a(e.test, e.argument); }
void fields(auto& a, Is<DistinctExpr> auto& e) {
  a(e.left, e.right);
  a.whole_call(e.equal);
  a(e.negated);
}
void fields(auto& a, Is<ArrayCompareExpr> auto& e) { a(e.left, e.array, e.op, e.function, e.collation, e.any); }
void fields(auto& a, Is<ArrayExpr> auto& e) { a(e.elements, e.element, e.multidimensional); }
void fields(auto& a, Is<RowExpr> auto& e) { a(e.fields, e.names); }
void fields(auto& a, Is<RowCompareExpr> auto& e) {
  a(e.strategy, e.left, e.right, e.less_functions, e.equal_functions);
}
void fields(auto& a, Is<FieldExpr> auto& e) { a(e.argument, e.field); }
void fields(auto& a, Is<SubscriptExpr> auto& e) { a(e.container, e.indexes, e.element, e.assign); }
void fields(auto& a, Is<RelabelExpr> auto& e) { a(e.argument, e.implicit); }
void fields(auto& a, Is<IoCastExpr> auto& e) { a(e.argument, e.implicit); }
void fields(auto& a, Is<RowCastExpr> auto& e) { a(e.argument, e.implicit); }
void fields(auto& a, Is<ArrayCastExpr> auto& e) {
  a(e.argument, e.element);
  a.since_version(2, e.implicit);
}
void fields(auto& a, Is<DomainCastExpr> auto& e) {
  a(e.argument);
  a.since_version(2, e.implicit);
}
void fields(auto& a, Is<CollateExpr> auto& e) { a(e.argument); }
void fields(auto& a, Is<AggregateExpr> auto& e) {
  a(e.function, e.collation, e.arguments, e.direct, e.order, e.distinct, e.star, e.filter, e.levels_up, e.kind_of);
}
void fields(auto& a, Is<WindowCallExpr> auto& e) {
  a(e.function, e.aggregate, e.star, e.collation, e.arguments, e.filter, e.window);
}
void fields(auto& a, Is<GroupingExpr> auto& e) { a(e.group_columns); }
void fields(auto& a, Is<SubLinkExpr> auto& e) { a(e.form, e.query, e.test); }
void fields(auto& a, Is<SessionValueExpr> auto& e) { a(e.which); }
void fields(auto& a, Is<WholeRowExpr> auto& e) { a(e.entry, e.levels_up); }
void fields(auto&, Is<DefaultExpr> auto&) {}

// Calls f.operator()<Node>() for a kind that may be stored; false: plans' own.
template <class F>
bool with_kind(ExprKind kind, F&& f) {
#define INDIGO_STORED_KIND(Node) \
  case Node::kKind: f.template operator()<Node>(); return true
  switch (kind) {
    INDIGO_STORED_KIND(VarExpr);
    INDIGO_STORED_KIND(ColumnExpr);
    INDIGO_STORED_KIND(ConstExpr);
    INDIGO_STORED_KIND(ParamExpr);
    INDIGO_STORED_KIND(RuntimeParamExpr);
    INDIGO_STORED_KIND(CallExpr);
    INDIGO_STORED_KIND(BoolExpr);
    INDIGO_STORED_KIND(CaseExpr);
    INDIGO_STORED_KIND(CoalesceExpr);
    INDIGO_STORED_KIND(GreatestLeastExpr);
    INDIGO_STORED_KIND(NullIfExpr);
    INDIGO_STORED_KIND(NullTestExpr);
    INDIGO_STORED_KIND(BooleanTestExpr);
    INDIGO_STORED_KIND(DistinctExpr);
    INDIGO_STORED_KIND(ArrayCompareExpr);
    INDIGO_STORED_KIND(ArrayExpr);
    INDIGO_STORED_KIND(RowExpr);
    INDIGO_STORED_KIND(RowCompareExpr);
    INDIGO_STORED_KIND(FieldExpr);
    INDIGO_STORED_KIND(SubscriptExpr);
    INDIGO_STORED_KIND(RelabelExpr);
    INDIGO_STORED_KIND(IoCastExpr);
    INDIGO_STORED_KIND(RowCastExpr);
    INDIGO_STORED_KIND(ArrayCastExpr);
    INDIGO_STORED_KIND(DomainCastExpr);
    INDIGO_STORED_KIND(CollateExpr);
    INDIGO_STORED_KIND(AggregateExpr);
    INDIGO_STORED_KIND(WindowCallExpr);
    INDIGO_STORED_KIND(GroupingExpr);
    INDIGO_STORED_KIND(SubLinkExpr);
    INDIGO_STORED_KIND(SessionValueExpr);
    INDIGO_STORED_KIND(WholeRowExpr);
    INDIGO_STORED_KIND(DefaultExpr);
    default: return false;
  }
#undef INDIGO_STORED_KIND
}

// ---- queries

void fields(auto& a, Is<TargetEntry> auto& t) { a(t.expr, t.name, t.hidden, t.origin_table, t.origin_column); }
void fields(auto& a, Is<Entry::Function> auto& f) { a(f.call, f.column_count); }
void fields(auto& a, Is<Entry::Sample> auto& s) { a(s.method, s.percent, s.percent_expr, s.repeatable); }
void fields(auto& a, Is<Entry> auto& e) {
  a.entry_source(e);  // kind, relation or subquery, alias, columns
  a(e.lateral, e.only, e.functions, e.with_ordinality, e.values, e.cte, e.cte_levels_up, e.cte_self_reference,
    e.join_columns, e.sample);
  a.since_version(2, e.names_columns);
  a.since_version(5, e.alias_written);
}
void fields(auto& a, Is<JoinNode::Shown> auto& s) { a(s.name, s.value); }
void fields(auto& a, Is<JoinNode> auto& n) {
  a(n.entry, n.leaf, n.type, n.left, n.right, n.condition, n.using_columns, n.merged, n.using_alias, n.renames);
  a.since_version(4, n.written);
  a.since_version(4, n.alias);
  a.since_version(4, n.alias_has_columns);
  a.since_version(4, n.shown);
}
void fields(auto& a, Is<GroupingSet> auto& s) { a(s.columns); }
void fields(auto& a, Is<GroupingItem> auto& i) { a(i.kind, i.columns, i.items); }
void fields(auto& a, Is<FrameBound> auto& b) { a(b.kind, b.offset); }
void fields(auto& a, Is<Window> auto& w) {
  a(w.name, w.partition, w.order, w.mode, w.start, w.end, w.exclude, w.in_range);
}
void fields(auto& a, Is<CteSearch> auto& s) { a(s.breadth, s.columns, s.sequence); }
void fields(auto& a, Is<CteCycle> auto& c) { a(c.columns, c.mark, c.path, c.value, c.other, c.differs); }
void fields(auto& a, Is<CommonTable> auto& t) {
  a(t.name, t.query, t.recursive, t.materialize, t.references, t.column_aliases, t.search, t.cycle);
}
void fields(auto& a, Is<SetNode> auto& n) { a(n.entry, n.op, n.all, n.left, n.right, n.types); }
void fields(auto& a, Is<RowLock> auto& l) { a(l.entry, l.mode, l.wait); }
void fields(auto& a, Is<Assignment> auto& s) { a(s.column, s.value); }
void fields(auto& a, Is<OnConflict> auto& c) {
  a(c.update, c.arbiters, c.premises, c.assignments, c.where, c.excluded_entry);
}
// Of SELECT: what other commands have beside it is rebuilt for each statement.
void fields(auto& a, Is<Query> auto& q) {
  a(q.entries, q.from, q.where, q.targets, q.group_by, q.grouping_sets, q.has_aggregates, q.has_windows,
    q.has_set_functions, q.having, q.windows, q.distinct, q.distinct_on, q.order_by, q.limit, q.offset, q.with_ties,
    q.row_locks, q.ctes, q.set_operation);
  a.since_version(3, q.grouping_items);
  a.since_version(3, q.grouping_distinct);
}

void fields(auto& a, Is<MergeAction> auto& m) {
  a(m.match, m.condition, m.command, m.assignments, m.named, m.overriding);
}

// Of INSERT, UPDATE, DELETE and MERGE, behind those: as they were written, in rules and routines.
void change_fields(auto& a, Is<Query> auto& q) {
  a(q.command, q.target, q.insert_columns, q.assignments, q.on_conflict, q.returning);
}
// Behind those where there are any.
void more_change_fields(auto& a, Is<Query> auto& q) { a(q.overriding, q.merge_actions); }

}  // namespace indigo::sql::stored
