// Names of text search objects: configurations, dictionaries, parsers and templates.
// Thread safety: as the catalog view.
#pragma once

#include <optional>
#include <string_view>

#include "catalog/descriptor/catalog_view.h"
#include "types/textsearch/session.h"

namespace indigo::catalog {

// Along search_path when schema is empty. kInvalidOid: none.
Oid find_text_search(CatalogView& view, types::TextSearchKind kind, std::string_view schema, std::string_view name);
std::optional<types::TextSearchName> text_search_name(CatalogView& view, types::TextSearchKind kind, Oid oid);

}  // namespace indigo::catalog
