#include "sql/analyze/type_text.h"

#include "catalog/oids.h"
#include "sql/func/registry.h"
#include "sql/func/text/strings.h"

namespace indigo::sql {
namespace {

struct SqlName {
  Oid oid;
  std::string_view before, after;  // around the modifier
};
constexpr SqlName kSqlNames[] = {
    {oid::kBit, "bit", ""},
    {oid::kBool, "boolean", ""},
    {oid::kBpchar, "character", ""},
    {oid::kFloat4, "real", ""},
    {oid::kFloat8, "double precision", ""},
    {oid::kInt2, "smallint", ""},
    {oid::kInt4, "integer", ""},
    {oid::kInt8, "bigint", ""},
    {oid::kNumeric, "numeric", ""},
    {oid::kInterval, "interval", ""},
    {oid::kTime, "time", " without time zone"},
    {oid::kTimeTz, "time", " with time zone"},
    {oid::kTimestamp, "timestamp", " without time zone"},
    {oid::kTimestampTz, "timestamp", " with time zone"},
    {oid::kVarbit, "bit varying", ""},
    {oid::kVarchar, "character varying", ""},
};

const SqlName* sql_name(Oid type) {
  for (const SqlName& n : kSqlNames) {
    if (n.oid == type) return &n;
  }
  return nullptr;
}

std::string modifier(Oid type, int32_t typmod) { return typmod >= 0 ? typmod_output(type, typmod) : std::string(); }

}  // namespace

std::string format_type(catalog::CatalogView& catalog, Oid type, int32_t typmod, bool exact) {
  if (type == kInvalidOid) return "-";
  const auto info = catalog.type(type);
  if (!info) return "???";
  if (info->is_array() && info->subscript != kInvalidOid && info->storage != 'p') {
    return format_type(catalog, info->element, typmod, exact) + "[]";
  }
  const bool bare = exact && typmod < 0;
  if (const SqlName* n = sql_name(type); n && !(bare && (type == oid::kBpchar || type == oid::kBit))) {
    return std::string(n->before) + modifier(type, typmod) + std::string(n->after);
  }
  std::string name = quote_identifier(info->name);
  const auto visible = catalog.find_type("", info->name);
  if (!visible || visible->oid != type) name = quote_identifier(catalog.schema_name(info->schema)) + "." + name;
  return name + modifier(type, typmod);
}

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
