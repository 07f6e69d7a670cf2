#include "sql/analyze/analysis.h"

#include "catalog/descriptor/session_context.h"
#include "sql/parse/text_position.h"

namespace indigo::sql {

Analysis::Analysis(catalog::SessionContext& s, std::string_view t)
    : session(s), catalog(s.catalog()), text(t), functions_(s) {
  functions_.set_arena(&arena_);
}

Analysis::Analysis(const Analysis& outer, std::string_view t) : Analysis(outer.session, t) {
  has_positions = false;
  require_implementations = outer.require_implementations;
  inline_functions = outer.inline_functions;
  nesting = outer.nesting + 1;
}

int Analysis::position(int location) const { return has_positions ? character_position(text, location) : 0; }

Status Analysis::check_schema(std::string_view schema, int location) const {
  if (!checks_schemas || schema.empty()) return {};
  const Oid oid = catalog.schema_named(schema);
  if (oid == kInvalidOid || catalog.may_use_schema(oid)) return {};
  return error(sqlstate::kInsufficientPrivilege, "permission denied for schema " + std::string(schema), location);
}

Error Analysis::error(const SqlState& state, std::string message, int location) const {
  return Error(state, std::move(message)).at(position(location));
}

}  // namespace indigo::sql
