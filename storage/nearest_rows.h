// The rows of a table in the order of their distance from a vector, nearly, by an index that finds the nearest
// (storage/index/hnsw/hnsw_index.h); then those that the index does not give: without a key, or out of reach in its graph. So all
// rows come, each once, whatever the graph is like.
//
// What a transaction reads that must see no phantoms is the table: it is read as a whole first.
//
// Thread safety: one session's. Holds nothing in index or table between calls.
#pragma once

#include <memory>
#include <string>

#include "storage/table.h"

namespace indigo::storage {

// `target`: a key as the index has them. `wanted`: how many candidates the search keeps at a time. Directions are not looked at.
std::unique_ptr<Cursor> nearest_rows(Table& table, Transaction& transaction, const ReadView& view, IndexId index,
                                     std::string target, size_t wanted);

}  // namespace indigo::storage
