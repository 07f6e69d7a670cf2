#include "types/json/json_value.h"

#include "base/fiber/long_work.h"
#include "types/json/json_parser.h"

namespace indigo::types {

namespace {

bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
void skip_spaces(Str s, size_t& at) {
  while (at < s.size() && is_json_space(s[at])) at++;
}
void skip_string(Str s, size_t& at) {
  for (at++; at < s.size() && s[at] != '"'; at++)
    if (s[at] == '\\') at++;
  at++;
}
// Past the value at `at`; the text is valid.
void skip_value(Str s, size_t& at) {
  note_work(8);
  int depth = 0;
  while (at < s.size()) {
    const char c = s[at];
    if (c == '"') {
      skip_string(s, at);
    } else if (c == '{' || c == '[') {
      note_work(8);
      depth++;
      at++;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return;
      depth--;
      at++;
    } else if (depth > 0) {
      at++;
    } else if (c == ',' || is_json_space(c)) {
      return;
    } else {
      while (at < s.size() && s[at] != ',' && s[at] != '}' && s[at] != ']' && !is_json_space(s[at])) at++;
    }
    if (depth == 0) return;
  }
}

}  // namespace

JsonText::JsonText(Str text) : text_(text) {
  while (!text_.empty() && is_json_space(text_.front())) text_.remove_prefix(1);
  while (!text_.empty() && is_json_space(text_.back())) text_.remove_suffix(1);
}

JsonKind JsonText::kind() const {
  switch (text_.empty() ? 'n' : text_[0]) {
    case '{': return JsonKind::kObject;
    case '[': return JsonKind::kArray;
    case '"': return JsonKind::kString;
    case 't':
    case 'f': return JsonKind::kBool;
    case 'n': return JsonKind::kNull;
    default: return JsonKind::kNumber;
  }
}

void JsonText::for_each_element(const std::function<bool(JsonText)>& visit) const {
  size_t at = 1;
  while (true) {
    skip_spaces(text_, at);
    if (at >= text_.size() || text_[at] == ']') return;
    const size_t from = at;
    skip_value(text_, at);
    if (!visit(JsonText(text_.substr(from, at - from)))) return;
    skip_spaces(text_, at);
    if (at < text_.size() && text_[at] == ',') at++;
  }
}

void JsonText::for_each_field(FuncContext& context, const std::function<bool(Str, JsonText)>& visit) const {
  size_t at = 1;
  std::string name;
  while (true) {
    skip_spaces(text_, at);
    if (at >= text_.size() || text_[at] == '}') return;
    size_t from = at;
    skip_string(text_, at);
    name.clear();
    if (!decode_json_string(context, text_.substr(from, at - from), name)) return;
    skip_spaces(text_, at);
    at++;
    skip_spaces(text_, at);
    from = at;
    skip_value(text_, at);
    if (!visit(name, JsonText(text_.substr(from, at - from)))) return;
    skip_spaces(text_, at);
    if (at < text_.size() && text_[at] == ',') at++;
  }
}

int32_t JsonText::count() const {
  int32_t n = 0;
  for_each_element([&](JsonText) { return ++n > 0; });
  return n;
}

std::optional<JsonText> JsonText::field(FuncContext& context, Str wanted) const {
  std::optional<JsonText> found;
  for_each_field(context, [&](Str name, JsonText value) {
    if (name == wanted) found = value;
    return true;
  });
  return found;
}

std::optional<JsonText> JsonText::element(int64_t index) const {
  if (index < 0) index += count();
  std::optional<JsonText> found;
  if (index < 0) return found;
  for_each_element([&](JsonText value) {
    if (index-- == 0) found = value;
    return !found;
  });
  return found;
}

std::string JsonText::text(FuncContext& context) const {
  if (kind() != JsonKind::kString) return std::string(text_);
  std::string out;
  (void)decode_json_string(context, text_, out);
  return out;
}

}  // namespace indigo::types
