// btree_gist 1.7: classes by which an index or an exclusion constraint by gist serves the comparisons of ordinary types, and
// distances. GiST's support functions are left out: the structure that serves the index here has no use for them.
#include <string>

#include "types/extension/index_entry.h"

namespace indigo::types {

namespace {

struct Class {
  std::string_view name, type, entry;
};
constexpr Class kClasses[] = {
    {"gist_oid_ops", "oid", "gbtreekey8"},
    {"gist_int2_ops", "int2", "gbtreekey4"},
    {"gist_int4_ops", "int4", "gbtreekey8"},
    {"gist_int8_ops", "int8", "gbtreekey16"},
    {"gist_float4_ops", "float4", "gbtreekey8"},
    {"gist_float8_ops", "float8", "gbtreekey16"},
    {"gist_timestamp_ops", "timestamp", "gbtreekey16"},
    {"gist_timestamptz_ops", "timestamptz", "gbtreekey16"},
    {"gist_time_ops", "time", "gbtreekey16"},
    {"gist_timetz_ops", "timetz", "gbtreekey16"},
    {"gist_date_ops", "date", "gbtreekey8"},
    {"gist_interval_ops", "interval", "gbtreekey32"},
    {"gist_cash_ops", "money", "gbtreekey16"},
    {"gist_macaddr_ops", "macaddr", "gbtreekey16"},
    {"gist_text_ops", "text", "gbtreekey_var"},
    {"gist_bpchar_ops", "bpchar", "gbtreekey_var"},
    {"gist_bytea_ops", "bytea", "gbtreekey_var"},
    {"gist_numeric_ops", "numeric", "gbtreekey_var"},
    {"gist_bit_ops", "bit", "gbtreekey_var"},
    {"gist_vbit_ops", "varbit", "gbtreekey_var"},
    {"gist_inet_ops", "inet", "gbtreekey16"},
    {"gist_cidr_ops", "cidr", "gbtreekey16"},
    {"gist_uuid_ops", "uuid", "gbtreekey32"},
    {"gist_macaddr8_ops", "macaddr8", "gbtreekey16"},
    {"gist_enum_ops", "anyenum", "gbtreekey8"},
    {"gist_bool_ops", "bool", "gbtreekey2"},
};

struct EntryType {
  std::string_view name, length, storage;
};
constexpr EntryType kEntryTypes[] = {
    {"gbtreekey2", "2", "plain"},   {"gbtreekey4", "4", "plain"},   {"gbtreekey8", "8", "plain"},
    {"gbtreekey16", "16", "plain"}, {"gbtreekey32", "32", "plain"}, {"gbtreekey_var", "variable", "extended"},
};

// How far two values are from each other.
struct Distance {
  std::string_view name, type, result, order, body;
};
constexpr std::string_view kAbsolute = "select pg_catalog.abs($1 operator(pg_catalog.-) $2)";
constexpr std::string_view kLarger =
    "select case when $1 operator(pg_catalog.<) $2 then $2 operator(pg_catalog.-) $1 else $1 operator(pg_catalog.-) $2 "
    "end";
constexpr Distance kDistances[] = {
    {"cash_dist", "money", "money", "money_ops", kLarger},
    {"date_dist", "date", "int4", "integer_ops", kAbsolute},
    {"float4_dist", "float4", "float4", "float_ops", kAbsolute},
    {"float8_dist", "float8", "float8", "float_ops", kAbsolute},
    {"int2_dist", "int2", "int2", "integer_ops", kAbsolute},
    {"int4_dist", "int4", "int4", "integer_ops", kAbsolute},
    {"int8_dist", "int8", "int8", "integer_ops", kAbsolute},
    {"interval_dist", "interval", "interval", "interval_ops", kLarger},
    {"oid_dist", "oid", "oid", "oid_ops",
     "select (pg_catalog.abs($1::pg_catalog.int8 operator(pg_catalog.-) $2::pg_catalog.int8))::pg_catalog.oid"},
    {"time_dist", "time", "interval", "interval_ops", kLarger},
    {"ts_dist", "timestamp", "interval", "interval_ops", kLarger},
    {"tstz_dist", "timestamptz", "interval", "interval_ops", kLarger},
};

std::string definitions() {
  std::string out;
  for (const EntryType& t : kEntryTypes) {
    const std::string name(t.name);
    out += "create type " + name + ";\n";
    out += "create function " + name + "_in(cstring) returns " + name +
           " as 'MODULE_PATHNAME', 'gbtreekey_in' language c immutable strict parallel safe;\n";
    out += "create function " + name + "_out(" + name +
           ") returns cstring as 'MODULE_PATHNAME', 'gbtreekey_out' language c immutable strict parallel safe;\n";
    out += "create type " + name + " (internallength = " + std::string(t.length) + ", input = " + name +
           "_in, output = " + name + "_out, storage = " + std::string(t.storage) + ");\n";
  }
  for (const Distance& d : kDistances) {
    const std::string name(d.name), type = "pg_catalog." + std::string(d.type);
    out += "create function " + name + "(" + type + ", " + type + ") returns " + std::string(d.result) +
           " language sql immutable strict parallel safe as '" + std::string(d.body) + "';\n";
    out += "create operator <-> (leftarg = " + type + ", rightarg = " + type + ", procedure = " + name +
           ", commutator = <->);\n";
  }
  for (const Class& c : kClasses) {
    out.append("create operator class ").append(c.name).append(" default for type pg_catalog.").append(c.type);
    out += " using gist as ";
    const std::string type(c.type == "cidr" ? "pg_catalog.inet" : "pg_catalog." + std::string(c.type));
    constexpr const char* kOperators[] = {"<", "<=", "=", ">=", ">", "<>"};
    for (size_t i = 0; i < std::size(kOperators); i++) {
      out += (i == 0 ? "operator " : ", operator ") + std::to_string(i + 1) + " " + kOperators[i];
      out += "(" + type + ", " + type + ")";
    }
    for (const Distance& d : kDistances) {
      if (d.type != c.type) continue;
      out.append(", operator 15 <->(").append(type).append(", ").append(type);
      out.append(") for order by pg_catalog.").append(d.order);
    }
    out.append(", storage ").append(c.entry).append(";\n");
  }
  return out;
}

const ScalarEntry kFunctionsOfEntries[] = {{"gbtreekey_in", uncallable_kernel}, {"gbtreekey_out", uncallable_kernel}};
const ExtensionType kEntryForms[] = {{"gbtreekey_in", &kIndexEntryForms}};

}  // namespace

const Extension& btree_gist_extension() {
  static const std::string script = definitions();
  static const Extension extension{.name = "btree_gist",
                                   .version = "1.7",
                                   .comment = "support for indexing common datatypes in GiST",
                                   .schema = {},
                                   .required = {},
                                   .definitions = script,
                                   .functions = kFunctionsOfEntries,
                                   .types = kEntryForms};
  return extension;
}

}  // namespace indigo::types
