#include "engine/session/scanner_notices.h"

#include "base/name.h"
#include "base/sqlstate.h"
#include "engine/row_sink.h"
#include "engine/session/current_message.h"
#include "sql/parse/pre_scan.h"

namespace indigo::engine {

void report_scanner_notices(CurrentMessage& message, std::string_view text, const sql::StringSyntax& syntax) {
  for (const Error& warning : sql::escape_warnings(text, syntax)) message.notice(Severity::kWarning, warning);
  for (const std::string& name : sql::long_names(text, syntax)) {
    message.notice(Severity::kNotice,
                   Error(sqlstate::kNameTooLong,
                         "identifier \"" + name + "\" will be truncated to \"" + std::string(clip_name(name)) + "\""));
  }
}

bool has_scanner_notices(std::string_view text, const sql::StringSyntax& syntax) {
  return !sql::long_names(text, syntax).empty() || !sql::escape_warnings(text, syntax).empty();
}

}  // namespace indigo::engine
