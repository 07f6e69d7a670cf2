// WITH (...) of tables and indexes: what is kept in pg_class.reloptions, and what of it concerns storage.
//
//   leaf_size           of tables, Indigo's own: bytes of a leaf of the primary tree, a power of two. Large leaves make scans
//                       cheaper and changes dearer. Read when the table is made or rewritten.
//   fillfactor, leaf_merge_fill, leaf_dead_share, toast_tuple_target
//                       of tables (fillfactor of indexes, too): the thresholds of storage/thresholds.h, which has their
//                       meaning, bounds and defaults. They may be changed at any time.
// The others are PostgreSQL's: checked, kept, and without effect here. So is what concerns TOAST tables, which are not there.
// Thread safety: stateless.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catalog/tables/system_table.h"
#include "engine/ddl/object_lookup.h"
#include "sql/parse/tree_names.h"
#include "storage/table.h"
#include "storage/table_options.h"

namespace indigo::engine::ddl {

enum class OptionsOf : uint8_t { kTable, kIndex, kTablespace, kClass };

// As "name=value", checked. 22023 for unknown names and values out of bounds.
// `owner` is the index's method (empty: the default) or the operator class, whose parameters change nothing here: what answers
// for signatures and summaries keeps all of a value.
Result<std::vector<std::string>> storage_options(OptionsOf of, NodeList options, std::string_view owner = {});
// The names to RESET, each with a "=" behind it. 42601 when one has a value.
Result<std::vector<std::string>> reset_options(NodeList options);
// A row's list of options after `given` ("name=value") were set or reset.
void change_option_list(catalog::RowValues& row, int column, const std::vector<std::string>& given, bool reset);
// What setting or resetting these takes: most need not wait for those who read and write.
TableLockMode options_lock(NodeList options);

// reloptions of a table or index, as they are kept.
std::vector<std::string> options_of(DdlContext& c, Oid relation);
// attoptions of a column, as they are kept.
std::vector<std::string> column_options_of(DdlContext& c, Oid relation, int16_t column);

storage::TableOptions table_options(std::span<const std::string> options);
// Of a row of pg_class.
storage::TableOptions table_options(const catalog::RowReader& row);
// fillfactor of an index.
uint8_t index_fill(DdlContext& c, Oid index);
// m and ef_construction of an index that has a graph.
storage::GraphShape index_graph(std::span<const std::string> options);
storage::GraphShape index_graph(DdlContext& c, Oid index);

// What a table's or index's options say now holds for its storage once the transaction commits.
void apply_options(DdlContext& c, const RelationPtr& relation);

}  // namespace indigo::engine::ddl
