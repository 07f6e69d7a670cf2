#include "engine/programs/call_frame.h"

#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "engine/row_sink.h"
#include "engine/session/session_parts.h"
#include "engine/settings/private_settings.h"
#include "engine/settings/settings.h"

namespace indigo::engine::programs {

Status CallFrame::enter(const types::FunctionInfo& info) {
  if (info.security_definer) definer_.emplace(session_.roles(), info.owner, SessionRoles::Bound::kIdentity);
  for (const std::string& line : info.settings) {
    const size_t at = line.find('=');
    const std::string name = line.substr(0, at), value = line.substr(at + 1);
    std::string before;
    if (!session_.context().setting(name, before)) before.clear();
    INDIGO_TRY(session_.settings().set(name, value, Settings::Scope::kLocal,
                                       may_set_as_superuser(session_.session_catalog(), session_.user(), name)));
    settings_.emplace_back(name, std::move(before));
  }
  return {};
}

CallFrame::~CallFrame() {
  definer_.reset();
  for (auto at = settings_.rbegin(); at != settings_.rend(); ++at) {
    // The value was in force before: it is valid.
    Status restored = session_.settings().set(at->first, at->second, Settings::Scope::kLocal, true);
    if (!restored.ok()) session_.notice(Severity::kWarning, restored.error());
  }
}

}  // namespace indigo::engine::programs
