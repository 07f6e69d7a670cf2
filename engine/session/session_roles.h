// Whom the session acts as: the settings session_authorization and role, which roll back as all settings do; and what runs as
// another role: functions with SECURITY DEFINER, the actions of foreign keys, the queries of materialized views.
//
// Invariant: while it acts for another, neither setting changes: what runs for a role has no way to the caller's own.
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

  // What a role's program may not do while it runs for another.
  enum class Bound : uint8_t {
    kIdentity = 1,  // change the role
    kOperation = 2  // and leave anything behind that would run, or be found, when the caller's own privileges are back
  };
  // While it lives, privileges are that role's.
  class Acting {
   public:
    Acting(SessionRoles& roles, Oid role, Bound bound);
    ~Acting();
    Acting(const Acting&) = delete;
    Acting& operator=(const Acting&) = delete;

   private:
    SessionRoles& roles_;
    const Oid user_;
    const uint8_t bounds_;
  };
  // Within a security-restricted operation.
  bool is_restricted() const { return (bounds_ & static_cast<uint8_t>(Bound::kOperation)) != 0; }

  // SET SESSION AUTHORIZATION and SET ROLE: whether the role exists and may be taken.
  enum class Setting : uint8_t { kSessionAuthorization, kRole };
  Status check(Setting setting, const std::string& name);
  // After either has changed, also by roll-back.
  void apply();

 private:
  void act_as(Oid role);

  catalog::SessionCatalog& catalog_;
  TransactionBlock& block_;
  Settings& settings_;
  Oid login_user_ = kInvalidOid;
  Oid user_ = kInvalidOid, session_user_ = kInvalidOid;
  uint8_t bounds_ = 0;  // of Bound
  std::string user_name_, session_user_name_;
  std::map<std::string, Oid, std::less<>> oids_;  // of the names that the two settings have had
};

}  // namespace indigo::engine
