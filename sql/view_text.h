// The text that a view is kept as: its query with every column and condition spelled out, which later changes of the tables'
// names leave true. What goes by columns' names, USING and NATURAL, would not survive them, so the query as it was joined is
// a comment on the last line, for printing alone and only as long as it means the same.
// Thread safety: pure functions; reads one session's catalog view.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sql/func/context.h"
#include "sql/query.h"

namespace indigo::sql {

// `joined` is SQL text in one line, or is not kept.
std::string with_joined_form(std::string text, std::string_view joined);

// The definition for pg_get_viewdef, without a semicolon; nothing when it cannot be analyzed or printed any more.
std::optional<std::string> print_view(SessionContext& session, std::string_view stored,
                                      std::span<const std::string> column_names, bool pretty);

}  // namespace indigo::sql
