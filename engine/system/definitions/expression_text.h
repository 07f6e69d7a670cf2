// Stored expressions as pg_get_expr and the like show them: names qualified only where search_path does not find them.
// Thread safety: one session.
#pragma once

#include "engine/system/catalog_rows.h"

namespace indigo::engine {

// Of `relation`'s columns (null: none). A text that no longer can be analyzed is shown as it is stored.
std::string expression_text(SessionParts& session, std::string_view stored,
                            const std::shared_ptr<const catalog::RelationInfo>& relation, bool pretty);
// The same as a key of an index, a partition or statistics: in parentheses unless it is a call.
std::string key_expression_text(SessionParts& session, std::string_view stored,
                                const std::shared_ptr<const catalog::RelationInfo>& relation, bool pretty);
// A domain's check, in which VALUE is the value.
std::string domain_check_text(SessionParts& session, std::string_view stored, Oid domain, bool pretty);

}  // namespace indigo::engine
