// Row security applied to an analyzed statement: each table with policies gets the conditions that its rows must meet to be
// seen (Entry::security_quals) and to be written (Query::row_checks), for the role that uses it. What views read is read as
// their owner, unless they are security_invoker.
//
// The result depends on the role, its memberships and the setting row_security: plans made of it serve no other.
// Thread safety: one analysis belongs to one session.
#pragma once

#include <memory>

#include "base/error.h"
#include "catalog/descriptor/session_context.h"
#include "sql/query.h"

namespace indigo::sql {

// 42501 when row_security is off and policies would apply; 42P17 for policies that read their own table. The same pointer when
// nothing applies.
Result<std::shared_ptr<const Query>> apply_row_security(catalog::SessionContext& session,
                                                        const std::shared_ptr<const Query>& query);

// 42501 "query would be affected by row-level security policy for table".
Error affected_by_row_security(catalog::CatalogView& catalog, const RelationInfo& relation, Oid role);

}  // namespace indigo::sql
