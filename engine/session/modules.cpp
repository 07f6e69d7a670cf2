#include "engine/session/modules.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "engine/auth/password_rules.h"
#include "engine/session/auto_explain.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_counter.h"
#include "engine/settings/applied_settings.h"
#include "engine/settings/identifier_list.h"
#include "engine/settings/settings.h"

namespace indigo::engine {

namespace {

constexpr std::string_view kAuthenticationDelayModule = "auth_delay";

void adopt_settings(SessionParts& session, std::string_view module) {
  for (const Error& warning : session.settings().load_module(module)) session.notice(Severity::kWarning, warning);
}

}  // namespace

bool load_module(SessionParts& session, std::string_view name) {
  if (name == AutoExplain::kModule) {
    session.auto_explain().load();
    return true;
  }
  if (name == auth::kPasswordCheck || name == kAuthenticationDelayModule) {
    adopt_settings(session, name);
    return true;
  }
  if (name != StatementCounter::kModule) return false;
  // It counts nothing unless the server has begun with it.
  if (session.statement_counter().loaded()) adopt_settings(session, name);
  return true;
}

void preload_modules(SessionParts& session, std::initializer_list<const char*> settings) {
  for (const char* setting : settings) {
    const std::string& value = session.settings().value(*find_setting(setting));
    if (value.empty()) continue;
    const auto libraries = split_identifier_list(value);
    if (!libraries) continue;
    for (const std::string& library : *libraries) load_module(session, library);
  }
}

}  // namespace indigo::engine
