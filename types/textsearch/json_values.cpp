#include "types/textsearch/json_values.h"

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

class ValueSink final : public JsonSink {
 public:
  ValueSink(JsonValueKinds kinds, const JsonValueVisitor& visit) : kinds_(kinds), visit_(visit) {}
  void begin_object() override {}
  void end_object() override {}
  void begin_array() override {}
  void end_array() override {}
  void key(Str name) override { give(kJsonKeys, name); }
  void string(Str value) override { give(kJsonStrings, value); }
  void number(Str text) override { give(kJsonNumbers, text); }
  void boolean(bool value) override { give(kJsonBooleans, value ? "true" : "false"); }
  void null() override {}

 private:
  void give(JsonValueKinds kind, Str value) {
    if ((kinds_ & kind) != 0) visit_(value);
  }
  JsonValueKinds kinds_;
  const JsonValueVisitor& visit_;
};

void visit_values(FuncContext& context, JsonbView value, JsonValueKinds kinds, const JsonValueVisitor& visit) {
  if (stack_remaining() == 0) return context.fail(stack_depth_error());
  switch (value.kind()) {
    case JsonKind::kNull: break;
    case JsonKind::kString:
      if ((kinds & kJsonStrings) != 0) visit(value.string());
      break;
    case JsonKind::kNumber:
      if ((kinds & kJsonNumbers) != 0) visit(value.text(context));
      break;
    case JsonKind::kBool:
      if ((kinds & kJsonBooleans) != 0) visit(value.boolean() ? "true" : "false");
      break;
    case JsonKind::kArray:
      for (int32_t i = 0; i < value.count() && !context.failed(); i++)
        visit_values(context, value.value(i), kinds, visit);
      break;
    case JsonKind::kObject:
      for (int32_t i = 0; i < value.count() && !context.failed(); i++) {
        if ((kinds & kJsonKeys) != 0) visit(value.key(i));
        visit_values(context, value.value(i), kinds, visit);
      }
      break;
  }
}

constexpr const char* kPossible = "Possible values are: \"string\", \"numeric\", \"boolean\", \"key\", and \"all\".";

}  // namespace

std::optional<JsonValueKinds> read_json_value_kinds(FuncContext& context, JsonbView flags) {
  if (flags.kind() == JsonKind::kObject) {
    context.fail(sqlstate::kInvalidParameterValue, "wrong flag type, only arrays and scalars are allowed");
    return std::nullopt;
  }
  JsonValueKinds kinds = 0;
  const auto read = [&](JsonbView flag) {
    if (flag.kind() != JsonKind::kString) {
      context.fail(Error(sqlstate::kInvalidParameterValue, "flag array element is not a string").with_hint(kPossible));
      return false;
    }
    const std::string name = to_lower(flag.string());
    if (name == "all") {
      kinds |= kJsonStrings | kJsonNumbers | kJsonBooleans | kJsonKeys;
    } else if (name == "key") {
      kinds |= kJsonKeys;
    } else if (name == "string") {
      kinds |= kJsonStrings;
    } else if (name == "numeric") {
      kinds |= kJsonNumbers;
    } else if (name == "boolean") {
      kinds |= kJsonBooleans;
    } else {
      context.fail(
          Error(sqlstate::kInvalidParameterValue, "wrong flag in flag array: \"" + std::string(flag.string()) + "\"")
              .with_hint(kPossible));
      return false;
    }
    return true;
  };
  if (flags.kind() != JsonKind::kArray) return read(flags) ? std::optional(kinds) : std::nullopt;
  for (int32_t i = 0; i < flags.count(); i++)
    if (!read(flags.value(i))) return std::nullopt;
  return kinds;
}

void visit_json_values(FuncContext& context, JsonbView document, JsonValueKinds kinds, const JsonValueVisitor& visit) {
  visit_values(context, document, kinds, visit);
}
void visit_json_values(FuncContext& context, JsonText document, JsonValueKinds kinds, const JsonValueVisitor& visit) {
  ValueSink sink(kinds, visit);
  parse_json(context, document.raw(), &sink);
}

}  // namespace indigo::types
