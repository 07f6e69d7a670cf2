// The setting restrict_nonsystem_relation_kind (CVE-2024-7348): a dump reads a table that somebody else may have turned into a view
// or a foreign table meanwhile, whose functions would run with the dumper's rights. It says which of these may not be used.
// Thread safety: as the session's.
#pragma once

#include "base/error.h"
#include "catalog/descriptor/session_context.h"
#include "sql/query.h"

namespace indigo::sql {

// 55000 when the statement reads or changes a view or a foreign table of users' own that is restricted.
Status check_relation_kinds(catalog::SessionContext& session, const Query& query);
// The same of a relation that a utility statement reads or changes.
Status check_relation_kind(catalog::SessionContext& session, const RelationInfo& relation);

}  // namespace indigo::sql
