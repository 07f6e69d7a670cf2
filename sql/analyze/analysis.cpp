#include "sql/analyze/analysis.h"

#include "base/fiber/interrupt_error.h"
#include "base/fiber/wait_point.h"
#include "catalog/descriptor/session_context.h"
#include "sql/parse/text_position.h"

namespace indigo::sql {

Analysis::Analysis(catalog::SessionContext& s, std::string_view t)
    : session(s),
      catalog(s.catalog()),
      text(t),
      expansions_(own_expansions_),
      expanding_(own_expanding_),
      functions_(s) {
  functions_.set_arena(&arena_);
}

Analysis::Analysis(const Analysis& outer, std::string_view t)
    : session(outer.session),
      catalog(outer.catalog),
      text(t),
      expansions_(outer.expansions_),
      expanding_(outer.expanding_),
      functions_(session) {
  functions_.set_arena(&arena_);
  has_positions = false;
  require_implementations = outer.require_implementations;
  inline_functions = outer.inline_functions;
  nesting = outer.nesting + 1;
}

Result<size_t> Analysis::count_expansion() {
  Waiter& waiter = Waiter::current();
  waiter.yield_if_due();
  const InterruptReason reason = waiter.interrupted();
  if (reason != InterruptReason::kNone) return interrupt_error(reason);
  return ++expansions_;
}

int Analysis::position(int location) const { return has_positions ? character_position(text, location) : 0; }

Status Analysis::check_schema(std::string_view schema, int location) const {
  if (!checks_schemas || schema.empty()) return {};
  const Oid oid = catalog.schema_named(schema);
  if (oid == kInvalidOid || catalog.may_use_schema(oid)) return {};
  return error(sqlstate::kInsufficientPrivilege, "permission denied for schema " + std::string(schema), location);
}

Status Analysis::check_qualified(const QualifiedName& name, NodeList parts, int location) const {
  if (!name.valid) {
    return error(sqlstate::kSyntaxError, "improper qualified name (too many dotted names): " + name_list_text(parts),
                 location);
  }
  if (!name.database.empty() && name.database != catalog.database_name()) {
    return error(sqlstate::kFeatureNotSupported,
                 "cross-database references are not implemented: " + name_list_text(parts), location);
  }
  if (!name.schema.empty() && catalog.schema_named(name.schema) == kInvalidOid) {
    return error(sqlstate::kInvalidSchemaName, "schema \"" + std::string(name.schema) + "\" does not exist", location);
  }
  return check_schema(name.schema, location);
}

Error Analysis::error(const SqlState& state, std::string message, int location) const {
  return Error(state, std::move(message)).at(position(location));
}

}  // namespace indigo::sql
