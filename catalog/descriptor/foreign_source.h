// Whether the rows of a foreign table can be reached.
// Thread safety: a function of an immutable descriptor.
#pragma once

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"

namespace indigo::catalog {

// 55000 for a foreign table whose wrapper has no handler. Every other relation passes.
inline Status check_reachable(const RelationInfo& relation) {
  if (!relation.is_foreign()) return {};
  if (relation.foreign != nullptr && relation.foreign->handler != kInvalidOid) return {};
  return Error(SqlState("55000"), "foreign-data wrapper \"" +
                                      (relation.foreign == nullptr ? std::string() : relation.foreign->wrapper) +
                                      "\" has no handler");
}

}  // namespace indigo::catalog
