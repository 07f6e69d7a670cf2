// The values of a column whose rows are rewritten: ALTER TABLE ADD COLUMN, ALTER COLUMN TYPE.
#pragma once

#include <string>
#include <vector>

#include "engine/ddl/table/rewrite.h"

namespace indigo::engine::ddl {

// The values of an expression for every row (`once`: a single one for all), in the tree's order. The relation is as the
// catalog says now.
Result<std::vector<OwnedDatum>> values_for_rows(DdlContext& c, const RelationInfo& relation, const std::string& sql,
                                                bool once);
// Copies every old row with column `number` (appended when it is new) set from `values` (one for all, or one for each row).
Status rewrite_with_column(DdlContext& c, const RelationPtr& old, int16_t number, const std::vector<OwnedDatum>& values,
                           const Datum& otherwise);
// Stored values of the type, or of types made of it, would not be rewritten with the table.
Status check_type_not_stored(DdlContext& c, const RelationInfo& altered, Oid type);

}  // namespace indigo::engine::ddl
