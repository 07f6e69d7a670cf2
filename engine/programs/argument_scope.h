// The arguments of a SQL function as its statements name them: $1, name, function.name.
// Thread safety: immutable.
#pragma once

#include <string>
#include <vector>

#include "catalog/descriptor/relation_info.h"
#include "sql/analyze/variables.h"

namespace indigo::engine::programs {

class ArgumentScope final : public sql::VariableScope {
 public:
  ArgumentScope(const types::FunctionInfo& info, std::span<const types::TypeRef> types);

  Result<Found> find(std::span<const std::string_view> name, int location) const override;
  Result<bool> fields(std::span<const std::string_view> name, int location, Fields& out) const override;
  Result<sql::ExprPtr> parameter(int number, int location) const override;
  std::vector<types::TypeRef> types() const override { return types_; }

 private:
  sql::ExprPtr argument(size_t i, int location) const;

  const std::string function_;
  std::vector<std::string> names_;
  std::vector<types::TypeRef> types_;
};

}  // namespace indigo::engine::programs
