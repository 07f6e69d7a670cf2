// Changing documents: ||, -, #-, jsonb_set, jsonb_insert, strip_nulls, pretty.
#include "base/sqlstate.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/json/jsonb.h"
#include "types/number/integer_text.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

using Fields = std::vector<JsonbField>;
using Values = std::vector<std::string>;

Fields fields_of(JsonbView v) {
  Fields out;
  for (int32_t i = 0; i < v.count(); i++) out.push_back({std::string(v.key(i)), std::string(v.value(i).raw())});
  return out;
}
Values values_of(JsonbView v) {
  Values out;
  for (int32_t i = 0; i < v.count(); i++) out.emplace_back(v.value(i).raw());
  return out;
}
void fail_edit(FuncContext& context, std::string message) {
  context.fail(sqlstate::kInvalidParameterValue, std::move(message));
}

// Objects merge; otherwise both become arrays.
std::string concatenate(Str a, Str b) {
  const JsonbView x(a), y(b);
  if (x.kind() == JsonKind::kObject && y.kind() == JsonKind::kObject) {
    Fields fields = fields_of(x);
    for (JsonbField& f : fields_of(y)) fields.push_back(std::move(f));
    return jsonb_object(std::move(fields));
  }
  const auto as_array = [](JsonbView v) {
    return v.kind() == JsonKind::kArray ? values_of(v) : Values{std::string(v.raw())};
  };
  Values values = as_array(x);
  for (std::string& v : as_array(y)) values.push_back(std::move(v));
  return jsonb_array(values);
}

template <class Matches>
std::string without(FuncContext& context, Str document, const Matches& matches) {
  const JsonbView v(document);
  switch (v.kind()) {
    case JsonKind::kObject: {
      Fields fields = fields_of(v);
      std::erase_if(fields, [&](const JsonbField& f) { return matches(Str(f.key)); });
      return jsonb_object(std::move(fields));
    }
    case JsonKind::kArray: {
      Values values;
      for (int32_t i = 0; i < v.count(); i++)
        if (v.value(i).kind() != JsonKind::kString || !matches(v.value(i).string()))
          values.emplace_back(v.value(i).raw());
      return jsonb_array(values);
    }
    default: fail_edit(context, "cannot delete from scalar"); return {};
  }
}
std::string delete_key(FuncContext& context, Str document, Str key) {
  return without(context, document, [&](Str name) { return name == key; });
}
std::string delete_keys(FuncContext& context, Str document, Str keys_image) {
  const ArrayView keys(keys_image);
  if (keys.dimensions() > 1) {
    context.fail(sqlstate::kArraySubscriptError, "wrong number of array subscripts");
    return {};
  }
  return without(context, document, [&](Str name) {
    for (int32_t i = 0; i < keys.count(); i++)
      if (!keys.is_null(i) && keys.element(i).str == name) return true;
    return false;
  });
}
std::string delete_index(FuncContext& context, Str document, int32_t index) {
  const JsonbView v(document);
  if (v.kind() != JsonKind::kArray) {
    fail(context,
         v.kind() == JsonKind::kObject ? "cannot delete from object using integer index" : "cannot delete from scalar");
    return {};
  }
  Values values = values_of(v);
  const int64_t at = index < 0 ? int64_t{index} + v.count() : index;
  if (at >= 0 && at < v.count()) values.erase(values.begin() + at);
  return jsonb_array(values);
}

// ---- changes at a path
enum class Change : uint8_t { kSet, kSetOrCreate, kInsertBefore, kInsertAfter, kDelete };

class PathEditor {
 public:
  PathEditor(FuncContext& context, const ArrayView& path, Change change, Str value)
      : context_(context), path_(path), change_(change), value_(value) {}

  std::string apply(JsonbView v, int32_t level) {
    if (path_.is_null(level)) {
      context_.fail(sqlstate::kNullValueNotAllowed,
                    "path element at position " + std::to_string(level + 1) + " is null");
      return {};
    }
    const Str step = path_.element(level).str;
    const bool last = level + 1 == path_.count();
    if (v.kind() == JsonKind::kObject) return in_object(v, step, level, last);
    if (v.kind() == JsonKind::kArray) return in_array(v, step, level, last);
    return std::string(v.raw());
  }

 private:
  bool creates() const { return change_ != Change::kSet && change_ != Change::kDelete; }

  std::string in_object(JsonbView v, Str step, int32_t level, bool last) {
    Fields fields = fields_of(v);
    const int32_t at = v.find(step);
    if (!last) {
      if (at >= 0) fields[static_cast<size_t>(at)].value = apply(v.value(at), level + 1);
    } else if (change_ == Change::kDelete) {
      if (at >= 0) fields.erase(fields.begin() + at);
    } else if (at >= 0) {
      if (change_ == Change::kInsertBefore || change_ == Change::kInsertAfter) {
        context_.fail(Error(sqlstate::kInvalidParameterValue, "cannot replace existing key")
                          .with_hint("Try using the function jsonb_set to replace key value."));
        return {};
      }
      fields[static_cast<size_t>(at)].value = value_;
    } else if (creates()) {
      fields.push_back({std::string(step), std::string(value_)});
    }
    return jsonb_object(std::move(fields));
  }

  std::string in_array(JsonbView v, Str step, int32_t level, bool last) {
    int32_t index = 0;
    if (parse_integer(step, index) != IntegerParse::kOk) {
      context_.fail(sqlstate::kInvalidTextRepresentation, "path element at position " + std::to_string(level + 1) +
                                                              " is not an integer: \"" + std::string(step) + "\"");
      return {};
    }
    const int32_t count = v.count();
    // Beyond either end: there, for what creates.
    int64_t at = index < 0 ? int64_t{count} + index : index;
    const bool before = at < 0, exists = at >= 0 && at < count;
    Values values = values_of(v);
    if (!last) {
      if (exists) values[static_cast<size_t>(at)] = apply(v.value(static_cast<int32_t>(at)), level + 1);
      return jsonb_array(values);
    }
    const auto place = values.begin() + (before ? 0 : std::min<int64_t>(at, count));
    switch (change_) {
      case Change::kDelete:
        if (exists) values.erase(place);
        break;
      case Change::kSet:
      case Change::kSetOrCreate:
        if (exists) {
          *place = value_;
        } else if (change_ == Change::kSetOrCreate) {
          values.insert(place, std::string(value_));
        }
        break;
      case Change::kInsertBefore: values.insert(place, std::string(value_)); break;
      case Change::kInsertAfter: values.insert(exists ? place + 1 : place, std::string(value_)); break;
    }
    return jsonb_array(values);
  }

  FuncContext& context_;
  const ArrayView& path_;
  Change change_;
  Str value_;
};

std::string edit(FuncContext& context, Str document, Str path_image, Change change, Str value) {
  const ArrayView path(path_image);
  if (path.dimensions() > 1) {
    context.fail(sqlstate::kArraySubscriptError, "wrong number of array subscripts");
    return {};
  }
  const JsonbView v(document);
  if (!is_container(v.kind())) {
    fail_edit(context, change == Change::kDelete ? "cannot delete path in scalar" : "cannot set path in scalar");
    return {};
  }
  if (path.count() == 0 || (v.count() == 0 && (change == Change::kSet || change == Change::kDelete)))
    return std::string(document);
  return PathEditor(context, path, change, value).apply(v, 0);
}
std::string set(FuncContext& context, Str document, Str path, Str value, bool create) {
  return edit(context, document, path, create ? Change::kSetOrCreate : Change::kSet, value);
}
std::string insert(FuncContext& context, Str document, Str path, Str value, bool after) {
  return edit(context, document, path, after ? Change::kInsertAfter : Change::kInsertBefore, value);
}
std::string delete_path(FuncContext& context, Str document, Str path) {
  return edit(context, document, path, Change::kDelete, {});
}
std::optional<std::string> set_lax(FuncContext& context, std::optional<Str> document, std::optional<Str> path,
                                   std::optional<Str> value, std::optional<bool> create, std::optional<Str> treatment) {
  if (!document || !path || !create) return {};
  if (!treatment) {
    fail(context,
         "null_value_treatment must be \"delete_key\", \"return_target\", \"use_json_null\", or \"raise_exception\"");
    return {};
  }
  if (value) return set(context, *document, *path, *value, *create);
  if (*treatment == "raise_exception") {
    context.fail(Error(sqlstate::kNullValueNotAllowed, "JSON value must not be null")
                     .with_detail("Exception was raised because null_value_treatment is \"raise_exception\"."));
    return {};
  }
  if (*treatment == "use_json_null") return set(context, *document, *path, jsonb_null(), *create);
  if (*treatment == "delete_key") return delete_path(context, *document, *path);
  if (*treatment == "return_target") return std::string(*document);
  fail(context,
       "null_value_treatment must be \"delete_key\", \"return_target\", \"use_json_null\", or \"raise_exception\"");
  return {};
}

std::string strip(JsonbView v) {
  if (v.kind() == JsonKind::kArray) {
    Values values;
    for (int32_t i = 0; i < v.count(); i++) values.push_back(strip(v.value(i)));
    return jsonb_array(values);
  }
  if (v.kind() != JsonKind::kObject) return std::string(v.raw());
  Fields fields;
  for (int32_t i = 0; i < v.count(); i++)
    if (v.value(i).kind() != JsonKind::kNull) fields.push_back({std::string(v.key(i)), strip(v.value(i))});
  return jsonb_object(std::move(fields));
}
std::string strip_nulls(Str document) { return strip(JsonbView(document)); }
void strip_text(FuncContext& context, JsonText v, std::string& out) {
  bool first = true;
  const auto comma = [&] {
    if (!first) out.push_back(',');
    first = false;
  };
  if (v.kind() == JsonKind::kArray) {
    out.push_back('[');
    v.for_each_element([&](JsonText e) {
      comma();
      strip_text(context, e, out);
      return true;
    });
    out.push_back(']');
  } else if (v.kind() == JsonKind::kObject) {
    out.push_back('{');
    v.for_each_field(context, [&](Str key, JsonText e) {
      if (e.kind() == JsonKind::kNull) return true;
      comma();
      append_json_string(key, out);
      out.push_back(':');
      strip_text(context, e, out);
      return true;
    });
    out.push_back('}');
  } else if (v.kind() == JsonKind::kString) {
    append_json_string(v.text(context), out);
  } else {
    out.append(v.raw());
  }
}
std::string strip_nulls_text(FuncContext& context, Str document) {
  std::string out;
  strip_text(context, JsonText(document), out);
  return out;
}

std::string pretty(Str document) {
  std::string out;
  append_jsonb_pretty(JsonbView(document), 0, out);
  return out;
}

const ScalarEntry kJsonbEditEntries[] = {
    {"jsonb_concat", kernel<concatenate>},
    {"jsonb_delete", kernel<delete_key>},
    {"jsonb_delete_array", kernel<delete_keys>},
    {"jsonb_delete_idx", kernel<delete_index>},
    {"jsonb_delete_path", kernel<delete_path>},
    {"jsonb_set", kernel<set>},
    {"jsonb_set_lax", kernel<set_lax>},
    {"jsonb_insert", kernel<insert>},
    {"jsonb_strip_nulls", kernel<strip_nulls>},
    {"json_strip_nulls", kernel<strip_nulls_text>},
    {"jsonb_pretty", kernel<pretty>},
};

}  // namespace

std::span<const ScalarEntry> jsonb_editing() { return kJsonbEditEntries; }

}  // namespace indigo::types
