// Type modifiers as SQL functions: numerictypmodin(cstring[]), numerictypmodout(integer) and their kin.
#include <cstdio>
#include <string>
#include <vector>

#include "base/sqlstate.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/io/interval_fields.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

template <Oid type>
int32_t modifier_in(FuncContext& context, Str image) {
  const ArrayView array(image);
  if (array.dimensions() != 1) {
    context.fail(Error(SqlState("2202E"), "typmod array must be one-dimensional"));
    return 0;
  }
  std::vector<std::string> values;
  for (int32_t i = 0; i < array.count(); i++) {
    if (array.is_null(i)) {
      context.fail(Error(sqlstate::kNullValueNotAllowed, "typmod array must not contain nulls"));
      return 0;
    }
    values.emplace_back(array.element(i).str);
  }
  const Result<int32_t> modifier = typmod_input(type, values);
  if (!modifier.ok()) {
    context.fail(modifier.error());
    return 0;
  }
  return *modifier;
}

template <Oid type>
std::string modifier_out(FuncContext& context, int32_t modifier) {
  if (type == oid::kInterval && modifier >= 0 && interval_fields_text((modifier >> 16) & 0x7fff) == nullptr) {
    char text[64];
    std::snprintf(text, sizeof text, "invalid INTERVAL typmod: 0x%x", static_cast<unsigned>(modifier));
    context.fail(Error(sqlstate::kInternalError, text));
    return {};
  }
  std::string text = typmod_output(type, modifier);
  if (type == oid::kTime || type == oid::kTimestamp) text += " without time zone";
  if (type == oid::kTimeTz || type == oid::kTimestampTz) text += " with time zone";
  return text;
}

const ScalarEntry kTypmodEntries[] = {
    {"numerictypmodin", kernel<modifier_in<oid::kNumeric>>},
    {"numerictypmodout", kernel<modifier_out<oid::kNumeric>>},
    {"varchartypmodin", kernel<modifier_in<oid::kVarchar>>},
    {"varchartypmodout", kernel<modifier_out<oid::kVarchar>>},
    {"bpchartypmodin", kernel<modifier_in<oid::kBpchar>>},
    {"bpchartypmodout", kernel<modifier_out<oid::kBpchar>>},
    {"bittypmodin", kernel<modifier_in<oid::kBit>>},
    {"bittypmodout", kernel<modifier_out<oid::kBit>>},
    {"varbittypmodin", kernel<modifier_in<oid::kVarbit>>},
    {"varbittypmodout", kernel<modifier_out<oid::kVarbit>>},
    {"timetypmodin", kernel<modifier_in<oid::kTime>>},
    {"timetypmodout", kernel<modifier_out<oid::kTime>>},
    {"timetztypmodin", kernel<modifier_in<oid::kTimeTz>>},
    {"timetztypmodout", kernel<modifier_out<oid::kTimeTz>>},
    {"timestamptypmodin", kernel<modifier_in<oid::kTimestamp>>},
    {"timestamptypmodout", kernel<modifier_out<oid::kTimestamp>>},
    {"timestamptztypmodin", kernel<modifier_in<oid::kTimestampTz>>},
    {"timestamptztypmodout", kernel<modifier_out<oid::kTimestampTz>>},
    {"intervaltypmodin", kernel<modifier_in<oid::kInterval>>},
    {"intervaltypmodout", kernel<modifier_out<oid::kInterval>>},
};

}  // namespace

std::span<const ScalarEntry> typmod_functions() { return kTypmodEntries; }

}  // namespace indigo::types
