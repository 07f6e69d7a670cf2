// Type modifiers: how pg_attribute.atttypmod packs them, their text, and their checks.
#include "base/sqlstate.h"
#include "types/function/registry.h"
#include "types/io/interval_fields.h"
#include "types/io/type_definition.h"
#include "types/io/typmod_arguments.h"
#include "types/number/integer_text.h"
#include "types/oids.h"
#include "types/type_info.h"

namespace indigo::types {

namespace {

std::string in_parentheses(int32_t n) { return "(" + std::to_string(n) + ")"; }

Error invalid_modifier(const char* message) { return Error(sqlstate::kInvalidParameterValue, message); }

Result<int32_t> length_modifier(const std::string& name, std::span<const int32_t> values, int32_t header) {
  constexpr int32_t kMaxLength = 10485760;  // PostgreSQL's MaxAttrSize
  if (values.size() != 1) return invalid_modifier("invalid type modifier");
  if (values[0] < 1) return Error(sqlstate::kInvalidParameterValue, "length for type " + name + " must be at least 1");
  if (values[0] > kMaxLength * (header == 0 ? 8 : 1))
    return Error(sqlstate::kInvalidParameterValue,
                 "length for type " + name + " cannot exceed " + std::to_string(kMaxLength * (header == 0 ? 8 : 1)));
  return values[0] + header;
}

Result<int32_t> numeric_modifier(std::span<const int32_t> values) {
  if (values.empty() || values.size() > 2) return invalid_modifier("invalid NUMERIC type modifier");
  const int32_t precision = values[0], scale = values.size() == 2 ? values[1] : 0;
  if (precision < 1 || precision > 1000)
    return Error(sqlstate::kInvalidParameterValue,
                 "NUMERIC precision " + std::to_string(precision) + " must be between 1 and 1000");
  if (scale < -1000 || scale > 1000)
    return Error(sqlstate::kInvalidParameterValue,
                 "NUMERIC scale " + std::to_string(scale) + " must be between -1000 and 1000");
  return static_cast<int32_t>((static_cast<uint32_t>(precision) << 16 | (static_cast<uint32_t>(scale) & 0x7ff)) + 4);
}

// More than microseconds is taken as microseconds.
Result<int32_t> time_modifier(const char* name, const char* tail, std::span<const int32_t> values) {
  if (values.size() != 1) return invalid_modifier("invalid type modifier");
  if (values[0] < 0)
    return Error(sqlstate::kInvalidParameterValue,
                 name + in_parentheses(values[0]) + tail + " precision must not be negative");
  return std::min(values[0], 6);
}

Result<int32_t> interval_modifier(std::span<const int32_t> values) {
  if (values.empty() || values.size() > 2) return invalid_modifier("invalid INTERVAL type modifier");
  if (interval_fields_text(values[0]) == nullptr) return invalid_modifier("invalid INTERVAL type modifier");
  if (values.size() == 1)
    return values[0] == kIntervalFullRange ? -1 : interval_typmod(kIntervalFullPrecision, values[0]);
  if (values[1] < 0)
    return Error(sqlstate::kInvalidParameterValue,
                 "INTERVAL" + in_parentheses(values[1]) + " precision must not be negative");
  return interval_typmod(std::min(values[1], 6), values[0]);
}

}  // namespace

const char* interval_fields_text(int32_t range) {
  switch (range) {
    case kIntervalYear: return " year";
    case kIntervalMonth: return " month";
    case kIntervalDay: return " day";
    case kIntervalHour: return " hour";
    case kIntervalMinute: return " minute";
    case kIntervalSecond: return " second";
    case kIntervalYear | kIntervalMonth: return " year to month";
    case kIntervalDay | kIntervalHour: return " day to hour";
    case kIntervalDay | kIntervalHour | kIntervalMinute: return " day to minute";
    case kIntervalDay | kIntervalHour | kIntervalMinute | kIntervalSecond: return " day to second";
    case kIntervalHour | kIntervalMinute: return " hour to minute";
    case kIntervalHour | kIntervalMinute | kIntervalSecond: return " hour to second";
    case kIntervalMinute | kIntervalSecond: return " minute to second";
    case kIntervalFullRange: return "";
    default: return nullptr;
  }
}

std::string typmod_output(Oid type, int32_t typmod) {
  if (typmod < 0) return {};
  switch (type) {
    case oid::kVarchar:
    case oid::kBpchar: return typmod > 4 ? in_parentheses(typmod - 4) : std::string();
    case oid::kNumeric: {
      if (typmod < 4) return {};
      const int32_t packed = typmod - 4;
      const int32_t scale = ((packed & 0x7ff) ^ 1024) - 1024;
      return "(" + std::to_string((packed >> 16) & 0xffff) + "," + std::to_string(scale) + ")";
    }
    case oid::kInterval: {
      const char* fields = interval_fields_text((typmod >> 16) & 0x7fff);
      const int32_t precision = typmod & 0xffff;
      return std::string(fields ? fields : "") +
             (precision == kIntervalFullPrecision ? std::string() : in_parentheses(precision));
    }
    case oid::kBit:
    case oid::kVarbit:
    case oid::kTime:
    case oid::kTimeTz:
    case oid::kTimestamp:
    case oid::kTimestampTz: return in_parentheses(typmod);
    default: return {};
  }
}

Result<std::vector<int32_t>> integer_arguments(std::span<const std::string> arguments) {
  std::vector<int32_t> values;
  for (const std::string& argument : arguments) {
    int32_t v = 0;
    switch (parse_integer(argument, v)) {
      case IntegerParse::kOk: break;
      case IntegerParse::kSyntax:
        return Error(sqlstate::kInvalidTextRepresentation,
                     "invalid input syntax for type integer: \"" + argument + "\"");
      case IntegerParse::kRange:
        return Error(sqlstate::kNumericValueOutOfRange, "value \"" + argument + "\" is out of range for type integer");
    }
    values.push_back(v);
  }
  return values;
}

Result<int32_t> typmod_input(Oid type, std::span<const std::string> arguments) {
  INDIGO_ASSIGN(const std::vector<int32_t> values, integer_arguments(arguments));
  switch (type) {
    case oid::kVarchar: return length_modifier("varchar", values, 4);
    case oid::kBpchar: return length_modifier("char", values, 4);
    case oid::kBit: return length_modifier("bit", values, 0);
    case oid::kVarbit: return length_modifier("varbit", values, 0);
    case oid::kNumeric: return numeric_modifier(values);
    case oid::kTime: return time_modifier("TIME", "", values);
    case oid::kTimeTz: return time_modifier("TIME", " WITH TIME ZONE", values);
    case oid::kTimestamp: return time_modifier("TIMESTAMP", "", values);
    case oid::kTimestampTz: return time_modifier("TIMESTAMP", " WITH TIME ZONE", values);
    case oid::kInterval: return interval_modifier(values);
    default: return Error(sqlstate::kSyntaxError, "type modifier is not allowed for this type");
  }
}

std::string typmod_output(const TypeInfo& type, int32_t typmod) {
  const bool own = type.definition != nullptr && type.definition->modifier != nullptr;
  if (!own) return typmod_output(type.oid, typmod);
  return typmod < 0 ? std::string() : in_parentheses(typmod);
}

Result<int32_t> typmod_input(const TypeInfo& type, std::span<const std::string> arguments) {
  const bool own = type.definition != nullptr && type.definition->modifier != nullptr;
  return own ? type.definition->modifier(arguments) : typmod_input(type.oid, arguments);
}

}  // namespace indigo::types
