// Evaluates a condition for values that are known while planning, all of them at once: a sample of a column, or the common
// combinations of several attributes.
// Thread safety: one planning, one thread.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "sql/plan/level.h"
#include "types/function/context.h"
#include "types/value/vector.h"

namespace indigo::sql::planning {

// The elements of an array, as written or as known now; nothing when it is not known, or has more than `most`.
std::optional<ExprList> listed_elements(const Level& level, const ExprPtr& array, size_t most);

class ValueEvaluation {
 public:
  // `count` values of each attribute will be bound, at least one.
  ValueEvaluation(Level& level, size_t count);
  // What the expression is in each of the rows; values have one physical kind, or are null.
  void bind(const ExprPtr& attribute, const std::vector<Datum>& values);
  // Null: something in it cannot be evaluated now. Calls only built-in functions that are immutable, or operators.
  const Vector* run(const ExprPtr& e);

 private:
  struct Binding {
    ExprPtr attribute;
    const Vector* values;
  };
  Vector& fresh(const TypeRef& type);
  const Vector* constant(const Datum& d);
  const Vector* call(const CallExpr& e);
  const Vector* apply(Oid function, const TypeRef& type, Oid collation, bool variadic, const ExprList& of,
                      const std::vector<const Vector*>& arguments);
  const Vector* compare_list(const ArrayCompareExpr& e);
  const Vector* combine(const BoolExpr& e);
  const Vector* test_null(const NullTestExpr& e);

  Level& level_;
  Arena arena_;
  types::FuncContext context_;
  uint32_t count_;
  std::vector<Binding> bindings_;
  std::deque<Vector> made_;
};

}  // namespace indigo::sql::planning
