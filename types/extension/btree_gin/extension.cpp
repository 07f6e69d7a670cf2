// btree_gin 1.3: classes by which an index by gin serves the comparisons of ordinary types. The structure that serves the index
// here has no use for GIN's support functions: they are there by name.
#include "types/extension/extension.h"

#include <string>

#include "types/extension/index_support.h"
#include "types/function/registry.h"

namespace indigo::types {

namespace {

struct Class {
  std::string_view name, type, comparison, operators_of = {};  // of another type where that is not the class's own
};
constexpr Class kClasses[] = {
    {"int2_ops", "int2", "btint2cmp"},
    {"int4_ops", "int4", "btint4cmp"},
    {"int8_ops", "int8", "btint8cmp"},
    {"float4_ops", "float4", "btfloat4cmp"},
    {"float8_ops", "float8", "btfloat8cmp"},
    {"money_ops", "money", "cash_cmp"},
    {"oid_ops", "oid", "btoidcmp"},
    {"timestamp_ops", "timestamp", "timestamp_cmp"},
    {"timestamptz_ops", "timestamptz", "timestamptz_cmp"},
    {"time_ops", "time", "time_cmp"},
    {"timetz_ops", "timetz", "timetz_cmp"},
    {"date_ops", "date", "date_cmp"},
    {"interval_ops", "interval", "interval_cmp"},
    {"macaddr_ops", "macaddr", "macaddr_cmp"},
    {"macaddr8_ops", "macaddr8", "macaddr8_cmp"},
    {"inet_ops", "inet", "network_cmp"},
    {"cidr_ops", "cidr", "network_cmp", "inet"},
    {"text_ops", "text", "bttextcmp"},
    {"varchar_ops", "varchar", "bttextcmp", "text"},
    {"char_ops", "\"char\"", "btcharcmp"},
    {"bytea_ops", "bytea", "byteacmp"},
    {"bit_ops", "bit", "bitcmp"},
    {"varbit_ops", "varbit", "varbitcmp"},
    {"numeric_ops", "numeric", "gin_numeric_cmp"},
    {"enum_ops", "anyenum", "gin_enum_cmp"},
    {"uuid_ops", "uuid", "uuid_cmp"},
    {"name_ops", "name", "btnamecmp"},
    {"bool_ops", "bool", "btboolcmp"},
    {"bpchar_ops", "bpchar", "bpcharcmp"},
};

// The class's support functions, after its operators.
std::string support_of(IndexSupport& support, const Class& c, const std::string& compared) {
  std::string name(c.type == "varchar" ? "text" : c.type);
  const std::string type = "pg_catalog." + name;
  std::erase(name, '"');
  const auto own = [&](const char* verb, const std::string& arguments, std::string_view result) {
    return support.function(std::string("gin_") + verb + "_" + name + "(" + type + arguments + ")", result, false);
  };
  std::string out = ", function 1 " + std::string(c.comparison) + "(" + compared + ", " + compared + ")";
  out += ", function 2 " + own("extract_value", ", internal", "internal");
  out += ", function 3 " + own("extract_query", ", internal, int2, internal, internal", "internal");
  out += ", function 4 " +
         support.function("gin_btree_consistent(internal, int2, anyelement, int4, internal, internal)", "bool", false);
  out += ", function 5 " + own("compare_prefix", ", " + type + ", int2, internal", "int4");
  return out;
}

std::string definitions(IndexSupport& support) {
  std::string out;
  support.function("gin_numeric_cmp(numeric, numeric)", "int4", false);
  support.function("gin_enum_cmp(anyenum, anyenum)", "int4", false);
  for (const Class& c : kClasses) {
    out.append("create operator class ").append(c.name).append(" default for type pg_catalog.").append(c.type);
    out += " using gin as ";
    const std::string type("pg_catalog." + std::string(c.operators_of.empty() ? c.type : c.operators_of));
    constexpr const char* kOperators[] = {"<", "<=", "=", ">=", ">"};
    for (size_t i = 0; i < std::size(kOperators); i++) {
      out += (i == 0 ? "operator " : ", operator ") + std::to_string(i + 1) + " " + kOperators[i];
      out += "(" + type + ", " + type + ")";
    }
    out += support_of(support, c, type) + ";\n";
  }
  return support.script() + out;
}

// Calls a built-in function of the same arguments.
template <uint32_t kFunction>
void as_builtin(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                Selection selection, Vector& out) {
  find_scalar(Oid{kFunction})->kernel(context, call, arguments, selection, out);
}

std::vector<ScalarEntry> all_entries(const IndexSupport& support) {
  constexpr uint32_t kNumericCmp = 1769, kEnumCmp = 3514;
  std::vector<ScalarEntry> out = support.entries();
  for (ScalarEntry& entry : out) {
    if (std::string_view(entry.name) == "gin_numeric_cmp") entry.kernel = as_builtin<kNumericCmp>;
    if (std::string_view(entry.name) == "gin_enum_cmp") entry.kernel = as_builtin<kEnumCmp>;
  }
  return out;
}

}  // namespace

const Extension& btree_gin_extension() {
  static IndexSupport support;
  static const std::string script = definitions(support);
  static const std::vector<ScalarEntry> entries = all_entries(support);
  static const Extension extension{.name = "btree_gin",
                                   .version = "1.3",
                                   .comment = "support for indexing common datatypes in GIN",
                                   .schema = {},
                                   .required = {},
                                   .definitions = script,
                                   .functions = entries};
  return extension;
}

}  // namespace indigo::types
