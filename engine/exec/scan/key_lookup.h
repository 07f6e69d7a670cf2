// Finds a table's rows by the values of some of its columns, through the best index there is (else by scanning): what
// foreign keys ask. Reads the newest state.
// Thread safety: none.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"
#include "engine/exec/query_state.h"

namespace indigo::engine::exec {

// Calls found(key, row) for each row whose columns (attribute numbers) equal the values (of the columns' types, not null);
// stops when it answers false.
Status find_rows(QueryState& state, const catalog::RelationInfo& relation, std::span<const int16_t> columns,
                 std::span<const Datum> values, const std::function<Result<bool>(Bytes key, Bytes row)>& found);

// Whether find_rows would do so without reading the whole table.
bool finds_by_index(QueryState& state, const catalog::RelationInfo& relation, std::span<const int16_t> columns);

// Whether a row's columns equal the values.
bool row_matches(QueryState& state, const catalog::RelationInfo& relation, Bytes row, std::span<const int16_t> columns,
                 std::span<const Datum> values);
// Equality of two values of one type (neither null), under its collation.
bool values_equal(QueryState& state, const types::TypeRef& type, const Datum& a, const Datum& b);

// A value of one column as a value of another (foreign keys between integers of different widths). False: `to` cannot hold it.
// Types that cannot be compared this way: 0A000.
Result<bool> convert_key_value(QueryState& state, const types::TypeRef& from, const types::TypeRef& to, Phys to_phys,
                               Datum& value);

}  // namespace indigo::engine::exec
