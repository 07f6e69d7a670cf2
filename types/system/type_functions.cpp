// Types, names and encodings: format_type, pg_typeof, to_reg*, pg_encoding_to_char, pg_size_pretty, pg_column_size.
#include <cmath>

#include "base/sqlstate.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/numeric/numeric.h"
#include "types/oids.h"
#include "types/system/object_name.h"
#include "types/system/type_name.h"
#include "types/text/ascii.h"
#include "types/text/encodings.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

std::optional<std::string> format_type_sql(FuncContext& context, std::optional<int32_t> type,
                                           std::optional<int32_t> typmod) {
  if (!type) return std::nullopt;
  return format_type(context, static_cast<Oid>(*type), typmod);
}

int32_t type_of(FuncContext&, const CallInfo& call, std::span<const Datum>) {
  return call.arguments.empty() ? 0 : static_cast<int32_t>(call.arguments[0].oid);
}

std::optional<std::string> collation_for(FuncContext& context, const CallInfo& call, std::span<const Datum> values) {
  if (call.arguments.empty() || values[0].null) return std::nullopt;
  const auto type = context.session().catalog().type(call.arguments[0].oid);
  if (type == nullptr || (type->collation == kInvalidOid && type->oid != oid::kUnknown)) {
    context.fail(sqlstate::kDatatypeMismatch,
                 "collations are not supported by type " + format_type(context, call.arguments[0].oid));
    return std::nullopt;
  }
  if (call.collation == kInvalidOid) return std::nullopt;
  return collation_display_name(context, call.collation);
}

template <Result<Oid> (*kFind)(FuncContext&, Str)>
std::optional<int32_t> to_reg(FuncContext& context, Str name) {
  const Result<Oid> found = kFind(context, name);
  if (found) return static_cast<int32_t>(*found);
  // A name that nothing has is null; a malformed one is an error.
  const std::string_view state = found.error().state.text();
  if (state == "42P01" || state == "42704" || state == "42883" || state == "3F000" || state == "42725")
    return std::nullopt;
  context.fail(Error(found.error()));
  return std::nullopt;
}

// ---- encodings, by PostgreSQL's numbers
Str client_encoding(FuncContext& context) {
  std::string value;
  context.session().setting("client_encoding", value);
  return context.arena().copy(value);
}
Str database_encoding(FuncContext&) { return "UTF8"; }
std::optional<int32_t> encoding_max_length(int32_t number) {
  static constexpr int8_t kLengths[] = {1, 3, 3, 3, 4, 3, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 3, 2};
  if (number < 0 || static_cast<size_t>(number) >= std::size(kLengths)) return std::nullopt;
  return kLengths[number];
}

// ---- sizes
// From kB on, `size` counts half units, so that the rounding sees the half.
template <class Integer>
std::string size_in_units(Integer size) {
  static constexpr const char* kUnits[] = {"kB", "MB", "GB", "TB", "PB"};
  size /= 512;
  for (size_t unit = 0;; unit++) {
    if (unit + 1 == std::size(kUnits) || (size > -20 * 1024 + 1 && size < 20 * 1024 - 1)) {
      const Integer rounded = (size < 0 ? size - 1 : size + 1) / 2;
      return std::to_string(static_cast<int64_t>(rounded)) + " " + kUnits[unit];
    }
    size /= 1024;
  }
}
std::string size_pretty(int64_t size) {
  return size > -10 * 1024 && size < 10 * 1024 ? std::to_string(size) + " bytes" : size_in_units(size);
}
std::string size_pretty_numeric(Str size) {
  std::string text;
  append_numeric_text(size, text);
  const std::string whole = text.substr(0, text.find('.'));
  if (!is_digit(whole.back())) return text + " PB";
  if (whole.size() > 38) {  // petabytes; what the divisions to kilobytes cut is far below the rounding
    const Numeric units = divide(Numeric::from_image(size), Numeric(int64_t{1} << 49), 0, false);
    const Numeric halves = add(units, Numeric(whole[0] == '-' ? -1 : 1));
    return numeric_text(divide(halves, Numeric(2), 0, false)) + " PB";
  }
  __int128 value = 0;
  for (const char c : whole)
    if (is_digit(c)) value = value * 10 + (c - '0');
  if (value < 10 * 1024) return text + " bytes";
  return size_in_units(whole[0] == '-' ? -value : value);
}

int64_t size_bytes(FuncContext& context, Str text) {
  const Str trimmed = trim_blanks(text);
  size_t at = 0;
  if (at < trimmed.size() && (trimmed[at] == '-' || trimmed[at] == '+')) at++;
  const size_t digits_from = at;
  const auto digits = [&] {
    while (at < trimmed.size() && is_digit(trimmed[at])) at++;
  };
  digits();
  const bool point = at < trimmed.size() && trimmed[at] == '.';
  if (point) {
    at++;
    digits();
  }
  if (at == digits_from + (point ? 1 : 0)) {
    context.fail(sqlstate::kInvalidParameterValue, "invalid size: \"" + std::string(text) + "\"");
    return 0;
  }
  if (at + 1 < trimmed.size() && (trimmed[at] == 'e' || trimmed[at] == 'E') &&
      (is_digit(trimmed[at + 1]) ||
       ((trimmed[at + 1] == '-' || trimmed[at + 1] == '+') && at + 2 < trimmed.size() && is_digit(trimmed[at + 2])))) {
    at += 2;
    while (at < trimmed.size() && is_digit(trimmed[at])) at++;
  }
  const long double number = std::strtold(std::string(trimmed.substr(0, at)).c_str(), nullptr);
  const Str unit = trim_blanks(trimmed.substr(at));
  long double factor = 1;
  if (!unit.empty()) {
    static constexpr std::pair<const char*, int> kUnits[] = {{"bytes", 0}, {"kB", 10}, {"MB", 20},
                                                             {"GB", 30},   {"TB", 40}, {"PB", 50}};
    bool known = false;
    for (const auto& [name, bits] : kUnits) {
      if (!equals_ignoring_case(unit, name)) continue;
      factor = std::exp2(static_cast<long double>(bits));
      known = true;
    }
    if (!known) {
      context.fail(Error(sqlstate::kInvalidParameterValue, "invalid size: \"" + std::string(text) + "\"")
                       .with_detail("Invalid size unit: \"" + std::string(unit) + "\".")
                       .with_hint("Valid units are \"bytes\", \"kB\", \"MB\", \"GB\", \"TB\", and \"PB\"."));
      return 0;
    }
  }
  const long double bytes = std::round(number * factor);
  if (!(bytes >= -9223372036854775808.0L && bytes < 9223372036854775808.0L)) {
    context.fail(sqlstate::kNumericValueOutOfRange, "bigint out of range");
    return 0;
  }
  return static_cast<int64_t>(bytes);
}

// What PostgreSQL would store: a header of four bytes before strings, as its uncompressed constants have.
std::optional<int32_t> column_size(FuncContext& context, const CallInfo& call, std::span<const Datum> values) {
  if (values[0].null) return std::nullopt;
  const auto type = call.arguments.empty() ? nullptr : context.session().catalog().type(call.arguments[0].oid);
  if (type != nullptr && type->length > 0) return type->length;
  if (values[0].phys != Phys::kStr) return 16;
  return static_cast<int32_t>(values[0].str.size()) + (type != nullptr && type->length == -2 ? 1 : 4);
}
std::optional<std::string> column_compression(FuncContext&, const CallInfo&, std::span<const Datum>) {
  return std::nullopt;
}

constexpr ScalarEntry kTypeEntries[] = {
    {"format_type", kernel<format_type_sql>},
    {"pg_typeof", any_kernel<type_of>},
    {"pg_collation_for", any_kernel<collation_for>},
    {"to_regclass", kernel<to_reg<find_relation_oid>>},
    {"to_regtype", kernel<to_reg<find_type_oid>>},
    {"to_regproc", kernel<to_reg<find_function_oid>>},
    {"to_regprocedure", kernel<to_reg<find_procedure_oid>>},
    {"to_regoper", kernel<to_reg<find_operator_oid>>},
    {"to_regoperator", kernel<to_reg<find_operator_signature_oid>>},
    {"to_regnamespace", kernel<to_reg<find_schema_oid>>},
    {"to_regrole", kernel<to_reg<find_role_oid>>},
    {"to_regcollation", kernel<to_reg<find_collation_oid>>},
    {"PG_encoding_to_char", kernel<encoding_name>},
    {"PG_char_to_encoding", kernel<encoding_number>},
    {"pg_client_encoding", kernel<client_encoding>},
    {"getdatabaseencoding", kernel<database_encoding>},
    {"pg_encoding_max_length_sql", kernel<encoding_max_length>},
    {"pg_size_pretty", kernel<size_pretty>},
    {"pg_size_pretty_numeric", kernel<size_pretty_numeric>},
    {"pg_size_bytes", kernel<size_bytes>},
    {"pg_column_size", any_kernel<column_size>},
    {"pg_column_compression", any_kernel<column_compression>},
};

}  // namespace

std::span<const ScalarEntry> system_type_functions() { return kTypeEntries; }

}  // namespace indigo::types
