// btree_gist 1.7: classes by which an index or an exclusion constraint by gist serves the comparisons of ordinary types, and
// distances. The structure that serves the index here has no use for GiST's support functions: they are there by name.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/sqlstate.h"
#include "types/datetime/arithmetic.h"
#include "types/extension/index_entry.h"
#include "types/extension/index_support.h"
#include "types/function/kernel.h"

namespace indigo::types {

namespace {

// `functions`: what the names of its support functions have in them; `entries`: the same of those that see entries only.
struct Class {
  std::string_view name, type, entry, functions, entries;
};
constexpr Class kClasses[] = {
    {"gist_oid_ops", "oid", "gbtreekey8", "oid", "oid"},
    {"gist_int2_ops", "int2", "gbtreekey4", "int2", "int2"},
    {"gist_int4_ops", "int4", "gbtreekey8", "int4", "int4"},
    {"gist_int8_ops", "int8", "gbtreekey16", "int8", "int8"},
    {"gist_float4_ops", "float4", "gbtreekey8", "float4", "float4"},
    {"gist_float8_ops", "float8", "gbtreekey16", "float8", "float8"},
    {"gist_timestamp_ops", "timestamp", "gbtreekey16", "ts", "ts"},
    {"gist_timestamptz_ops", "timestamptz", "gbtreekey16", "tstz", "ts"},
    {"gist_time_ops", "time", "gbtreekey16", "time", "time"},
    {"gist_timetz_ops", "timetz", "gbtreekey16", "timetz", "time"},
    {"gist_date_ops", "date", "gbtreekey8", "date", "date"},
    {"gist_interval_ops", "interval", "gbtreekey32", "intv", "intv"},
    {"gist_cash_ops", "money", "gbtreekey16", "cash", "cash"},
    {"gist_macaddr_ops", "macaddr", "gbtreekey16", "macad", "macad"},
    {"gist_text_ops", "text", "gbtreekey_var", "text", "text"},
    {"gist_bpchar_ops", "bpchar", "gbtreekey_var", "bpchar", "text"},
    {"gist_bytea_ops", "bytea", "gbtreekey_var", "bytea", "bytea"},
    {"gist_numeric_ops", "numeric", "gbtreekey_var", "numeric", "numeric"},
    {"gist_bit_ops", "bit", "gbtreekey_var", "bit", "bit"},
    {"gist_vbit_ops", "varbit", "gbtreekey_var", "bit", "bit"},
    {"gist_inet_ops", "inet", "gbtreekey16", "inet", "inet"},
    {"gist_cidr_ops", "cidr", "gbtreekey16", "inet", "inet"},
    {"gist_uuid_ops", "uuid", "gbtreekey32", "uuid", "uuid"},
    {"gist_macaddr8_ops", "macaddr8", "gbtreekey16", "macad8", "macad8"},
    {"gist_enum_ops", "anyenum", "gbtreekey8", "enum", "enum"},
    {"gist_bool_ops", "bool", "gbtreekey2", "bool", "bool"},
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
  std::string_view name, type, result, order;
};
constexpr Distance kDistances[] = {
    {"cash_dist", "money", "money", "money_ops"},
    {"date_dist", "date", "int4", "integer_ops"},
    {"float4_dist", "float4", "float4", "float_ops"},
    {"float8_dist", "float8", "float8", "float_ops"},
    {"int2_dist", "int2", "int2", "integer_ops"},
    {"int4_dist", "int4", "int4", "integer_ops"},
    {"int8_dist", "int8", "int8", "integer_ops"},
    {"interval_dist", "interval", "interval", "interval_ops"},
    {"oid_dist", "oid", "oid", "oid_ops"},
    {"time_dist", "time", "interval", "interval_ops"},
    {"ts_dist", "timestamp", "interval", "interval_ops"},
    {"tstz_dist", "timestamptz", "interval", "interval_ops"},
};

template <class T>
T distance_of_integers(FuncContext& context, T a, T b, const char* out_of_range) {
  const __int128 difference = static_cast<__int128>(a) - b, distance = difference < 0 ? -difference : difference;
  if (distance <= std::numeric_limits<T>::max()) return static_cast<T>(distance);
  context.fail(sqlstate::kNumericValueOutOfRange, out_of_range);
  return 0;
}
int16_t int2_distance(FuncContext& context, int16_t a, int16_t b) {
  return distance_of_integers(context, a, b, "smallint out of range");
}
int32_t int4_distance(FuncContext& context, int32_t a, int32_t b) {
  return distance_of_integers(context, a, b, "integer out of range");
}
int64_t int8_distance(FuncContext& context, int64_t a, int64_t b) {
  return distance_of_integers(context, a, b, "bigint out of range");
}
int64_t money_distance(FuncContext& context, int64_t a, int64_t b) {
  return distance_of_integers(context, a, b, "money out of range");
}
int32_t oid_distance(int32_t a, int32_t b) {
  const auto of_a = static_cast<Oid>(a), of_b = static_cast<Oid>(b);
  return static_cast<int32_t>(of_a < of_b ? of_b - of_a : of_a - of_b);
}
int32_t date_distance(FuncContext& context, int32_t a, int32_t b) {
  const int32_t difference = date_difference(context, a, b);
  return difference < 0 ? -difference : difference;
}
Interval time_distance(int64_t a, int64_t b) { return {.microseconds = a < b ? b - a : a - b, .days = 0, .months = 0}; }
Interval interval_distance(FuncContext& context, Interval a, Interval b) {
  return compare_intervals(a, b) < 0 ? interval_subtract(context, b, a) : interval_subtract(context, a, b);
}

// What is equal is near, infinities too; a NaN is infinitely far from all else.
template <class T>
T float_distance(FuncContext& context, T a, T b) {
  const T difference = a - b;
  if (std::isnan(difference)) {
    const bool same = std::isnan(a) == std::isnan(b);
    return same ? 0 : std::numeric_limits<T>::infinity();
  }
  if (std::isinf(difference) && !std::isinf(a) && !std::isinf(b))
    context.fail(sqlstate::kNumericValueOutOfRange, "value out of range: overflow");
  return difference >= 0 ? difference : -difference;
}

// From infinity all is as far as an interval can be.
Interval timestamp_distance(FuncContext& context, int64_t a, int64_t b) {
  constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
  if (!is_finite_timestamp(a) || !is_finite_timestamp(b))
    return {.microseconds = std::numeric_limits<int64_t>::max(), .days = kMost, .months = kMost};
  return a < b ? timestamp_difference(context, b, a) : timestamp_difference(context, a, b);
}

// The class's support functions, after its operators.
std::string support_of(IndexSupport& support, const Class& c) {
  const std::string entry(c.entry), type = "pg_catalog." + std::string(c.type == "cidr"     ? "inet"
                                                                       : c.type == "varbit" ? "bit"
                                                                                            : c.type);
  const bool safe = c.type != "bool", various = c.entry == "gbtreekey_var";
  std::string out;
  const auto add = [&](int number, const std::string& name, const std::string& arguments, std::string_view result,
                       bool parallel_safe) {
    const std::string signature = "gbt_" + name + "(" + arguments + ")";
    out += ", function " + std::to_string(number) + " " + support.function(signature, result, parallel_safe);
  };
  const std::string own = std::string(c.functions) + "_", seen = std::string(c.entries) + "_";
  const std::string asked = "internal, " + type + ", int2, oid, internal";
  add(1, own + "consistent", asked, "bool", safe);
  add(2, seen + "union", "internal, internal", entry, safe);
  add(3, own + "compress", "internal", "internal", safe);
  const char* const decompress = various ? "var_decompress" : c.type == "interval" ? "intv_decompress" : "decompress";
  add(4, decompress, "internal", "internal", true);
  add(5, seen + "penalty", "internal, internal, internal", "internal", safe);
  add(6, seen + "picksplit", "internal, internal", "internal", safe);
  add(7, seen + "same", entry + ", " + entry + ", internal", "internal", safe);
  const auto measures = [&](const Distance& d) { return d.type == c.type; };
  if (std::any_of(std::begin(kDistances), std::end(kDistances), measures))
    add(8, own + "distance", asked, "float8", safe);
  if (c.functions != "inet" && c.type != "timetz")
    add(9, various ? "var_fetch" : seen + "fetch", "internal", "internal", safe);
  return out;
}

std::string definitions(IndexSupport& support) {
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
           " as 'MODULE_PATHNAME', '" + name + "' language c immutable strict parallel safe;\n";
    out += "create operator <-> (leftarg = " + type + ", rightarg = " + type + ", procedure = " + name +
           ", commutator = <->);\n";
  }
  std::string classes;
  for (const Class& c : kClasses) {
    classes.append("create operator class ").append(c.name).append(" default for type pg_catalog.").append(c.type);
    classes += " using gist as ";
    const std::string type(c.type == "cidr" ? "pg_catalog.inet" : "pg_catalog." + std::string(c.type));
    constexpr const char* kOperators[] = {"<", "<=", "=", ">=", ">", "<>"};
    for (size_t i = 0; i < std::size(kOperators); i++) {
      classes += (i == 0 ? "operator " : ", operator ") + std::to_string(i + 1) + " " + kOperators[i];
      classes += "(" + type + ", " + type + ")";
    }
    for (const Distance& d : kDistances) {
      if (d.type != c.type) continue;
      classes.append(", operator 15 <->(").append(type).append(", ").append(type);
      classes.append(") for order by pg_catalog.").append(d.order);
    }
    classes += support_of(support, c);
    classes.append(", storage ").append(c.entry).append(";\n");
  }
  return out + support.script() + classes;
}

const ScalarEntry kFunctions[] = {{"gbtreekey_in", uncallable_kernel},
                                  {"gbtreekey_out", uncallable_kernel},
                                  {"cash_dist", kernel<money_distance>},
                                  {"date_dist", kernel<date_distance>},
                                  {"int2_dist", kernel<int2_distance>},
                                  {"int4_dist", kernel<int4_distance>},
                                  {"int8_dist", kernel<int8_distance>},
                                  {"interval_dist", kernel<interval_distance>},
                                  {"oid_dist", kernel<oid_distance>},
                                  {"time_dist", kernel<time_distance>},
                                  {"float4_dist", kernel<float_distance<float>>},
                                  {"float8_dist", kernel<float_distance<double>>},
                                  {"ts_dist", kernel<timestamp_distance>},
                                  {"tstz_dist", kernel<timestamp_distance>}};
std::vector<ScalarEntry> all_entries(const IndexSupport& support) {
  std::vector<ScalarEntry> out = support.entries();
  out.insert(out.end(), std::begin(kFunctions), std::end(kFunctions));
  return out;
}

const ExtensionType kEntryForms[] = {{"gbtreekey_in", &kIndexEntryForms}};

}  // namespace

const Extension& btree_gist_extension() {
  static IndexSupport support;
  static const std::string script = definitions(support);
  static const std::vector<ScalarEntry> entries = all_entries(support);
  static const Extension extension{.name = "btree_gist",
                                   .version = "1.7",
                                   .comment = "support for indexing common datatypes in GiST",
                                   .schema = {},
                                   .required = {},
                                   .definitions = script,
                                   .functions = entries,
                                   .types = kEntryForms};
  return extension;
}

}  // namespace indigo::types
