#include "sql/analyze/type/signature_text.h"

namespace indigo::sql {

std::string type_list_text(catalog::CatalogView& catalog, std::span<const Oid> types) {
  std::string out;
  for (size_t i = 0; i < types.size(); i++) {
    if (i) out += ", ";
    out += format_type(catalog, types[i]);
  }
  return out;
}

std::string signature_text(catalog::CatalogView& catalog, std::string_view name, std::span<const Oid> types) {
  return std::string(name) + "(" + type_list_text(catalog, types) + ")";
}

std::string operator_text(catalog::CatalogView& catalog, std::string_view name, Oid left, Oid right) {
  std::string out;
  if (left != kInvalidOid) out = format_type(catalog, left) + " ";
  return out + std::string(name) + " " + format_type(catalog, right);
}

}  // namespace indigo::sql
