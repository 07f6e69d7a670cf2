// The operators of an exclusion constraint, one for each key of its index: a descriptor keeps them as text (numbers of
// pg_operator), since it has one field for what only one kind of constraint has.
// Thread safety: pure functions.
#pragma once

#include <charconv>
#include <vector>

#include "base/sqlstate.h"
#include "catalog/descriptor/relation_info.h"

namespace indigo::catalog {

inline constexpr SqlState kExclusionViolation{"23P01"};

inline std::vector<Oid> exclusion_operators(const ConstraintInfo& constraint) {
  std::vector<Oid> out;
  const char* at = constraint.expression.data();
  const char* const end = at + constraint.expression.size();
  while (constraint.kind == 'x' && at < end) {
    uint32_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc()) break;
    out.push_back(static_cast<Oid>(value));
    at = next < end ? next + 1 : end;
  }
  return out;
}

inline std::string exclusion_text(const std::vector<Oid>& operators) {
  std::string out;
  for (const Oid o : operators) out += (out.empty() ? "" : " ") + std::to_string(o);
  return out;
}

}  // namespace indigo::catalog
