// CREATE LANGUAGE over a handler that is built in: rows of pg_language. No functions can be written in such a language
// (find_language answers 0A000), since a handler is a name here.
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/foreign/foreign_object.h"

struct PgQuery__CreatePLangStmt;

namespace indigo::engine::ddl {

extern const ForeignKind kLanguageKind;

Status execute_create_language(DdlContext& c, const PgQuery__CreatePLangStmt& s);
Result<std::optional<Address>> find_dropped_language(DdlContext& c, std::string_view name, bool missing_ok);
Status change_language_owner(DdlContext& c, std::string_view name, Oid owner);

}  // namespace indigo::engine::ddl
