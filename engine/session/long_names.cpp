#include "engine/session/long_names.h"

#include "base/name.h"
#include "base/sqlstate.h"
#include "engine/row_sink.h"
#include "engine/session/current_message.h"
#include "sql/parse/pre_scan.h"

namespace indigo::engine {

void report_long_names(CurrentMessage& message, std::string_view text) {
  for (const std::string& name : sql::long_names(text)) {
    message.notice(Severity::kNotice,
                   Error(sqlstate::kNameTooLong,
                         "identifier \"" + name + "\" will be truncated to \"" + std::string(clip_name(name)) + "\""));
  }
}

}  // namespace indigo::engine
