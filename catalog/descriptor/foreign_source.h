// Whether the rows of a foreign table can be reached.
// Thread safety: a function of an immutable descriptor.
#pragma once

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"

namespace indigo::catalog {

// The function of no catalog that a plan calls for a foreign table's rows: of the table's row type, by its OID, the
// conditions that may be asked where the rows are (sql/plan/path/remote_conditions.h), the role that reads them (kInvalidOid:
// the session's), the numbers from 0 of the columns that are read, each behind a blank ("*": all; others may be null), and the
// values that are in the conditions.
inline constexpr Oid kForeignRows{0xFFFFFFF1};
inline constexpr size_t kForeignRowsValues = 4;  // the first of them
// Before the conditions: that the rows have their ctid behind the table's columns, which makes records of them; and behind
// that what the rows are read for. Of those that are to be changed the function's last column is the key
// (engine/exec/change/foreign_host.h). A wrapper that cannot change them tells it when the table is reached, so that partitions
// that a run leaves out may be of any.
inline constexpr char kForeignUpdate = '\2', kForeignDelete = '\3', kForeignMerge = '\4', kForeignLockShare = '\5',
                      kForeignLockUpdate = '\6', kForeignPlaces = '\7';

// In the conditions a number between two of these: a value behind the columns' argument, from 0; a column of the table, from 0.
inline constexpr char kForeignValueMark = '\1', kForeignColumnMark = '\x0e';

// 55000 for a foreign table whose wrapper has no handler. Every other relation passes.
inline Status check_reachable(const RelationInfo& relation) {
  if (!relation.is_foreign()) return {};
  if (relation.foreign != nullptr && relation.foreign->handler != kInvalidOid) return {};
  return Error(SqlState("55000"), "foreign-data wrapper \"" +
                                      (relation.foreign == nullptr ? std::string() : relation.foreign->wrapper) +
                                      "\" has no handler");
}

}  // namespace indigo::catalog
