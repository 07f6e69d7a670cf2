// What PostgreSQL's scanner says about names that are too long.
// Thread safety: belongs to a session.
#pragma once

#include <string_view>

namespace indigo::engine {

class CurrentMessage;

// A notice for each name of the text that will be clipped.
void report_long_names(CurrentMessage& message, std::string_view text);

}  // namespace indigo::engine
