#include "sql/parse/text_position.h"

#include "base/utf8.h"

namespace indigo::sql {

int character_position(std::string_view text, int offset) {
  if (offset < 0 || static_cast<size_t>(offset) > text.size()) return 0;
  return 1 + static_cast<int>(utf8_count(text.substr(0, static_cast<size_t>(offset))));
}

int byte_offset(std::string_view text, int position) {
  if (position <= 0) return -1;
  size_t i = 0;
  for (int seen = 1; i < text.size(); i++) {
    if (utf8_continuation(text[i])) continue;
    if (seen++ == position) return static_cast<int>(i);
  }
  return static_cast<int>(text.size());
}

}  // namespace indigo::sql
