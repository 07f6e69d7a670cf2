// What libxml2 says of a document that it takes nevertheless goes to the client as a warning.
// Thread safety: as the session.
#pragma once

#include <string>
#include <vector>

#include "base/sqlstate.h"
#include "types/function/context.h"
#include "types/textsearch/session.h"

namespace indigo::types {

inline void report_xml_warnings(FuncContext& context, const std::vector<std::string>& warnings) {
  for (const std::string& text : warnings) text_search_notice(context, Error(sqlstate::kWarning, text));
}

}  // namespace indigo::types
