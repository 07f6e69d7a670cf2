// Parts of an extension's statements, written from lists: most functions and operators come in the same shape.
// Thread safety: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace indigo::types {

// A function in C: its name and arguments, what it returns, its symbol (empty: its name), and its attributes besides being
// in C and safe for parallel plans.
struct ScriptFunction {
  std::string_view signature, result, symbol = {}, attributes = "immutable strict";
};
std::string function_script(std::span<const ScriptFunction> functions);

struct ScriptOperator {
  std::string_view name, left, right, function;
  std::string_view clauses = {};  // begins with ", "
};
std::string operator_script(std::span<const ScriptOperator> operators);

inline constexpr std::string_view kMatchingEstimate = ", restrict = matchingsel, join = matchingjoinsel";

// `shape` with each $ replaced by `value`.
std::string filled_in(std::string_view shape, std::string_view value);

}  // namespace indigo::types
