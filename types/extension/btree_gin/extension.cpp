// btree_gin 1.3: classes by which an index by gin serves the comparisons of ordinary types. GIN's support functions are left
// out: the structure that serves the index here has no use for them.
#include "types/extension/extension.h"

#include <string>

namespace indigo::types {

namespace {

struct Class {
  std::string_view name, type, operators_of = {};  // of another type where that is not the class's own
};
constexpr Class kClasses[] = {
    {"int2_ops", "int2"},
    {"int4_ops", "int4"},
    {"int8_ops", "int8"},
    {"float4_ops", "float4"},
    {"float8_ops", "float8"},
    {"money_ops", "money"},
    {"oid_ops", "oid"},
    {"timestamp_ops", "timestamp"},
    {"timestamptz_ops", "timestamptz"},
    {"time_ops", "time"},
    {"timetz_ops", "timetz"},
    {"date_ops", "date"},
    {"interval_ops", "interval"},
    {"macaddr_ops", "macaddr"},
    {"macaddr8_ops", "macaddr8"},
    {"inet_ops", "inet"},
    {"cidr_ops", "cidr", "inet"},
    {"text_ops", "text"},
    {"varchar_ops", "varchar", "text"},
    {"char_ops", "\"char\""},
    {"bytea_ops", "bytea"},
    {"bit_ops", "bit"},
    {"varbit_ops", "varbit"},
    {"numeric_ops", "numeric"},
    {"enum_ops", "anyenum"},
    {"uuid_ops", "uuid"},
    {"name_ops", "name"},
    {"bool_ops", "bool"},
    {"bpchar_ops", "bpchar"},
};

std::string definitions() {
  std::string out;
  for (const Class& c : kClasses) {
    out.append("create operator class ").append(c.name).append(" default for type pg_catalog.").append(c.type);
    out += " using gin as ";
    const std::string type("pg_catalog." + std::string(c.operators_of.empty() ? c.type : c.operators_of));
    constexpr const char* kOperators[] = {"<", "<=", "=", ">=", ">"};
    for (size_t i = 0; i < std::size(kOperators); i++) {
      out += (i == 0 ? "operator " : ", operator ") + std::to_string(i + 1) + " " + kOperators[i];
      out += "(" + type + ", " + type + ")";
    }
    out += ";\n";
  }
  return out;
}

}  // namespace

const Extension& btree_gin_extension() {
  static const std::string script = definitions();
  static const Extension extension{.name = "btree_gin",
                                   .version = "1.3",
                                   .comment = "support for indexing common datatypes in GIN",
                                   .schema = {},
                                   .required = {},
                                   .definitions = script,
                                   .functions = {}};
  return extension;
}

}  // namespace indigo::types
