#include "sql/analyze/type/signature_text.h"

namespace indigo::sql {

namespace {

std::string list_text(catalog::CatalogView& catalog, std::span<const Oid> types, std::span<const std::string> names) {
  std::string out;
  const size_t positional = types.size() - names.size();
  for (size_t i = 0; i < types.size(); i++) {
    if (i) out += ", ";
    if (i >= positional) out += names[i - positional] + " => ";
    out += format_type(catalog, types[i]);
  }
  return out;
}

}  // namespace

std::string type_list_text(catalog::CatalogView& catalog, std::span<const Oid> types) {
  return list_text(catalog, types, {});
}

std::string signature_text(catalog::CatalogView& catalog, std::string_view name, std::span<const Oid> types,
                           std::span<const std::string> names) {
  return std::string(name) + "(" + list_text(catalog, types, names) + ")";
}

std::string operator_text(catalog::CatalogView& catalog, std::string_view name, Oid left, Oid right) {
  std::string out;
  if (left != kInvalidOid) out = format_type(catalog, left) + " ";
  return out + std::string(name) + " " + format_type(catalog, right);
}

}  // namespace indigo::sql
