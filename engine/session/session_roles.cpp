#include "engine/session/session_roles.h"

#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/object_privileges.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/settings.h"
#include "types/value/acl.h"

namespace indigo::engine {

Status SessionRoles::log_in(const catalog::RoleInfo& role) {
  login_user_ = role.oid;
  oids_[role.name] = role.oid;
  if (role.superuser) return {};
  const uint32_t held = catalog::object_privileges(catalog_, catalog::kDatabaseAcl, catalog_.database(), role.oid);
  if ((held & types::kPrivilegeConnect) != 0) return {};
  return Error(sqlstate::kInsufficientPrivilege,
               "permission denied for database \"" + std::string(catalog_.database_name()) + "\"")
      .with_detail("User does not have CONNECT privilege.");
}

bool SessionRoles::is_superuser() { return catalog_.is_superuser(user_); }

Status SessionRoles::check(Setting setting, const std::string& name) {
  const bool authorization = setting == Setting::kSessionAuthorization;
  if (bounds_ != 0) {
    const bool definer = (bounds_ & static_cast<uint8_t>(Bound::kIdentity)) != 0;
    return Error(sqlstate::kInsufficientPrivilege,
                 std::string("cannot set parameter \"") + (authorization ? "session_authorization" : "role") +
                     "\" within security-" + (definer ? "definer function" : "restricted operation"));
  }
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
  oids_[name] = role->oid;
  return {};
}

SessionRoles::Acting::Acting(SessionRoles& roles, Oid role, Bound bound)
    : roles_(roles), user_(roles.user_), bounds_(roles.bounds_) {
  roles_.bounds_ |= static_cast<uint8_t>(bound);
  if (role != user_) roles_.act_as(role);
}

SessionRoles::Acting::~Acting() {
  roles_.bounds_ = bounds_;
  if (roles_.user_ != user_) roles_.act_as(user_);
}

void SessionRoles::act_as(Oid role) {
  user_ = role;
  user_name_ = catalog_.role_name(role);
  catalog_.set_user(role);
}

void SessionRoles::apply() {
  static const uint32_t authorization = *find_setting("session_authorization"), role = *find_setting("role"),
                        superuser = *find_setting("is_superuser");
  session_user_name_ = settings_.value(authorization);
  session_user_ = oids_[session_user_name_];
  const std::string& chosen = settings_.value(role);
  user_name_ = chosen == "none" ? session_user_name_ : chosen;
  user_ = oids_[user_name_];
  catalog_.set_user(user_);
  settings_.set_internal(superuser, is_superuser() ? "on" : "off");
}

}  // namespace indigo::engine
