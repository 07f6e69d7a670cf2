// SET j['a'][1] = value: what jsonb_set does, but parts of the path that are not there are made, and arrays grow.
#include "base/sqlstate.h"
#include "types/json/jsonb.h"
#include "types/number/integer_text.h"

namespace indigo::types {
namespace {

class SubscriptWriter {
 public:
  SubscriptWriter(FuncContext& context, std::span<const std::string> path, Str value)
      : context_(context), path_(path), value_(value) {}

  std::string store(JsonbView v, size_t level) {
    if (v.kind() == JsonKind::kObject) return in_object(v, level);
    if (v.kind() == JsonKind::kArray) return in_array(v, level);
    context_.fail(Error(sqlstate::kInvalidParameterValue, "cannot replace existing key")
                      .with_detail("The path assumes key is a composite object, but it is a scalar value."));
    return {};
  }

 private:
  // The value below the step at `level`, where nothing was before.
  std::string make(size_t level) const {
    std::string out(value_);
    for (size_t i = path_.size() - 1; i > level; i--) {
      int32_t index = 0;
      if (parse_integer(path_[i], index) == IntegerParse::kOk) {
        std::vector<std::string> values(static_cast<size_t>(std::max(index, 0)), jsonb_null());
        values.push_back(std::move(out));
        out = jsonb_array(values);
      } else {
        out = jsonb_object({{path_[i], std::move(out)}});
      }
    }
    return out;
  }

  std::string at(JsonbView old, size_t level) {
    return level + 1 == path_.size() ? std::string(value_) : store(old, level + 1);
  }

  std::string in_object(JsonbView v, size_t level) {
    std::vector<JsonbField> fields;
    bool found = false;
    for (int32_t i = 0; i < v.count(); i++) {
      const bool here = v.key(i) == Str(path_[level]);
      found |= here;
      fields.push_back({std::string(v.key(i)), here ? at(v.value(i), level) : std::string(v.value(i).raw())});
    }
    if (!found) fields.push_back({path_[level], make(level)});
    return jsonb_object(std::move(fields));
  }

  std::string in_array(JsonbView v, size_t level) {
    const std::string place = "path element at position " + std::to_string(level + 1);
    int32_t index = 0;
    if (parse_integer(path_[level], index) != IntegerParse::kOk) {
      context_.fail(sqlstate::kInvalidTextRepresentation, place + " is not an integer: \"" + path_[level] + "\"");
      return {};
    }
    const int64_t at_index = index < 0 ? int64_t{v.count()} + index : index;
    if (at_index < 0) {
      context_.fail(sqlstate::kInvalidParameterValue, place + " is out of range: " + std::to_string(index));
      return {};
    }
    if (at_index >= kMaxArrayElements) {
      context_.fail(sqlstate::kProgramLimitExceeded, "number of jsonb array elements exceeds the maximum allowed (" +
                                                         std::to_string(kMaxArrayElements) + ")");
      return {};
    }
    std::vector<std::string> values;
    for (int32_t i = 0; i < v.count(); i++) {
      values.push_back(i == at_index ? at(v.value(i), level) : std::string(v.value(i).raw()));
    }
    if (at_index >= v.count()) {
      values.resize(static_cast<size_t>(at_index), jsonb_null());
      values.push_back(make(level));
    }
    return jsonb_array(values);
  }

  static constexpr int64_t kMaxArrayElements = 1 << 24;

  FuncContext& context_;
  std::span<const std::string> path_;
  Str value_;
};

}  // namespace

std::string assign_jsonb(FuncContext& context, std::optional<Str> document, bool array_when_null,
                         std::span<const std::string> path, std::optional<Str> value) {
  const std::string none = array_when_null ? jsonb_array({}) : jsonb_object({});
  const std::string null = jsonb_null();
  return SubscriptWriter(context, path, value ? *value : Str(null))
      .store(JsonbView(document ? *document : Str(none)), 0);
}

}  // namespace indigo::types
