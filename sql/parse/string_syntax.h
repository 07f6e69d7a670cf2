// How a session reads string constants: standard_conforming_strings, escape_string_warning, backslash_quote.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace indigo::sql {

enum class BackslashQuote : uint8_t { kOff, kOn, kSafeEncoding };

struct StringSyntax {
  bool standard = true;  // a backslash in '...' is a backslash
  bool warns = true;     // of one that is an escape
  BackslashQuote backslash_quote = BackslashQuote::kSafeEncoding;
};

// The warnings (22P06) of a text that is read as `syntax` says: one for each '...' with an escape, of its first.
std::vector<Error> escape_warnings(std::string_view text, const StringSyntax& syntax);

}  // namespace indigo::sql
