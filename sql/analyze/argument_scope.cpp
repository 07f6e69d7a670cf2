#include "sql/analyze/argument_scope.h"

#include <algorithm>

namespace indigo::sql {

std::vector<std::string> input_names(const types::FunctionInfo& function) {
  std::vector<std::string> out;
  for (size_t i = 0; i < function.argument_names.size(); i++) {
    const char mode = i < function.argument_modes.size() ? function.argument_modes[i] : 'i';
    if (mode == 'i' || mode == 'b' || mode == 'v') out.push_back(function.argument_names[i]);
  }
  return out;
}

ArgumentScope::ArgumentScope(const types::FunctionInfo& info, std::span<const TypeRef> types)
    : function_(info.name), names_(input_names(info)), types_(types.begin(), types.end()) {}

ExprPtr ArgumentScope::argument(size_t i, int location) const {
  auto p = std::make_shared<ParamExpr>();
  p->index = static_cast<int>(i);
  p->type = types_[i];
  p->location = location;
  return p;
}

Result<ExprPtr> ArgumentScope::parameter(int number, int location) const {
  if (number < 1 || static_cast<size_t>(number) > types_.size()) return ExprPtr();
  return argument(static_cast<size_t>(number) - 1, location);
}

Result<VariableScope::Found> ArgumentScope::find(std::span<const std::string_view> name, int location) const {
  const auto named = [&](std::string_view wanted) {
    const auto at = std::find(names_.begin(), names_.end(), wanted);
    return at != names_.end() && !wanted.empty() ? at - names_.begin() : -1;
  };
  if (name.size() > 1 && name[0] == function_) {
    if (const auto i = named(name[1]); i >= 0) return Found{argument(static_cast<size_t>(i), location), 2};
  }
  if (const auto i = named(name[0]); i >= 0) return Found{argument(static_cast<size_t>(i), location), 1};
  return Found{};
}

// name.* is expanded by the analyzer where the type is known; it is not a variable of several fields.
Result<bool> ArgumentScope::fields(std::span<const std::string_view>, int, Fields& out) const {
  out.clear();
  return false;
}

}  // namespace indigo::sql
