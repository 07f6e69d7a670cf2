#include "types/json/json_writer.h"

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "types/datetime/calendar.h"
#include "types/datetime/format.h"
#include "types/io/record.h"
#include "types/oids.h"
#include "types/text/ascii.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

enum class Shape : uint8_t {
  kBool,
  kNumber,
  kDate,
  kTimestamp,
  kTimestampTz,
  kJson,
  kJsonb,
  kArray,
  kRecord,
  kCast,
  kOther
};

// That of a type of users' own (hstore's, say); null: it has none by a function.
const CastInfo* cast_to_json(FuncContext& context, Oid type) {
  if (type < oid::kFirstUserOid) return nullptr;
  const CastInfo* cast = context.session().catalog().cast(type, oid::kJson);
  return cast != nullptr && cast->method == CastMethod::kFunction && cast->function >= oid::kFirstUserOid ? cast
                                                                                                          : nullptr;
}

Shape shape_of(FuncContext& context, Oid type) {
  switch (type) {
    case oid::kBool: return Shape::kBool;
    case oid::kInt2:
    case oid::kInt4:
    case oid::kInt8:
    case oid::kFloat4:
    case oid::kFloat8:
    case oid::kNumeric: return Shape::kNumber;
    case oid::kDate: return Shape::kDate;
    case oid::kTimestamp: return Shape::kTimestamp;
    case oid::kTimestampTz: return Shape::kTimestampTz;
    case oid::kJson: return Shape::kJson;
    case oid::kJsonb: return Shape::kJsonb;
    case oid::kRecord: return Shape::kRecord;
    case oid::kInt2Vector:
    case oid::kOidVector: return Shape::kArray;
    default: break;
  }
  const auto info = context.session().catalog().type(type);
  if (info == nullptr) return Shape::kOther;
  if (info->kind == 'd') return shape_of(context, info->base);
  if (info->is_array()) return Shape::kArray;
  if (info->kind == 'c') return Shape::kRecord;
  return cast_to_json(context, type) != nullptr ? Shape::kCast : Shape::kOther;
}

// What the cast to json makes of it.
void append_cast(FuncContext& context, Oid type, const Datum& v, std::string& out) {
  CatalogContext& catalog = context.session().catalog();
  for (auto info = catalog.type(type); info != nullptr && info->kind == 'd'; info = catalog.type(type))
    type = info->base;
  CallInfo call;
  call.function = cast_to_json(context, type)->function;
  call.result = {oid::kJson, -1, kInvalidOid};
  call.arguments = {{type, -1, kInvalidOid}};
  auto json = context.session().call_routine(call, std::span(&v, 1));
  if (!json.ok()) return context.fail(std::move(*json.take_error()));
  out.append(json->get().null ? Str("null") : json->get().str);
}

bool is_json_number(Str text) {
  return !text.empty() && (is_digit(text.back())) &&
         (is_digit(text[0]) || (text[0] == '-' && text.size() > 1 && is_digit(text[1])));
}

void append_moment(FuncContext& context, Shape shape, const Datum& v, std::string& out) {
  out.push_back('"');
  if (shape == Shape::kDate) {
    FormatSettings iso;
    append_date(v.i32, iso, out);
  } else if (shape == Shape::kTimestamp) {
    append_iso_timestamp(v.i64, out);
  } else {
    append_iso_timestamptz(v.i64, session_time_zone(context), out);
  }
  out.push_back('"');
}

// A record's field names: its own, its relation's, or f1, f2 ...
std::vector<std::string> field_names(FuncContext& context, const RecordFields& r) {
  std::vector<std::string> names;
  if (!r.names.empty()) {
    for (Str name : r.names) names.emplace_back(name);
    return names;
  }
  if (const auto relation = fields_relation(context.session().catalog(), r.type)) {
    for (const auto& column : relation->columns)
      if (!column.dropped) names.push_back(column.name);
  }
  for (size_t i = names.size(); i < r.values.size(); i++) names.push_back("f" + std::to_string(i + 1));
  return names;
}

bool check_depth(FuncContext& context) {
  if (stack_remaining() != 0) return true;
  context.fail(stack_depth_error());
  return false;
}

void append_array(FuncContext& context, const ArrayView& array, int dimension, int32_t& index, std::string& out,
                  bool pretty) {
  const TypeRef element{array.element_type(), -1, kInvalidOid};
  out.push_back('[');
  for (int32_t i = 0; array.dimensions() > 0 && i < array.dimension(dimension).length; i++) {
    if (i > 0) out.append(pretty ? ",\n " : ",");
    if (dimension + 1 < array.dimensions()) {
      append_array(context, array, dimension + 1, index, out, false);
    } else {
      append_json(context, element, array.element(index++), out);
    }
  }
  out.push_back(']');
}

std::string jsonb_of_array(FuncContext& context, const ArrayView& array, int dimension, int32_t& index) {
  const TypeRef element{array.element_type(), -1, kInvalidOid};
  std::vector<std::string> values;
  for (int32_t i = 0; array.dimensions() > 0 && i < array.dimension(dimension).length; i++)
    values.push_back(dimension + 1 < array.dimensions() ? jsonb_of_array(context, array, dimension + 1, index)
                                                        : jsonb_of(context, element, array.element(index++)));
  return jsonb_array(values);
}

}  // namespace

void append_json(FuncContext& context, const TypeRef& type, const Datum& v, std::string& out, bool pretty) {
  if (v.null) {
    out.append("null");
    return;
  }
  if (!check_depth(context)) return;
  const Shape shape = shape_of(context, type.oid);
  switch (shape) {
    case Shape::kBool: out.append(v.b ? "true" : "false"); return;
    case Shape::kNumber: {
      std::string text;
      type_output(context, type, v, text);
      if (is_json_number(text)) {
        out.append(text);
      } else {
        append_json_string(text, out);  // NaN, Infinity
      }
      return;
    }
    case Shape::kDate:
    case Shape::kTimestamp:
    case Shape::kTimestampTz: return append_moment(context, shape, v, out);
    case Shape::kJson: out.append(v.str); return;
    case Shape::kJsonb: return append_jsonb_text(JsonbView(v.str), out);
    case Shape::kArray: {
      int32_t index = 0;
      return append_array(context, ArrayView(v.str), 0, index, out, pretty);
    }
    case Shape::kRecord: {
      const RecordFields r = live_fields(context.session().catalog(), v.str);
      const auto names = field_names(context, r);
      out.push_back('{');
      for (size_t i = 0; i < r.values.size(); i++) {
        if (i > 0) out.append(pretty ? ",\n " : ",");
        append_json_string(names[i], out);
        out.push_back(':');
        append_json(context, r.types[i], r.values[i], out);
      }
      out.push_back('}');
      return;
    }
    case Shape::kCast: return append_cast(context, type.oid, v, out);
    case Shape::kOther: break;
  }
  std::string text;
  type_output(context, type, v, text);
  append_json_string(text, out);
}

std::string jsonb_of(FuncContext& context, const TypeRef& type, const Datum& v) {
  if (v.null) return jsonb_null();
  if (!check_depth(context)) return jsonb_null();
  const Shape shape = shape_of(context, type.oid);
  switch (shape) {
    case Shape::kBool: return jsonb_bool(v.b);
    case Shape::kJson: return parse_jsonb(context, v.str);
    case Shape::kJsonb: return std::string(v.str);
    case Shape::kArray: {
      int32_t index = 0;
      return jsonb_of_array(context, ArrayView(v.str), 0, index);
    }
    case Shape::kRecord: {
      const RecordFields r = live_fields(context.session().catalog(), v.str);
      const auto names = field_names(context, r);
      std::vector<JsonbField> fields;
      for (size_t i = 0; i < r.values.size(); i++)
        fields.push_back({names[i], jsonb_of(context, r.types[i], r.values[i])});
      return jsonb_object(std::move(fields));
    }
    default: break;
  }
  // The others as their JSON text says.
  std::string text;
  append_json(context, type, v, text);
  return context.failed() ? jsonb_null() : parse_jsonb(context, text);
}

bool json_key(FuncContext& context, const TypeRef& type, const Datum& v, std::string& out) {
  const Shape shape = shape_of(context, type.oid);
  if (shape == Shape::kArray || shape == Shape::kRecord || shape == Shape::kJson || shape == Shape::kJsonb ||
      shape == Shape::kCast) {
    context.fail(sqlstate::kInvalidParameterValue, "key value must be scalar, not array, composite, or json");
    return false;
  }
  if (shape == Shape::kBool) {
    out = v.b ? "true" : "false";
  } else if (shape == Shape::kDate || shape == Shape::kTimestamp || shape == Shape::kTimestampTz) {
    append_moment(context, shape, v, out);
    out = out.substr(1, out.size() - 2);
  } else {
    type_output(context, type, v, out);
  }
  return true;
}

}  // namespace indigo::types
