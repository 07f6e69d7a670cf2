#include "engine/settings/identifier_list.h"

#include "types/text/ascii.h"

namespace indigo::engine {

std::optional<std::vector<std::string>> split_identifier_list(std::string_view text) {
  std::vector<std::string> names;
  size_t i = 0;
  auto skip_space = [&] {
    while (i < text.size() && (text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r'))) i++;
  };
  skip_space();
  if (i == text.size()) return names;
  for (;;) {
    std::string name;
    if (i < text.size() && text[i] == '"') {
      for (i++;; i++) {
        if (i >= text.size()) return std::nullopt;
        if (text[i] != '"') {
          name.push_back(text[i]);
        } else if (i + 1 < text.size() && text[i + 1] == '"') {
          name.push_back('"');
          i++;
        } else {
          i++;
          break;
        }
      }
    } else {
      while (i < text.size() && text[i] != ',' && text[i] != ' ' && !(text[i] >= '\t' && text[i] <= '\r')) {
        char c = text[i++];
        name.push_back(types::ascii_lower(c));
      }
      if (name.empty()) return std::nullopt;
    }
    names.push_back(std::move(name));
    skip_space();
    if (i == text.size()) return names;
    if (text[i] != ',') return std::nullopt;
    i++;
    skip_space();
  }
}

}  // namespace indigo::engine
