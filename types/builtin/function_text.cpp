#include "types/builtin/function_text.h"

namespace indigo::types {

std::vector<std::string> split_default_texts(std::string_view text) {
  std::vector<std::string> out;
  std::string current;
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[') {
      depth++;
    } else if (c == ')' || c == ']') {
      depth--;
    } else if (c == ',' && depth == 0) {
      out.push_back(std::move(current));
      current.clear();
      continue;
    }
    if (current.empty() && c == ' ') continue;
    current.push_back(c);
  }
  if (!current.empty()) out.push_back(std::move(current));
  return out;
}

}  // namespace indigo::types
