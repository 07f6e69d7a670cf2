// Whom the session acts as: the settings session_authorization and role, which roll back as all settings do, and functions
// with SECURITY DEFINER.
// Thread safety: none; belongs to a session.
#pragma once

#include <map>
#include <string>

#include "base/error.h"
#include "base/ids.h"

namespace indigo::catalog {
class SessionCatalog;
struct RoleInfo;
}  // namespace indigo::catalog

namespace indigo::engine {

class Settings;
class TransactionBlock;

class SessionRoles {
 public:
  SessionRoles(catalog::SessionCatalog& catalog, TransactionBlock& block, Settings& settings)
      : catalog_(catalog), block_(block), settings_(settings) {}

  // At the session's start, before the settings are applied. 42501 when the role may not connect to the database.
  Status log_in(const catalog::RoleInfo& role);

  Oid user() const { return user_; }
  const std::string& user_name() const { return user_name_; }
  const std::string& session_user_name() const { return session_user_name_; }
  bool is_superuser();

  // SECURITY DEFINER: privileges are that role's until it changes again.
  void act_as(Oid role);

  // SET SESSION AUTHORIZATION and SET ROLE: whether the role exists and may be taken.
  enum class Setting : uint8_t { kSessionAuthorization, kRole };
  Status check(Setting setting, const std::string& name);
  // After either has changed, also by roll-back.
  void apply();

 private:
  catalog::SessionCatalog& catalog_;
  TransactionBlock& block_;
  Settings& settings_;
  Oid login_user_ = kInvalidOid;
  Oid user_ = kInvalidOid, session_user_ = kInvalidOid;
  std::string user_name_, session_user_name_;
  std::map<std::string, Oid, std::less<>> oids_;  // of the names that the two settings have had
};

}  // namespace indigo::engine
