// The two JSON types seen alike, so that each accessor is written once: JsonText is json's text as it was given, JsonbView
// the binary form of jsonb (json/jsonb.h). Both borrow.
//
// A value: kind(), count() of a container's members, for_each / each member, field(name) and element(index) of containers,
// text() as ->> gives it, raw() as -> does.
// Thread safety: values.
#pragma once

#include <functional>
#include <optional>

#include "types/function/context.h"

namespace indigo::types {

enum class JsonKind : uint8_t { kNull, kString, kNumber, kBool, kArray, kObject };

inline const char* json_kind_name(JsonKind kind) {
  constexpr const char* kNames[] = {"null", "string", "number", "boolean", "array", "object"};
  return kNames[static_cast<size_t>(kind)];
}
inline bool is_container(JsonKind kind) { return kind >= JsonKind::kArray; }

// Valid JSON text without blanks around it.
class JsonText {
 public:
  static constexpr const char* kType = "json";
  JsonText() = default;
  explicit JsonText(Str text);

  JsonKind kind() const;
  int32_t count() const;
  std::optional<JsonText> field(FuncContext& context, Str name) const;  // the last of equal names
  std::optional<JsonText> element(int64_t index) const;
  void for_each_element(const std::function<bool(JsonText)>& visit) const;
  void for_each_field(FuncContext& context, const std::function<bool(Str, JsonText)>& visit) const;
  std::string text(FuncContext& context) const;  // strings unquoted
  Str raw() const { return text_; }

 private:
  Str text_;
};

}  // namespace indigo::types
