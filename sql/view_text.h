// A view's query as SQL text: for pg_get_viewdef.
// Thread safety: pure functions; reads one session's catalog view.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "catalog/descriptor/session_context.h"
#include "sql/query.h"

namespace indigo::sql {

// The definition without a semicolon; `stored` is a tree, or the text of a built-in view. Nothing when it cannot be read or
// printed.
std::optional<std::string> print_view(catalog::SessionContext& session, std::string_view stored,
                                      std::span<const std::string> column_names, bool pretty);

}  // namespace indigo::sql
