// Names that a statement inside a program knows beside its columns: variables of PL/pgSQL, arguments of SQL functions.
// They become parameters of the execution.
// Thread safety: part of one analysis.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "sql/expr.h"

namespace indigo::sql {

class VariableScope {
 public:
  virtual ~VariableScope() = default;

  // Which one a name means that is a column's and a variable's: the column, the variable, or neither (42702).
  enum class Conflict : uint8_t { kColumn, kVariable, kError };
  virtual Conflict conflict() const { return Conflict::kColumn; }

  // What a, a.b or a.b.c begins with; `parts`: how many parts of the name that is, the rest are fields. Null: nothing.
  struct Found {
    ExprPtr value;
    size_t parts = 0;
  };
  virtual Result<Found> find(std::span<const std::string_view> name, int location) const = 0;

  // variable.*: false when the name is no variable of several fields.
  using Fields = std::vector<std::pair<std::string, ExprPtr>>;
  virtual Result<bool> fields(std::span<const std::string_view> name, int location, Fields& out) const = 0;

  // $n; null: there is none.
  virtual Result<ExprPtr> parameter(int number, int location) const = 0;
  // Of all parameters that the expressions above may refer to.
  virtual std::vector<TypeRef> types() const = 0;
};

}  // namespace indigo::sql
