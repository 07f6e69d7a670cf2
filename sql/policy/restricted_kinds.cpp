#include "sql/policy/restricted_kinds.h"

#include <algorithm>
#include <cctype>

#include "base/sqlstate.h"
#include "sql/query_walk.h"
#include "types/oids.h"

namespace indigo::sql {

namespace {

struct Restricted {
  bool views = false, foreign = false;
};

Restricted restricted_kinds(catalog::SessionContext& session) {
  std::string setting;
  if (!session.setting("restrict_nonsystem_relation_kind", setting) || setting.empty()) return {};
  // It has been checked: its key words are "view" and "foreign-table", in whatever case.
  std::transform(setting.begin(), setting.end(), setting.begin(), [](unsigned char c) { return std::tolower(c); });
  return {setting.find("view") != std::string::npos, setting.find("foreign") != std::string::npos};
}

// What an error calls the relation; empty: it may be used.
std::string restricted_name(const Restricted& kinds, const RelationInfo& r) {
  if (r.oid < oid::kFirstUserOid) return {};
  if (kinds.views && r.kind == catalog::RelationKind::kView) return "view \"" + r.name + "\"";
  return kinds.foreign && r.is_foreign() ? "foreign table" : std::string();
}

Error restriction(const std::string& name) {
  return Error(sqlstate::kObjectNotInPrerequisiteState, "access to non-system " + name + " is restricted");
}

}  // namespace

Status check_relation_kinds(catalog::SessionContext& session, const Query& query) {
  const Restricted kinds = restricted_kinds(session);
  std::string name;
  const auto restricted = [&](const RelationInfo& r) { return !(name = restricted_name(kinds, r)).empty(); };
  if ((kinds.views || kinds.foreign) && any_relation(query, restricted)) return restriction(name);
  return {};
}

Status check_relation_kind(catalog::SessionContext& session, const RelationInfo& relation) {
  const std::string name = restricted_name(restricted_kinds(session), relation);
  return name.empty() ? Status() : Status(restriction(name));
}

}  // namespace indigo::sql
