// Signatures of functions and operators as PostgreSQL writes them in messages and in deparsed SQL.
// Thread safety: reads one session's catalog view.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "catalog/descriptor/catalog_view.h"
#include "types/system/type_name.h"  // format_type
#include "types/text/strings.h"      // quote_identifier, quote_literal

namespace indigo::sql {

// "integer, unknown"
std::string type_list_text(catalog::CatalogView& catalog, std::span<const Oid> types);
// "name(integer, unknown)", "name(integer, b => unknown)": `names` are of the last arguments.
std::string signature_text(catalog::CatalogView& catalog, std::string_view name, std::span<const Oid> types,
                           std::span<const std::string> names = {});
// "integer + text", "- text" when left is invalid
std::string operator_text(catalog::CatalogView& catalog, std::string_view name, Oid left, Oid right);

}  // namespace indigo::sql
