// Whom the session acts as: the settings session_authorization and role, which roll back as all settings do.
#include "engine/session/session_impl.h"

namespace indigo::engine {

Status SessionImpl::check_role(std::string_view setting, const std::string& name) {
  const bool authorization = setting == "session_authorization";
  if (!authorization && name == "none") return {};
  const auto role = catalog_.catalog().role_named(name, block_.transaction());
  if (role == nullptr) return Error(sqlstate::kInvalidParameterValue, "role \"" + name + "\" does not exist");
  const bool allowed = authorization ? role->oid == login_user_ || catalog_.is_superuser(login_user_)
                                     : catalog_.has_role(session_user_, role->oid);
  if (!allowed) {
    return Error(sqlstate::kInsufficientPrivilege, std::string("permission denied to set ") +
                                                       (authorization ? "session authorization" : "role") + " \"" +
                                                       name + "\"");
  }
  role_oids_[name] = role->oid;
  return {};
}

void SessionImpl::act_as(Oid role) {
  user_ = role;
  user_name_ = catalog_.role_name(role);
  catalog_.set_user(role);
}

void SessionImpl::apply_roles() {
  static const uint32_t authorization = *find_setting("session_authorization"), role = *find_setting("role"),
                        superuser = *find_setting("is_superuser");
  session_user_name_ = settings_.value(authorization);
  session_user_ = role_oids_[session_user_name_];
  const std::string& chosen = settings_.value(role);
  user_name_ = chosen == "none" ? session_user_name_ : chosen;
  user_ = role_oids_[user_name_];
  catalog_.set_user(user_);
  settings_.set_internal(superuser, is_superuser() ? "on" : "off");
}

}  // namespace indigo::engine
