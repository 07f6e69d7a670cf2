// What the details of errors show of a row: the values that the current user may read, and those that the statement itself
// has given, so that no error tells a user what SELECT would not.
// Thread safety: none; for the running execution.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "catalog/descriptor/relation_info.h"
#include "engine/exec/query_state.h"

namespace indigo::engine::exec {

// May the current user read the table as a whole, or else each of these columns (numbers from 1; 0, an expression: never)?
bool may_read(QueryState& state, const catalog::RelationInfo& relation, std::span<const int16_t> columns);

// "(1, abc, null)", long values cut; "(a, b) = (1, abc)" of the columns that are readable or in `named` (from 0) where the
// table as a whole is not; nothing when there are none. Null pointers stand for nulls.
std::optional<std::string> failing_row_text(QueryState& state, const catalog::RelationInfo& relation,
                                            std::span<const Vector* const> columns, uint32_t row,
                                            std::span<const int> named);

// " (a, b)=(1, abc)" of an encoded row, with the blank; empty when the user may not read one of them. Foreign keys tell the
// columns' names as they are.
std::string key_text(QueryState& state, const catalog::RelationInfo& relation, std::span<const int16_t> columns,
                     Bytes row);
// "(a, "myCol")=(1, abc)": an index's columns and expressions as its definition writes them, whoever asks. None: an expression
// cannot be computed.
std::optional<std::string> index_entry_text(catalog::SessionContext& session, storage::Store& store,
                                            const std::shared_ptr<const catalog::RelationInfo>& relation,
                                            const catalog::IndexInfo& index, Bytes row);
std::string index_columns_text(catalog::SessionContext& session, const catalog::RelationInfo& relation,
                               std::span<const int16_t> columns, Bytes row);

}  // namespace indigo::engine::exec
