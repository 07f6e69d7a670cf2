// The command tags that event triggers may be restricted to.
// Thread safety: constants.
#pragma once

#include <string_view>

namespace indigo::engine::ddl {

enum class EventSupport : unsigned char { kUnknown, kNone, kDefinitions };
// Of a tag in capitals: kUnknown when no command has it, kDefinitions when its commands fire event triggers.
EventSupport event_support(std::string_view tag);
// Whether commands of this tag may rewrite a table.
bool rewrites_tables(std::string_view tag);

}  // namespace indigo::engine::ddl
