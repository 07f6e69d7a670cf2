#include "sql/parse/text_position.h"

#include <cstdint>

namespace indigo::sql {
namespace {

bool is_continuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

}  // namespace

int character_position(std::string_view text, int offset) {
  if (offset < 0 || static_cast<size_t>(offset) > text.size()) return 0;
  int position = 1;
  for (int i = 0; i < offset; i++) position += !is_continuation(text[i]);
  return position;
}

int byte_offset(std::string_view text, int position) {
  if (position <= 0) return -1;
  size_t i = 0;
  for (int seen = 1; i < text.size(); i++) {
    if (is_continuation(text[i])) continue;
    if (seen++ == position) return static_cast<int>(i);
  }
  return static_cast<int>(text.size());
}

}  // namespace indigo::sql
