// What one condition says of one column of a key.
// Thread safety: one planning, one thread.
#pragma once

#include <vector>

#include "sql/plan/condition/key_match.h"
#include "sql/plan/level.h"

namespace indigo::sql::planning {

class KeyConditions {
 public:
  KeyConditions(Level& level, const Rel& rel) : level_(level), rel_(rel) {}

  // The value that a condition compares the column with, turned so that the column is on the left.
  struct Comparison {
    int strategy = 0;  // 1..5 for < <= = >= >; 0: it does not compare it
    ExprPtr value;
    bool exact = true;  // else rows that have the key are still to be asked
  };
  Comparison compare(const ExprPtr& condition, const KeyPart& part) const;
  // The operator with the column on its left, and the value on its right; no operator: it is something else.
  struct Operand {
    Oid op = kInvalidOid;
    Oid collation = kInvalidOid;
    ExprPtr value;
  };
  Operand operand_of(const ExprPtr& condition, const KeyPart& part) const;
  // (a, b) < (x, y) bounds a, not exactly.
  Comparison row_bound(const ExprPtr& condition, const KeyPart& part) const;
  // The array of x = ANY (array); null: it is something else.
  ExprPtr array_of(const ExprPtr& condition, const KeyPart& part) const;
  // x IS NULL
  bool is_null_test(const ExprPtr& condition, const KeyPart& part) const;
  // x LIKE 'abc%': the bounds of the fixed prefix. A point has its value in `low`.
  struct Prefix {
    ExprPtr low, high;
    bool exact = false, point = false;
  };
  bool prefix_of(const ExprPtr& condition, const KeyPart& part, Prefix& out) const;
  // The alternatives of an OR, of (a, b) > (x, y), or of (a, b) = ANY (array of rows), each a list of conditions that must all
  // hold. False: it is something else. `exact` is cleared when the alternatives may allow more than the condition.
  bool alternatives_of(const ExprPtr& condition, std::vector<ExprList>& out, bool& exact) const;

 private:
  Oid base_type(Oid type) const;
  const ExprPtr& bare(const ExprPtr& e) const;
  int strategy_of(Oid op, Oid collation, const KeyPart& part) const;
  bool is_part(const ExprPtr& e, const KeyPart& part) const;
  bool usable_value(const ExprPtr& e) const;
  Comparison placed(int strategy, const ExprPtr& value, const TypeRef& type) const;
  bool may_be_null(const ExprPtr& e) const;
  bool row_alternatives(const RowCompareExpr& row, std::vector<ExprList>& out) const;
  ExprPtr field_equality(const ExprPtr& field, const ExprPtr& value) const;

  Level& level_;
  const Rel& rel_;
};

}  // namespace indigo::sql::planning
