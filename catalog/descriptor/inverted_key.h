// What a column of an inverted index (catalog/access_method.h) keeps of its values, by the column's operator class.
// Thread safety: reads one session's catalog view.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "catalog/descriptor/catalog_view.h"
#include "types/inverted/inverted_class.h"

namespace indigo::catalog {

struct InvertedKey {
  const types::InvertedClass* keys = nullptr;  // null: the column has no keys, and serves no condition
  types::InvertedColumn column;
  Oid family = kInvalidOid;
  Oid order = kInvalidOid;  // of a method that finds the nearest: the operator by whose result it does
};

InvertedKey inverted_key(CatalogView& catalog, const IndexColumn& column);
// Which of the class's strategies the operator is, if it is one that the class knows; else 0.
int inverted_strategy(CatalogView& catalog, const InvertedKey& key, Oid op);

// Whether the class orders by the operator's result, of the column and a place (types::Rings).
bool orders_by_distance(CatalogView& catalog, const InvertedKey& key, Oid op);
// The operator that a class of such a method orders by; kInvalidOid: none.
Oid nearest_operator(CatalogView& catalog, Oid family, Oid type);

// ---- compound keys. An index of scalars and one column of cells (rooms and times) has one more key for each row: the cell
// behind the scalars' keys, so that what is asked of all its columns together is found at once.

// The column of cells of such an index.
std::optional<size_t> compound_column(std::span<const InvertedKey> keys);
// What stands before the cell, of the values of all columns; false: a null among the scalars, so there is none.
bool append_compound_prefix(std::span<const InvertedKey> keys, std::span<const Datum> values, std::string& out);

// What stands before each key of the index's column `i`, from 0.
inline std::string inverted_column_prefix(size_t i) { return std::string(1, static_cast<char>(i)); }

}  // namespace indigo::catalog
