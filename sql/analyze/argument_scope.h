// The arguments of a SQL function as its statements name them: $1, name, function.name.
// Thread safety: immutable.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sql/analyze/variables.h"
#include "types/type_info.h"

namespace indigo::sql {

// Names of the parameters that $1, $2 ... are: IN, INOUT and VARIADIC ones. Shorter than the arguments when there are none.
std::vector<std::string> input_names(const types::FunctionInfo& function);

class ArgumentScope final : public VariableScope {
 public:
  ArgumentScope(const types::FunctionInfo& info, std::span<const TypeRef> types);

  Result<Found> find(std::span<const std::string_view> name, int location) const override;
  Result<bool> fields(std::span<const std::string_view> name, int location, Fields& out) const override;
  Result<ExprPtr> parameter(int number, int location) const override;
  std::vector<TypeRef> types() const override { return types_; }

 private:
  ExprPtr argument(size_t i, int location) const;

  const std::string function_;
  const std::vector<std::string> names_;
  const std::vector<TypeRef> types_;
};

}  // namespace indigo::sql
