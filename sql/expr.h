// Bound expressions: names resolved to OIDs, types known, coercions explicit. Made by the analyzer, rewritten by the planner,
// compiled by the executor. The nodes follow PostgreSQL's primnodes in meaning.
//
// Nodes are immutable and shared: a rewrite makes new nodes for the path that it changes (see map_children).
// The analyzer makes Var, SubLink, Aggregate, WindowCall, Grouping; the planner replaces them: a plan holds Column,
// RuntimeParam and SubPlan instead.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "catalog/descriptor/relation_info.h"
#include "types/oids.h"
#include "types/value/datum.h"

namespace indigo::sql {

using types::TypeRef;

enum class ExprKind : uint8_t {
  kVar,     // analyzer: column of a range-table entry
  kColumn,  // plan: column of the operator's input
  kConst,
  kParam,         // $n or a lifted literal: its value comes with the execution
  kRuntimeParam,  // plan: a value set by an outer operator (correlation, nested loop) or an initplan
  kCall,          // function, operator or cast function
  kBool,          // AND, OR, NOT
  kCase,
  kCoalesce,
  kGreatestLeast,
  kNullIf,
  kNullTest,      // IS [NOT] NULL
  kBooleanTest,   // IS [NOT] TRUE | FALSE | UNKNOWN
  kDistinct,      // IS [NOT] DISTINCT FROM
  kArrayCompare,  // x op ANY | ALL (array)
  kArray,         // ARRAY[...]
  kRow,           // ROW(...)
  kRowCompare,    // (a, b) < (c, d)
  kField,         // (composite).field
  kSubscript,     // array[1], array[1:2]
  kRelabel,       // binary-compatible cast
  kIoCast,        // cast through text output and input
  kArrayCast,     // element-wise cast of an array
  kDomainCast,    // checks a domain's constraints
  kCollate,
  kAggregate,
  kWindowCall,
  kGrouping,      // GROUPING(...)
  kSubLink,       // analyzer: a subquery in an expression
  kSubPlan,       // plan: the same, planned
  kDefault,       // DEFAULT in VALUES or SET (analyzer replaces it before planning)
  kSessionValue,  // CURRENT_DATE, CURRENT_USER and so on
  kWholeRow,      // analyzer: a range-table entry as a composite value
  kRowCast,       // a row of a child or typed table as one of its parent's or its type's
};

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;
using ExprList = std::vector<ExprPtr>;

struct Expr {
  ExprKind kind;
  TypeRef type;
  int location = -1;  // 0-based byte in the statement's text, -1 unknown
  virtual ~Expr() = default;

 protected:
  explicit Expr(ExprKind k) : kind(k) {}
};

template <ExprKind K>
struct ExprOf : Expr {
  static constexpr ExprKind kKind = K;
  ExprOf() : Expr(K) {}
};

struct VarExpr : ExprOf<ExprKind::kVar> {
  int entry = 0;   // index into Query::entries of the query `levels_up` above
  int column = 0;  // 0-based among the entry's columns
  int levels_up = 0;
};
// System columns of a table entry, as VarExpr::column / ScanColumn. Negative like PostgreSQL's attnums.
enum SystemColumn : int {
  kTableOidColumn = -6,
  kXminColumn = -2,
  kXmaxColumn = -4,
  kCminColumn = -3,
  kCmaxColumn = -5,
  kCtidColumn = -1
};

struct ColumnExpr : ExprOf<ExprKind::kColumn> {
  int input = 0;  // 0: the (left) input, 1: the right input of a join
  int column = 0;
};
struct ConstExpr : ExprOf<ExprKind::kConst> {
  OwnedDatum value;
};
struct ParamExpr : ExprOf<ExprKind::kParam> {
  int index = 0;  // 0-based into the execution's parameters
};
struct RuntimeParamExpr : ExprOf<ExprKind::kRuntimeParam> {
  int slot = 0;  // 0-based into the execution's runtime slots (Plan::runtime_slots)
};
struct CallExpr : ExprOf<ExprKind::kCall> {
  Oid function = kInvalidOid;
  Oid op = kInvalidOid;  // the operator it was written as, if any (deparse, index matching)
  // kSqlSyntax: a construct such as EXTRACT(... FROM ...) that the grammar turned into a function; with an operator: jsonb[...].
  enum class Form : uint8_t { kFunction, kOperator, kExplicitCast, kImplicitCast, kSqlSyntax } form = Form::kFunction;
  Oid collation = kInvalidOid;  // input collation
  bool strict = true, returns_set = false;
  types::Volatility volatility = types::Volatility::kImmutable;
  bool variadic_array = false;  // the last argument is the VARIADIC array itself
  // How it was written (deparse): `given` are the arguments that are no defaults, as they were written, `positional` how many of
  // them have no name. -1: all arguments, in their order.
  int positional = -1;
  std::vector<int> given;
  ExprList arguments;
};
struct BoolExpr : ExprOf<ExprKind::kBool> {
  enum class Op : uint8_t { kAnd, kOr, kNot } op = Op::kAnd;
  ExprList arguments;
};
struct CaseExpr : ExprOf<ExprKind::kCase> {
  struct When {
    ExprPtr condition, result;
  };  // simple CASE is analyzed into `operand = value` conditions
  std::vector<When> whens;
  ExprPtr otherwise;    // never null: a null constant when absent
  bool simple = false;  // written CASE operand WHEN value: each condition's first argument is the operand (deparse)
};
struct CoalesceExpr : ExprOf<ExprKind::kCoalesce> {
  ExprList arguments;
};
struct GreatestLeastExpr : ExprOf<ExprKind::kGreatestLeast> {
  bool greatest = true;
  ExprList arguments;
};
struct NullIfExpr : ExprOf<ExprKind::kNullIf> {
  ExprPtr equal;  // always a CallExpr, of the = operator: null when it holds, else its first argument, computed once
};
struct NullTestExpr : ExprOf<ExprKind::kNullTest> {
  ExprPtr argument;
  bool is_null = true;
  bool row = false;
};
struct BooleanTestExpr : ExprOf<ExprKind::kBooleanTest> {
  enum class Test : uint8_t { kTrue, kNotTrue, kFalse, kNotFalse, kUnknown, kNotUnknown } test = Test::kTrue;
  ExprPtr argument;
};
struct DistinctExpr : ExprOf<ExprKind::kDistinct> {  // result of `equal` where both are not null
  ExprPtr left, right, equal;                        // equal: CallExpr of the = operator on left and right
  bool negated = false;                              // IS NOT DISTINCT FROM
};
struct ArrayCompareExpr : ExprOf<ExprKind::kArrayCompare> {
  ExprPtr left, array;
  Oid op = kInvalidOid, function = kInvalidOid, collation = kInvalidOid;
  bool any = true;  // false: ALL
};
struct ArrayExpr : ExprOf<ExprKind::kArray> {
  ExprList elements;
  TypeRef element;
  bool multidimensional = false;
};
struct RowExpr : ExprOf<ExprKind::kRow> {
  ExprList fields;
  std::vector<std::string> names;
};
struct RowCompareExpr : ExprOf<ExprKind::kRowCompare> {
  int strategy = 1;  // 1..5 for < <= = >= >, 6 for <>
  ExprList left, right;
  std::vector<Oid> less_functions, equal_functions;  // for each column
};
// The collation that column i of a row comparison works with.
inline Oid row_compare_collation(const RowCompareExpr& e, size_t i) {
  const Oid left = e.left[i]->type.collation, right = e.right[i]->type.collation;
  const bool take_right =
      e.left[i]->kind != ExprKind::kCollate &&
      (left == kInvalidOid || left == oid::kDefaultCollation || e.right[i]->kind == ExprKind::kCollate);
  return take_right && right != kInvalidOid ? right : left;
}
struct FieldExpr : ExprOf<ExprKind::kField> {
  ExprPtr argument;
  int field = 0;
};
struct SubscriptExpr : ExprOf<ExprKind::kSubscript> {
  ExprPtr container;
  struct Index {
    ExprPtr lower, upper;
    bool slice = false;
  };  // plain subscripts use `upper`
  std::vector<Index> indexes;
  TypeRef element;
  ExprPtr assign;  // UPDATE t SET a[1] = v; null otherwise
};
struct RelabelExpr : ExprOf<ExprKind::kRelabel> {
  ExprPtr argument;
  bool implicit = true;
};
struct IoCastExpr : ExprOf<ExprKind::kIoCast> {
  ExprPtr argument;
  bool implicit = false;
};
// The fields that the type of `argument` has by the same names, in the order of the node's type.
struct RowCastExpr : ExprOf<ExprKind::kRowCast> {
  ExprPtr argument;
  bool implicit = false;
};
struct ArrayCastExpr : ExprOf<ExprKind::kArrayCast> {
  ExprPtr argument;
  ExprPtr element;  // cast of one element, held in a ColumnExpr{input 0, column 0}
  bool implicit = false;
};
struct DomainCastExpr : ExprOf<ExprKind::kDomainCast> {
  ExprPtr argument;
  struct Check {
    std::string name;
    ExprPtr condition;
  };  // VALUE is ColumnExpr{0, 0}
  std::vector<Check> checks;
  bool not_null = false;
  bool implicit = false;
};
struct CollateExpr : ExprOf<ExprKind::kCollate> {
  ExprPtr argument;
};  // type.collation
struct SortKey;
struct AggregateExpr : ExprOf<ExprKind::kAggregate> {
  Oid function = kInvalidOid;
  Oid collation = kInvalidOid;
  ExprList arguments;          // empty: count(*)
  ExprList direct;             // direct arguments of ordered-set aggregates
  std::vector<SortKey> order;  // ORDER BY inside, over `arguments`' expressions
  bool distinct = false, star = false;
  ExprPtr filter;
  int levels_up = 0;
  char kind_of = 'n';  // pg_aggregate.aggkind
};
struct WindowCallExpr : ExprOf<ExprKind::kWindowCall> {
  Oid function = kInvalidOid;  // a window function or an aggregate
  bool aggregate = false, star = false;
  Oid collation = kInvalidOid;
  ExprList arguments;
  ExprPtr filter;
  int window = 0;  // index into Query::windows
};
struct GroupingExpr : ExprOf<ExprKind::kGrouping> {
  std::vector<int> group_columns;
};  // indexes into Query::group_by
struct Query;
// kMultiAssign is SET (a, b) = (SELECT ...): each assignment's value is FieldExpr{argument = the one shared SubLinkExpr}.
struct SubLinkExpr : ExprOf<ExprKind::kSubLink> {
  enum class Form : uint8_t { kExists, kAny, kAll, kScalar, kArray, kRowCompare, kMultiAssign } form = Form::kScalar;
  std::shared_ptr<const Query> query;
  // kAny, kAll, kRowCompare: left op column i, combined with AND (or as a row comparison, strategy as RowCompareExpr).
  // test: boolean expression in which column i of the subquery is RuntimeParamExpr{slot = i}.
  ExprPtr test;
};
struct Plan;
struct SubPlanExpr : ExprOf<ExprKind::kSubPlan> {
  SubLinkExpr::Form form = SubLinkExpr::Form::kScalar;
  int subplan = 0;  // index into PlannedStatement::subplans
  ExprPtr test;     // as above, over the runtime slots `columns`
  std::vector<int>
      columns;  // runtime slots that receive the subquery's columns (kAny, kAll, kRowCompare, kMultiAssign)
  // Correlation: before each evaluation slot `to` gets the value of `from` (an expression of the outer row).
  struct Pass {
    int to;
    ExprPtr from;
  };
  std::vector<Pass> passes;
  bool hashed = false;  // uncorrelated ANY with equality: probe a hash table
};
struct DefaultExpr : ExprOf<ExprKind::kDefault> {};
struct SessionValueExpr : ExprOf<ExprKind::kSessionValue> {
  enum class Which : uint8_t {
    kDate,
    kTime,
    kTimeTz,
    kTimestamp,
    kTimestampTz,
    kLocalTime,
    kLocalTimestamp,
    kCurrentUser,
    kSessionUser,
    kRole,
    kCatalog,
    kSchema,
    kUser  // USER, which is CURRENT_USER by another name
  } which = Which::kTimestampTz;
};
struct WholeRowExpr : ExprOf<ExprKind::kWholeRow> {
  int entry = 0;
  int levels_up = 0;
  std::vector<TypeRef> columns;  // of a record, while a statement is analyzed: it may be cast to a composite type
};

struct SortKey {
  ExprPtr expr;
  bool descending = false;
  bool nulls_first = false;
  Oid less = kInvalidOid;  // the ordering operator (USING), default btree's < or >
};

// Raises (base/raised_error.h) XX000: who took an expression for one of another kind. The statement fails, and no more.
[[noreturn]] void raise_unexpected_kind(ExprKind found, ExprKind expected);

// Checked, also in release builds: the wrong kind's members would be others' memory.
template <class T>
const T& as(const Expr& e) {
  if (e.kind != T::kKind) [[unlikely]]
    raise_unexpected_kind(e.kind, T::kKind);
  return static_cast<const T&>(e);
}
template <class T>
const T* try_as(const ExprPtr& e) {
  return e && e->kind == T::kKind ? static_cast<const T*>(e.get()) : nullptr;
}

// Calls `visit` on each direct child expression (SubLink: its test only).
void for_each_child(const Expr& e, const std::function<void(const ExprPtr&)>& visit);
// A copy of `e` whose direct children are replaced by map(child); `e` itself when none changed.
ExprPtr map_children(const ExprPtr& e, const std::function<ExprPtr(const ExprPtr&)>& map);
// Structural equality (locations ignored).
bool equal(const Expr& a, const Expr& b);
inline bool equal(const ExprPtr& a, const ExprPtr& b) { return a == b || (a && b && equal(*a, *b)); }
// Volatile or set-returning anywhere inside (subqueries included).
bool contains_volatile(const Expr& e);

}  // namespace indigo::sql
