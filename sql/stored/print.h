// A stored expression as SQL text. Thread safety: reads one session's catalog view.
#pragma once

#include <string>
#include <string_view>

#include "catalog/descriptor/relation_info.h"
#include "catalog/descriptor/session_context.h"

namespace indigo::sql {

// Over the relation's columns, bare; names qualified where search_path does not find them. What cannot be read is given back.
std::string print_stored(catalog::SessionContext& session, std::string_view stored,
                         const catalog::RelationInfo& relation);

}  // namespace indigo::sql
