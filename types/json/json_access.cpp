// Reading json and jsonb: fields, elements, paths, kinds, members. Each function is written once over both.
#include "base/sqlstate.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/json/jsonb.h"
#include "types/number/integer_text.h"
#include "types/oids.h"
#include "types/set/producer.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

// `V` is JsonText or JsonbView. A result borrows from the argument.
template <class V>
using Found = std::optional<V>;
std::optional<Str> fail(FuncContext& context, std::string message) {
  context.fail(sqlstate::kInvalidParameterValue, std::move(message));
  return {};
}

template <class V>
Found<V> field_of(FuncContext& context, V v, Str name) {
  return v.kind() == JsonKind::kObject ? v.field(context, name) : std::nullopt;
}
// A scalar jsonb document counts as an array of one.
template <class V>
Found<V> element_of(V v, int64_t index) {
  if (std::is_same_v<V, JsonbView> && !is_container(v.kind()) && (index == 0 || index == -1)) return v;
  return v.kind() == JsonKind::kArray ? v.element(index) : std::nullopt;
}
template <class V>
std::optional<Str> raw_of(const Found<V>& v) {
  return v ? std::optional<Str>(v->raw()) : std::nullopt;
}
template <class V>
std::optional<std::string> text_of(FuncContext& context, const Found<V>& v) {
  return v && v->kind() != JsonKind::kNull ? std::optional<std::string>(v->text(context)) : std::nullopt;
}

// Who looks for a key in json decodes all its strings, and so meets escapes that stand for no text. False: the context has the
// error.
class Decoded final : public JsonSink {
  void begin_object() override {}
  void end_object() override {}
  void begin_array() override {}
  void end_array() override {}
  void key(Str) override {}
  void string(Str) override {}
  void number(Str) override {}
  void boolean(bool) override {}
  void null() override {}
};
template <class V>
bool can_decode(FuncContext& context, Str document) {
  if (std::is_same_v<V, JsonbView> || document.find("\\u") == Str::npos) return true;
  Decoded strings;
  return parse_json(context, document, &strings);
}

template <class V>
std::optional<Str> object_field(FuncContext& context, Str document, Str name) {
  if (!can_decode<V>(context, document)) return {};
  return raw_of(field_of(context, V(document), name));
}
template <class V>
std::optional<std::string> object_field_text(FuncContext& context, Str document, Str name) {
  if (!can_decode<V>(context, document)) return {};
  return text_of(context, field_of(context, V(document), name));
}
template <class V>
std::optional<Str> array_element(FuncContext& context, Str document, int32_t index) {
  if (!can_decode<V>(context, document)) return {};
  return raw_of(element_of(V(document), index));
}
template <class V>
std::optional<std::string> array_element_text(FuncContext& context, Str document, int32_t index) {
  if (!can_decode<V>(context, document)) return {};
  return text_of(context, element_of(V(document), index));
}

// A path step is a field's name or an element's index.
template <class V>
Found<V> at_path(FuncContext& context, V v, Str path_image) {
  const ArrayView path(path_image);
  Found<V> at = v;
  for (int32_t i = 0; i < path.count() && at; i++) {
    if (path.is_null(i)) return {};
    const Str step = path.element(i).str;
    int32_t index = 0;
    switch (at->kind()) {
      case JsonKind::kObject: at = at->field(context, step); break;
      case JsonKind::kArray:
        at = parse_integer(step, index) == IntegerParse::kOk ? at->element(index) : std::nullopt;
        break;
      default: return {};
    }
  }
  return at;
}
template <class V>
std::optional<Str> extract_path(FuncContext& context, Str document, Str path) {
  if (!can_decode<V>(context, document)) return {};
  return raw_of(at_path(context, V(document), path));
}
template <class V>
std::optional<std::string> extract_path_text(FuncContext& context, Str document, Str path) {
  if (!can_decode<V>(context, document)) return {};
  return text_of(context, at_path(context, V(document), path));
}

template <class V>
Str type_of(Str document) {
  return json_kind_name(V(document).kind());
}
template <class V>
int32_t array_length(FuncContext& context, Str document) {
  const V v(document);
  if (v.kind() == JsonKind::kArray) return v.count();
  fail(context, v.kind() == JsonKind::kObject ? "cannot get array length of a non-array"
                                              : "cannot get array length of a scalar");
  return 0;
}

// ---- members as rows
template <class V>
std::string array_error(const char* function, JsonKind kind) {
  if constexpr (std::is_same_v<V, JsonbView>)
    return kind == JsonKind::kObject ? "cannot extract elements from an object"
                                     : "cannot extract elements from a scalar";
  return std::string("cannot call ") + function + (kind == JsonKind::kObject ? " on a non-array" : " on a scalar");
}
template <class V>
std::string object_error(const char* function, JsonKind kind) {
  if constexpr (std::is_same_v<V, JsonbView>) return std::string("cannot call ") + function + " on a non-object";
  return kind == JsonKind::kArray ? "cannot deconstruct an array as an object" : "cannot deconstruct a scalar";
}
template <class V>
Datum member(FuncContext& context, RowSet& rows, V v, bool as_text) {
  if (!as_text) return rows.text(v.raw());
  return v.kind() == JsonKind::kNull ? Datum::make_null(Phys::kStr) : rows.text(v.text(context));
}
using Producer = std::unique_ptr<SetProducer>;
template <class V, bool kText>
Producer open_elements(FuncContext& context, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  const V v(arguments[0].str);
  if (v.kind() != JsonKind::kArray) {
    const std::string name = std::string(V::kType) + (kText ? "_array_elements_text" : "_array_elements");
    fail(context, array_error<V>(name.c_str(), v.kind()));
    return empty_set();
  }
  if (kText && !can_decode<V>(context, arguments[0].str)) return empty_set();
  auto rows = std::make_unique<RowSet>();
  v.for_each_element([&](V e) {
    rows->add_in_turn({member(context, *rows, e, kText)});
    return true;
  });
  return rows;
}
template <class V, bool kText>
Producer open_each(FuncContext& context, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  const V v(arguments[0].str);
  if (v.kind() != JsonKind::kObject) {
    const std::string name = std::string(V::kType) + (kText ? "_each_text" : "_each");
    fail(context, object_error<V>(name.c_str(), v.kind()));
    return empty_set();
  }
  if (!can_decode<V>(context, arguments[0].str)) return empty_set();
  auto rows = std::make_unique<RowSet>();
  v.for_each_field(context, [&](Str key, V e) {
    rows->add_in_turn({rows->text(key), member(context, *rows, e, kText)});
    return true;
  });
  return rows;
}
template <class V>
Producer open_keys(FuncContext& context, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  const V v(arguments[0].str);
  if (v.kind() != JsonKind::kObject) {
    fail(context, std::string("cannot call ") + V::kType + "_object_keys on " +
                      (v.kind() == JsonKind::kArray ? "an array" : "a scalar"));
    return empty_set();
  }
  if (!can_decode<V>(context, arguments[0].str)) return empty_set();
  auto rows = std::make_unique<RowSet>();
  v.for_each_field(context, [&](Str key, V) {
    rows->add_in_turn({rows->text(key)});
    return true;
  });
  return rows;
}

// ---- jsonb: containment, existence, order, casts
bool contains_view(JsonbView a, JsonbView b) {
  const JsonKind ka = a.kind(), kb = b.kind();
  if (kb == JsonKind::kObject) {
    if (ka != JsonKind::kObject || a.count() < b.count()) return false;
    for (int32_t i = 0; i < b.count(); i++) {
      const int32_t at = a.find(b.key(i));
      if (at < 0 || a.value(at).kind() != b.value(i).kind() || !contains_view(a.value(at), b.value(i))) return false;
    }
    return true;
  }
  if (kb == JsonKind::kArray) {
    if (ka != JsonKind::kArray) return false;
    for (int32_t i = 0; i < b.count(); i++) {
      bool found = false;
      for (int32_t k = 0; k < a.count() && !found; k++)
        found = a.value(k).kind() == b.value(i).kind() && contains_view(a.value(k), b.value(i));
      if (!found) return false;
    }
    return true;
  }
  // An array contains the scalars among its elements.
  if (ka == JsonKind::kArray) {
    for (int32_t k = 0; k < a.count(); k++)
      if (!is_container(a.value(k).kind()) && compare_jsonb(a.value(k), b) == 0) return true;
    return false;
  }
  return ka == kb && compare_jsonb(a, b) == 0;
}
bool contains(Str a, Str b) { return contains_view(JsonbView(a), JsonbView(b)); }
bool contained(Str a, Str b) { return contains(b, a); }

bool exists_in(JsonbView v, Str key) {
  switch (v.kind()) {
    case JsonKind::kObject: return v.find(key) >= 0;
    case JsonKind::kString: return v.string() == key;
    case JsonKind::kArray:
      for (int32_t i = 0; i < v.count(); i++)
        if (v.value(i).kind() == JsonKind::kString && v.value(i).string() == key) return true;
      return false;
    default: return false;
  }
}
bool exists(Str document, Str key) { return exists_in(JsonbView(document), key); }
bool exists_any(Str document, Str keys_image) {
  const ArrayView keys(keys_image);
  for (int32_t i = 0; i < keys.count(); i++)
    if (!keys.is_null(i) && exists(document, keys.element(i).str)) return true;
  return false;
}
bool exists_all(Str document, Str keys_image) {
  const ArrayView keys(keys_image);
  for (int32_t i = 0; i < keys.count(); i++)
    if (!keys.is_null(i) && !exists(document, keys.element(i).str)) return false;
  return true;
}

bool eq(Str a, Str b) { return compare_jsonb(JsonbView(a), JsonbView(b)) == 0; }
bool ne(Str a, Str b) { return compare_jsonb(JsonbView(a), JsonbView(b)) != 0; }
bool lt(Str a, Str b) { return compare_jsonb(JsonbView(a), JsonbView(b)) < 0; }
bool le(Str a, Str b) { return compare_jsonb(JsonbView(a), JsonbView(b)) <= 0; }
bool gt(Str a, Str b) { return compare_jsonb(JsonbView(a), JsonbView(b)) > 0; }
bool ge(Str a, Str b) { return compare_jsonb(JsonbView(a), JsonbView(b)) >= 0; }
int32_t cmp(Str a, Str b) { return compare_jsonb(JsonbView(a), JsonbView(b)); }

// Casts of scalar documents. `type` names the target in the error.
bool scalar_of(FuncContext& context, JsonbView v, JsonKind wanted, const char* type) {
  if (v.kind() == wanted) return true;
  const char* kind = json_kind_name(v.kind());
  switch (v.kind()) {
    case JsonKind::kNumber: kind = "numeric"; break;
    case JsonKind::kArray:
    case JsonKind::kObject:
    default: break;
  }
  fail(context, std::string("cannot cast jsonb ") + kind + " to type " + type);
  return false;
}
Str to_numeric(FuncContext& context, Str document) {
  const JsonbView v(document);
  return scalar_of(context, v, JsonKind::kNumber, "numeric") ? v.number() : Str();
}
bool to_bool(FuncContext& context, Str document) {
  const JsonbView v(document);
  return scalar_of(context, v, JsonKind::kBool, "boolean") && v.boolean();
}
// Through the numeric's own cast function.
template <Oid kTarget, const auto& kTypeName, class R>
R to_number(FuncContext& context, Str document) {
  const JsonbView v(document);
  if (!scalar_of(context, v, JsonKind::kNumber, kTypeName)) return {};
  Vector in, out(physical_of(kTarget), 1);
  in.set_constant(Datum::of(v.number()));
  const std::vector<const Vector*> arguments = {&in};
  constexpr Oid kCast = kTarget == oid::kInt2     ? 1783
                        : kTarget == oid::kInt4   ? 1744
                        : kTarget == oid::kInt8   ? 1779
                        : kTarget == oid::kFloat4 ? 1745
                                                  : 1746;
  find_scalar(kCast)->kernel(context, CallInfo(), arguments, Selection{nullptr, 1}, out);
  return context.failed() ? R{} : out.get<R>(0);
}
constexpr char kSmallint[] = "smallint", kInteger[] = "integer", kBigint[] = "bigint", kReal[] = "real",
               kDouble[] = "double precision";

const ScalarEntry kJsonAccessEntries[] = {
    {"json_object_field", kernel<object_field<JsonText>>},
    {"json_object_field_text", kernel<object_field_text<JsonText>>},
    {"json_array_element", kernel<array_element<JsonText>>},
    {"json_array_element_text", kernel<array_element_text<JsonText>>},
    {"json_extract_path", kernel<extract_path<JsonText>>},
    {"json_extract_path_text", kernel<extract_path_text<JsonText>>},
    {"json_typeof", kernel<type_of<JsonText>>},
    {"json_array_length", kernel<array_length<JsonText>>},
    {"jsonb_object_field", kernel<object_field<JsonbView>>},
    {"jsonb_object_field_text", kernel<object_field_text<JsonbView>>},
    {"jsonb_array_element", kernel<array_element<JsonbView>>},
    {"jsonb_array_element_text", kernel<array_element_text<JsonbView>>},
    {"jsonb_extract_path", kernel<extract_path<JsonbView>>},
    {"jsonb_extract_path_text", kernel<extract_path_text<JsonbView>>},
    {"jsonb_typeof", kernel<type_of<JsonbView>>},
    {"jsonb_array_length", kernel<array_length<JsonbView>>},
    {"jsonb_contains", kernel<contains>},
    {"jsonb_contained", kernel<contained>},
    {"jsonb_exists", kernel<exists>},
    {"jsonb_exists_any", kernel<exists_any>},
    {"jsonb_exists_all", kernel<exists_all>},
    {"jsonb_eq", kernel<eq>},
    {"jsonb_ne", kernel<ne>},
    {"jsonb_lt", kernel<lt>},
    {"jsonb_le", kernel<le>},
    {"jsonb_gt", kernel<gt>},
    {"jsonb_ge", kernel<ge>},
    {"jsonb_cmp", kernel<cmp>},
    {"jsonb_numeric", kernel<to_numeric>},
    {"jsonb_bool", kernel<to_bool>},
    {"jsonb_int2", kernel<to_number<oid::kInt2, kSmallint, int16_t>>},
    {"jsonb_int4", kernel<to_number<oid::kInt4, kInteger, int32_t>>},
    {"jsonb_int8", kernel<to_number<oid::kInt8, kBigint, int64_t>>},
    {"jsonb_float4", kernel<to_number<oid::kFloat4, kReal, float>>},
    {"jsonb_float8", kernel<to_number<oid::kFloat8, kDouble, double>>},
};
const SetEntry kSets[] = {
    {"json_array_elements", open_elements<JsonText, false>},
    {"json_array_elements_text", open_elements<JsonText, true>},
    {"json_each", open_each<JsonText, false>},
    {"json_each_text", open_each<JsonText, true>},
    {"json_object_keys", open_keys<JsonText>},
    {"jsonb_array_elements", open_elements<JsonbView, false>},
    {"jsonb_array_elements_text", open_elements<JsonbView, true>},
    {"jsonb_each", open_each<JsonbView, false>},
    {"jsonb_each_text", open_each<JsonbView, true>},
    {"jsonb_object_keys", open_keys<JsonbView>},
};

}  // namespace

std::span<const ScalarEntry> json_access() { return kJsonAccessEntries; }
std::span<const SetEntry> json_sets() { return kSets; }

}  // namespace indigo::types
