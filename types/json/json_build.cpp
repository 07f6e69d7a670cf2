// Documents made of SQL values: to_json, row_to_json, json_build_*, json_object, and the aggregates.
#include "base/sqlstate.h"
#include "types/aggregate/aggregate.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/function/limits.h"
#include "types/json/json_writer.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

std::string to_json(FuncContext& context, const CallInfo& call, Datum v) {
  std::string out;
  append_json(context, call.arguments[0], v, out);
  return out;
}
std::string to_json_pretty(FuncContext& context, const CallInfo& call, Datum v, bool pretty) {
  std::string out;
  append_json(context, call.arguments[0], v, out, pretty);
  return out;
}
std::string to_jsonb(FuncContext& context, const CallInfo& call, Datum v) {
  return jsonb_of(context, call.arguments[0], v);
}

// ---- VARIADIC "any": one by one, or one array's elements
struct Argument {
  TypeRef type;
  Datum value;
};
// Nullopt: the VARIADIC array is null.
std::optional<std::vector<Argument>> spread(const CallInfo& call, std::span<const Datum> values) {
  std::vector<Argument> out;
  if (!call.variadic_array) {
    for (size_t i = 0; i < values.size(); i++) out.push_back({call.arguments[i], values[i]});
    return out;
  }
  if (values[0].null) return {};
  const ArrayView array(values[0].str);
  for (int32_t i = 0; i < array.count(); i++)
    out.push_back({{array.element_type(), -1, kInvalidOid}, array.element(i)});
  return out;
}

std::optional<std::string> build_array(FuncContext& context, const CallInfo& call, std::span<const Datum> values) {
  const auto arguments = spread(call, values);
  if (!arguments) return {};
  std::string out = "[";
  for (size_t i = 0; i < arguments->size(); i++) {
    if (i > 0) out.append(", ");
    append_json(context, (*arguments)[i].type, (*arguments)[i].value, out);
  }
  return out + "]";
}
std::optional<std::string> build_array_b(FuncContext& context, const CallInfo& call, std::span<const Datum> values) {
  const auto arguments = spread(call, values);
  if (!arguments) return {};
  std::vector<std::string> images;
  for (const Argument& a : *arguments) images.push_back(jsonb_of(context, a.type, a.value));
  return jsonb_array(images);
}
bool even_count(FuncContext& context, size_t count, const char* function) {
  if (count % 2 == 0) return true;
  context.fail(
      Error(sqlstate::kInvalidParameterValue, "argument list must have even number of elements")
          .with_hint(std::string("The arguments of ") + function + "() must consist of alternating keys and values."));
  return false;
}
std::optional<std::string> build_object(FuncContext& context, const CallInfo& call, std::span<const Datum> values) {
  const auto arguments = spread(call, values);
  if (!arguments || !even_count(context, arguments->size(), "json_build_object")) return {};
  std::string out = "{";
  for (size_t i = 0; i < arguments->size(); i += 2) {
    if ((*arguments)[i].value.null) {
      context.fail(Error(sqlstate::kInvalidParameterValue, "argument " + std::to_string(i + 1) + " cannot be null")
                       .with_hint("Object keys should be text."));
      return {};
    }
    if (i > 0) out.append(", ");
    std::string key;
    if (!json_key(context, (*arguments)[i].type, (*arguments)[i].value, key)) return {};
    append_json_string(key, out);
    out.append(" : ");
    append_json(context, (*arguments)[i + 1].type, (*arguments)[i + 1].value, out);
  }
  return out + "}";
}
std::optional<std::string> build_object_b(FuncContext& context, const CallInfo& call, std::span<const Datum> values) {
  const auto arguments = spread(call, values);
  if (!arguments || !even_count(context, arguments->size(), "jsonb_build_object")) return {};
  std::vector<JsonbField> fields;
  for (size_t i = 0; i < arguments->size(); i += 2) {
    if ((*arguments)[i].value.null) {
      context.fail(sqlstate::kInvalidParameterValue, "argument " + std::to_string(i + 1) + ": key must not be null");
      return {};
    }
    JsonbField field;
    if (!json_key(context, (*arguments)[i].type, (*arguments)[i].value, field.key)) return {};
    field.value = jsonb_of(context, (*arguments)[i + 1].type, (*arguments)[i + 1].value);
    fields.push_back(std::move(field));
  }
  return jsonb_object(std::move(fields));
}
std::string empty_array() { return "[]"; }
std::string empty_object() { return "{}"; }
std::string empty_array_b() { return jsonb_array({}); }
std::string empty_object_b() { return jsonb_object({}); }

// ---- json_object(text[]) and json_object(keys, values)
using Pairs = std::vector<std::pair<Str, std::optional<Str>>>;
bool fail_subscripts(FuncContext& context, const char* message) {
  context.fail(sqlstate::kArraySubscriptError, message);
  return false;
}
bool fail_null_key(FuncContext& context) {
  context.fail(sqlstate::kNullValueNotAllowed, "null value not allowed for object key");
  return false;
}
std::optional<Str> optional_text(const ArrayView& a, int32_t i) {
  return a.is_null(i) ? std::nullopt : std::optional<Str>(a.element(i).str);
}
bool pairs_of(FuncContext& context, Str image, Pairs& out) {
  const ArrayView a(image);
  if (a.dimensions() == 1 && a.count() % 2 != 0)
    return fail_subscripts(context, "array must have even number of elements");
  if (a.dimensions() == 2 && a.dimension(1).length != 2) return fail_subscripts(context, "array must have two columns");
  if (a.dimensions() > 2) return fail_subscripts(context, "wrong number of array subscripts");
  for (int32_t i = 0; i < a.count(); i += 2) {
    if (a.is_null(i)) return fail_null_key(context);
    out.emplace_back(a.element(i).str, optional_text(a, i + 1));
  }
  return true;
}
bool pairs_of_two(FuncContext& context, Str keys_image, Str values_image, Pairs& out) {
  const ArrayView keys(keys_image), values(values_image);
  if (keys.dimensions() > 1 || keys.dimensions() != values.dimensions())
    return fail_subscripts(context, "wrong number of array subscripts");
  if (keys.count() != values.count()) return fail_subscripts(context, "mismatched array dimensions");
  for (int32_t i = 0; i < keys.count(); i++) {
    if (keys.is_null(i)) return fail_null_key(context);
    out.emplace_back(keys.element(i).str, optional_text(values, i));
  }
  return true;
}
std::string object_text(const Pairs& pairs) {
  std::string out = "{";
  for (size_t i = 0; i < pairs.size(); i++) {
    if (i > 0) out.append(", ");
    append_json_string(pairs[i].first, out);
    out.append(" : ");
    if (pairs[i].second) {
      append_json_string(*pairs[i].second, out);
    } else {
      out.append("null");
    }
  }
  return out + "}";
}
std::string object_image(const Pairs& pairs) {
  std::vector<JsonbField> fields;
  for (const auto& [key, value] : pairs)
    fields.push_back({std::string(key), value ? jsonb_string(*value) : jsonb_null()});
  return jsonb_object(std::move(fields));
}
std::string object_of(FuncContext& context, Str image) {
  Pairs pairs;
  return pairs_of(context, image, pairs) ? object_text(pairs) : std::string();
}
std::string object_of_two(FuncContext& context, Str keys, Str values) {
  Pairs pairs;
  return pairs_of_two(context, keys, values, pairs) ? object_text(pairs) : std::string();
}
std::string object_of_b(FuncContext& context, Str image) {
  Pairs pairs;
  return pairs_of(context, image, pairs) ? object_image(pairs) : std::string();
}
std::string object_of_two_b(FuncContext& context, Str keys, Str values) {
  Pairs pairs;
  return pairs_of_two(context, keys, values, pairs) ? object_image(pairs) : std::string();
}

// ---- aggregates
bool is_composite(FuncContext& context, Oid type) {
  if (type == oid::kRecord) return true;
  auto info = context.session().catalog().type(type);
  while (info != nullptr && info->kind == 'd') info = context.session().catalog().type(info->base);
  return info != nullptr && (info->is_array() || info->kind == 'c');
}
struct ArrayText {
  struct State {
    std::string* text;
  };
  static void add(FuncContext& context, const CallInfo& call, State& s, std::optional<Datum> v) {
    const bool lines = is_composite(context, call.arguments[0].oid);
    if (s.text == nullptr) {
      s.text = new std::string("[");
    } else {
      s.text->append(lines && v ? ", \n " : ", ");
    }
    append_json(context, call.arguments[0], v.value_or(Datum()), *s.text);
    check_text_bytes(context, s.text->size());
  }
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.text == nullptr ? put_null(out, row) : put(out, row, context.arena().copy(*s.text + "]"));
  }
  static void destroy(State& s) { delete s.text; }
};
struct ArrayImage {
  struct State {
    std::vector<std::string>* values;
  };
  static void add(FuncContext& context, const CallInfo& call, State& s, std::optional<Datum> v) {
    if (s.values == nullptr) s.values = new std::vector<std::string>();
    s.values->push_back(jsonb_of(context, call.arguments[0], v.value_or(Datum())));
  }
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.values == nullptr ? put_null(out, row) : put(out, row, context.arena().copy(jsonb_array(*s.values)));
  }
  static void destroy(State& s) { delete s.values; }
};
bool aggregate_key(FuncContext& context, const CallInfo& call, const std::optional<Datum>& key, std::string& out) {
  if (!key) {
    context.fail(sqlstate::kInvalidParameterValue, "field name must not be null");
    return false;
  }
  return json_key(context, call.arguments[0], *key, out);
}
struct ObjectText {
  struct State {
    std::string* text;
  };
  static void add(FuncContext& context, const CallInfo& call, State& s, std::optional<Datum> key,
                  std::optional<Datum> v) {
    std::string name;
    if (!aggregate_key(context, call, key, name)) return;
    if (s.text == nullptr) {
      s.text = new std::string("{ ");
    } else {
      s.text->append(", ");
    }
    append_json_string(name, *s.text);
    s.text->append(" : ");
    append_json(context, call.arguments[1], v.value_or(Datum()), *s.text);
    check_text_bytes(context, s.text->size());
  }
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.text == nullptr ? put_null(out, row) : put(out, row, context.arena().copy(*s.text + " }"));
  }
  static void destroy(State& s) { delete s.text; }
};
struct ObjectImage {
  struct State {
    std::vector<JsonbField>* fields;
  };
  static void add(FuncContext& context, const CallInfo& call, State& s, std::optional<Datum> key,
                  std::optional<Datum> v) {
    JsonbField field;
    if (!aggregate_key(context, call, key, field.key)) return;
    field.value = jsonb_of(context, call.arguments[1], v.value_or(Datum()));
    if (s.fields == nullptr) s.fields = new std::vector<JsonbField>();
    s.fields->push_back(std::move(field));
  }
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.fields == nullptr ? put_null(out, row) : put(out, row, context.arena().copy(jsonb_object(*s.fields)));
  }
  static void destroy(State& s) { delete s.fields; }
};

const ScalarEntry kJsonBuildEntries[] = {
    {"to_json", kernel<to_json>},
    {"to_jsonb", kernel<to_jsonb>},
    {"row_to_json", kernel<to_json>},
    {"row_to_json_pretty", kernel<to_json_pretty>},
    {"array_to_json", kernel<to_json>},
    {"array_to_json_pretty", kernel<to_json_pretty>},
    {"json_build_array", any_kernel<build_array>},
    {"json_build_array_noargs", kernel<empty_array>},
    {"json_build_object", any_kernel<build_object>},
    {"json_build_object_noargs", kernel<empty_object>},
    {"jsonb_build_array", any_kernel<build_array_b>},
    {"jsonb_build_array_noargs", kernel<empty_array_b>},
    {"jsonb_build_object", any_kernel<build_object_b>},
    {"jsonb_build_object_noargs", kernel<empty_object_b>},
    {"json_object", kernel<object_of>},
    {"json_object_two_arg", kernel<object_of_two>},
    {"jsonb_object", kernel<object_of_b>},
    {"jsonb_object_two_arg", kernel<object_of_two_b>},
};
const AggregateEntry kAggregates[] = {
    {"json_agg(anyelement)", aggregate<ArrayText>()},
    {"jsonb_agg(anyelement)", aggregate<ArrayImage>()},
    {"json_object_agg(any,any)", aggregate<ObjectText>()},
    {"jsonb_object_agg(any,any)", aggregate<ObjectImage>()},
};

}  // namespace

std::span<const ScalarEntry> json_building() { return kJsonBuildEntries; }
std::span<const AggregateEntry> json_aggregates() { return kAggregates; }

}  // namespace indigo::types
