// Rewriting a table: around another key, or with other columns. The new tree and its indexes get new file numbers; the old
// ones go when the transaction commits. As in PostgreSQL this is not multi-versioned: the caller holds ACCESS EXCLUSIVE.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "storage/table_options.h"

namespace indigo::engine::ddl {

// Makes the new table's rows. Called once with a function that takes one row's values (in the new layout's order).
using RowWriter = std::function<Status(std::span<const Datum> row)>;
using RowSource = std::function<Status(const RowWriter& write)>;

// The catalog rows describe the wanted state already (columns, pg_index of the primary key); `old` is the descriptor from
// before. `rows` null: the old rows as they are (the layout has not changed), and unbuilt indexes stay so.
// A unique violation names the index; nulls in the key's columns are 23502.
Status rewrite_table(DdlContext& c, const RelationPtr& old, const RowSource& rows = nullptr);
// All rows go: new empty tree and indexes (TRUNCATE).
Status empty_table(DdlContext& c, const RelationPtr& relation);
// Every row of `from` into the (empty) tree of `to`, which has the same layout and key; hidden row ids are new.
Status copy_rows(DdlContext& c, const RelationInfo& from, const RelationInfo& to);
// Indexes that were left unbuilt (CREATE INDEX CONCURRENTLY failed) shall be built by the rewriting that follows.
using WhichIndexes = std::function<bool(const IndexInfo& index)>;
Status mark_to_build(DdlContext& c, const RelationInfo& relation, const WhichIndexes& which);
// The contrary: nobody reads or writes the index any more. No other session may use the table.
Status mark_unbuilt(DdlContext& c, const RelationPtr& relation, size_t position);
// Builds all secondary indexes of a table that has its rows and none of its indexes.
Status rebuild_indexes(DdlContext& c, const RelationPtr& relation);
// One of them, by its position in relation->indexes; several sessions may, at once. Nothing to do for the key of the table itself.
Status rebuild_index(DdlContext& c, const RelationPtr& relation, size_t position);
// A new tree for a new table.
void create_storage(DdlContext& c, Oid filenode, char persistence, const storage::TableOptions& options);

// Walks the newest rows of a table.
Status for_each_row(DdlContext& c, const RelationInfo& relation,
                    const std::function<Status(Bytes key, Bytes row)>& visit);
bool has_rows(DdlContext& c, const RelationInfo& relation);
// 23502 "column "a" of relation "t" contains null values".
Error null_values(const RelationInfo& relation, std::string_view column);
Status check_no_nulls(DdlContext& c, const RelationInfo& relation, std::span<const int16_t> columns);

}  // namespace indigo::engine::ddl
