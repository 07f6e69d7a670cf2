// What PostgreSQL's scanner says about a text beside errors: names that are too long, escapes in plain strings.
// Thread safety: belongs to a session.
#pragma once

#include <string_view>

#include "sql/parse/string_syntax.h"

namespace indigo::engine {

class CurrentMessage;

// A notice for each name of the text that will be clipped, a warning for each string that needs standard_conforming_strings off.
void report_scanner_notices(CurrentMessage& message, std::string_view text, const sql::StringSyntax& syntax);

// Whether there are any.
bool has_scanner_notices(std::string_view text, const sql::StringSyntax& syntax);

}  // namespace indigo::engine
