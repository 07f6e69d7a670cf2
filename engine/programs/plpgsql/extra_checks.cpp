#include "engine/programs/plpgsql/extra_checks.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "catalog/descriptor/session_context.h"
#include "engine/programs/programs.h"
#include "engine/session/session_parts.h"
#include "engine/settings/settings.h"
#include "types/text/ascii.h"

namespace indigo::engine::programs {

namespace {

constexpr std::array<std::string_view, 3> kNames = {"shadowed_variables", "strict_multi_assignment", "too_many_rows"};

void mark(SessionParts& session, std::string_view setting, ExtraCheck as, std::array<ExtraCheck, 3>& checks) {
  std::string list;
  if (!session.context().setting(setting, list)) return;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    const std::string item = types::to_lower(types::trim_blanks(std::string_view(list).substr(at, end - at)));
    for (size_t i = 0; i < kNames.size(); i++) {
      if (item == "all" || item == kNames[i]) checks[i] = as;
    }
    at = end + 1;
  }
}

}  // namespace

ExtraCheck ExtraChecks::of(SessionParts& session, Kind kind) {
  if (const uint64_t now = session.settings().custom_generation(); generation_ != now) {
    checks_ = {};
    mark(session, "plpgsql.extra_warnings", ExtraCheck::kWarning, checks_);
    mark(session, "plpgsql.extra_errors", ExtraCheck::kError, checks_);
    generation_ = now;
  }
  return checks_[static_cast<size_t>(kind)];
}

ExtraCheck extra_check(SessionParts& session, ExtraChecks::Kind kind) {
  return session.routines().extra_checks().of(session, kind);
}

}  // namespace indigo::engine::programs
