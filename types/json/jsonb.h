// jsonb's bytes: a tree of values with offset tables, so that fields and elements are found without reading the rest.
//
//   byte 0   tag: 0 null, 1 string, 2 number, 3 false, 4 true, 5 array, 6 object
//   string   the bytes; number: a numeric's image (types/value/numeric_format.h)
//   array    uint32 count; count uint32 end offsets of the values; the values
//   object   uint32 count; count pairs of uint32 end offsets (key, value); the keys; the values. Keys are distinct,
//            shorter ones first, equal lengths by bytes.
// A value's length is its container's to know. Equal documents whose numbers have equal scales have equal images.
// Thread safety: views borrow; a builder belongs to its caller.
#pragma once

#include <string>
#include <vector>

#include "types/json/json_parser.h"
#include "types/json/json_value.h"

namespace indigo::types {

class JsonbView {
 public:
  static constexpr const char* kType = "jsonb";
  JsonbView() = default;
  explicit JsonbView(Str image) : image_(image) {}

  JsonKind kind() const;
  bool boolean() const { return image_[0] == 4; }
  Str string() const { return image_.substr(1); }
  Str number() const { return image_.substr(1); }
  int32_t count() const { return static_cast<int32_t>(load_unaligned<uint32_t>(image_.data() + 1)); }
  JsonbView value(int32_t i) const;  // element, or value of field i
  Str key(int32_t i) const;
  int32_t find(Str key) const;  // field number, -1

  std::optional<JsonbView> field(FuncContext& context, Str name) const;
  std::optional<JsonbView> element(int64_t index) const;
  void for_each_element(const std::function<bool(JsonbView)>& visit) const;
  void for_each_field(FuncContext& context, const std::function<bool(Str, JsonbView)>& visit) const;
  std::string text(FuncContext& context) const;
  Str raw() const { return image_; }

 private:
  Str image_;
};

// Key order: shorter first.
bool jsonb_key_less(Str a, Str b);

// Images of values.
std::string jsonb_null();
std::string jsonb_bool(bool v);
std::string jsonb_string(Str s);
std::string jsonb_number(Str numeric_image);
std::string jsonb_array(std::span<const std::string> values);
struct JsonbField {
  std::string key, value;
};
// Of equal keys the last stays.
std::string jsonb_object(std::vector<JsonbField> fields);

// Builds an image from a parser's events or by hand.
class JsonbBuilder final : public JsonSink {
 public:
  explicit JsonbBuilder(FuncContext& context) : context_(context) {}
  void begin_object() override { stack_.push_back({true, {}, {}, {}}); }
  void end_object() override;
  void begin_array() override { stack_.push_back({false, {}, {}, {}}); }
  void end_array() override;
  void key(Str name) override { stack_.back().key = name; }
  void string(Str value) override { add(jsonb_string(value)); }
  void number(Str text) override;
  void boolean(bool value) override { add(jsonb_bool(value)); }
  void null() override { add(jsonb_null()); }
  void add(std::string image);
  std::string take() { return std::move(result_); }

 private:
  struct Level {
    bool object;
    std::string key;
    std::vector<JsonbField> fields;
    std::vector<std::string> values;
  };
  FuncContext& context_;
  std::vector<Level> stack_;
  std::string result_;
};

// The document with the value at a path of subscripts (SET j['a'][1] = value); what is missing on the way is made. No document:
// an empty array or object first; no value: JSON's null.
std::string assign_jsonb(FuncContext& context, std::optional<Str> document, bool array_when_null,
                         std::span<const std::string> path, std::optional<Str> value);

// Text to image; empty when the context has the error.
std::string parse_jsonb(FuncContext& context, Str text);
void append_jsonb_text(JsonbView v, std::string& out);
void append_jsonb_pretty(JsonbView v, int level, std::string& out);
// The order of jsonb's operator class.
int compare_jsonb(JsonbView a, JsonbView b);
uint64_t hash_jsonb(JsonbView v);

}  // namespace indigo::types
