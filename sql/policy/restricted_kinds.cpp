#include "sql/policy/restricted_kinds.h"

#include <algorithm>
#include <cctype>

#include "base/sqlstate.h"
#include "sql/query_walk.h"
#include "types/oids.h"

namespace indigo::sql {

Status check_relation_kinds(catalog::SessionContext& session, const Query& query) {
  std::string setting;
  if (!session.setting("restrict_nonsystem_relation_kind", setting) || setting.empty()) return {};
  // It has been checked: its key words are "view" and "foreign-table", in whatever case.
  std::transform(setting.begin(), setting.end(), setting.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool views = setting.find("view") != std::string::npos, foreign = setting.find("foreign") != std::string::npos;
  std::string name;
  const auto restricted = [&](const RelationInfo& r) {
    if (r.oid < oid::kFirstUserOid) return false;
    if (views && r.kind == catalog::RelationKind::kView) name = "view \"" + r.name + "\"";
    if (foreign && r.is_foreign()) name = "foreign table";
    return !name.empty();
  };
  if (!any_relation(query, restricted)) return {};
  return Error(sqlstate::kObjectNotInPrerequisiteState, "access to non-system " + name + " is restricted");
}

}  // namespace indigo::sql
