// XPath over texts as contrib's xml2 has it: a text that is not well-formed gives nothing, whatever is wrong with it.
// Thread safety: pure functions.
#pragma once

#include <libxml/xpath.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace indigo::types::xml2 {

inline constexpr SqlState kExternalRoutineException{"38000"};

// Calls `use` with what each path gives, beginning at the root element: null when it gives nothing. Not called when the text is not
// well-formed; the answer is whether it is. 38000 when a path is none.
using Use = std::function<Status(const std::vector<xmlXPathObject*>& found)>;
Result<bool> evaluate(const std::string& text, const std::vector<std::string>& paths, const Use& use);

using Cells = std::vector<std::optional<std::string>>;
// The rows of xpath_table for one document: the nodes of all paths side by side. `unsupported`: for each value that is neither
// nodes nor a string, the number of its type.
Result<bool> rows_of(const std::string& text, const std::vector<std::string>& paths, std::vector<Cells>& rows,
                     std::vector<int>& unsupported);

inline constexpr const char* kUnsupported = "<unsupported/>";
std::string unsupported_notice(int type);

}  // namespace indigo::types::xml2
