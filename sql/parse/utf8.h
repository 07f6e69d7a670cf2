// UTF-8 of statement texts: validity and character positions.
// Thread safety: pure functions.
#pragma once

#include <string_view>

#include "base/error.h"

namespace indigo::sql {

// 22021 with PostgreSQL's message when `text` is not valid UTF-8 or contains a zero byte.
Status check_utf8(std::string_view text);

// The 1-based character number of the byte at 0-based `offset`; 0 when offset is negative or beyond the text's end.
int character_position(std::string_view text, int offset);

// The 0-based byte where the 1-based character `position` begins; -1 when position is 0, the text's size when beyond it.
int byte_offset(std::string_view text, int position);

}  // namespace indigo::sql
