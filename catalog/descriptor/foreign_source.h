// Whether the rows of a foreign table can be reached.
// Thread safety: a function of an immutable descriptor.
#pragma once

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"

namespace indigo::catalog {

// The function of no catalog that a plan calls for a foreign table's rows: of the table's row type, by its OID and a text,
// the conditions that may be asked where the rows are (sql/plan/path/remote_conditions.h).
inline constexpr Oid kForeignRows{0xFFFFFFF1};

// 55000 for a foreign table whose wrapper has no handler. Every other relation passes.
inline Status check_reachable(const RelationInfo& relation) {
  if (!relation.is_foreign()) return {};
  if (relation.foreign != nullptr && relation.foreign->handler != kInvalidOid) return {};
  return Error(SqlState("55000"), "foreign-data wrapper \"" +
                                      (relation.foreign == nullptr ? std::string() : relation.foreign->wrapper) +
                                      "\" has no handler");
}

}  // namespace indigo::catalog
