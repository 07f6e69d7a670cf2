// Positions in a statement's text: bytes as the parser counts, characters as clients do.
// Thread safety: pure functions over valid UTF-8.
#pragma once

#include <string_view>

namespace indigo::sql {

// The 1-based character number of the byte at 0-based `offset`; 0 when offset is negative or beyond the text's end.
int character_position(std::string_view text, int offset);

// The 0-based byte where the 1-based character `position` begins; -1 when position is 0, the text's size when beyond it.
int byte_offset(std::string_view text, int position);

}  // namespace indigo::sql
