#include "engine/programs/call_frame.h"

#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "engine/row_sink.h"
#include "engine/session/session_parts.h"
#include "engine/session/session_settings.h"
#include "engine/settings/private_settings.h"
#include "engine/settings/settings.h"

namespace indigo::engine::programs {

Status CallFrame::enter(const types::FunctionInfo& info) {
  if (info.security_definer) definer_.emplace(session_.roles(), info.owner, SessionRoles::Bound::kIdentity);
  generation_before_ = session_.setting_effects().plan_generation();
  for (const std::string& line : info.settings) {
    const size_t at = line.find('=');
    const std::string name = line.substr(0, at), value = line.substr(at + 1);
    Kept kept{name, {}, 0};
    if (!session_.context().setting(name, kept.before)) kept.before.clear();
    INDIGO_TRY(session_.settings().set(name, value, Settings::Scope::kLocal,
                                       may_set_as_superuser(session_.session_catalog(), session_.user(), name)));
    kept.mark = session_.settings().mark();
    settings_.push_back(std::move(kept));
  }
  generation_within_ = session_.setting_effects().plan_generation();
  return {};
}

CallFrame::~CallFrame() {
  definer_.reset();
  bool as_before = !settings_.empty() && session_.setting_effects().plan_generation() == generation_within_;
  for (auto at = settings_.rbegin(); at != settings_.rend(); ++at) {
    // Both values were in force before: they are valid. A SET of the routine's own, unlike SET LOCAL, outlasts the call.
    std::string lasting;
    const std::string& after = session_.settings().lasting_since(at->mark, at->name, lasting) ? lasting : at->before;
    Status restored = session_.settings().set(at->name, after, Settings::Scope::kLocal, true);
    if (restored.ok()) continue;
    as_before = false;
    session_.notice(Severity::kWarning, restored.error());
  }
  if (as_before) session_.setting_effects().return_to(generation_before_);
}

}  // namespace indigo::engine::programs
