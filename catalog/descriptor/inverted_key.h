// What a column of an inverted index (catalog/access_method.h) keeps of its values, by the column's operator class.
// Thread safety: reads one session's catalog view.
#pragma once

#include <string>

#include "catalog/descriptor/catalog_view.h"
#include "types/inverted/inverted_class.h"

namespace indigo::catalog {

struct InvertedKey {
  const types::InvertedClass* keys = nullptr;  // null: the column has no keys, and serves no condition
  types::InvertedColumn column;
  Oid family = kInvalidOid;
};

InvertedKey inverted_key(CatalogView& catalog, const IndexColumn& column);
// Which of the class's strategies the operator is, if it is one that the class knows; else 0.
int inverted_strategy(CatalogView& catalog, const InvertedKey& key, Oid op);
// What stands before each key of the index's column `i`, from 0.
inline std::string inverted_column_prefix(size_t i) { return std::string(1, static_cast<char>(i)); }

}  // namespace indigo::catalog
