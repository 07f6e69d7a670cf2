// The session as analyzer, planner and executor see it: what functions see, with the whole catalog view. Implemented by
// engine; a test may implement its own.
// Thread safety: one session's thread at a time.
#pragma once

#include "catalog/descriptor/catalog_view.h"
#include "types/function/context.h"

namespace indigo::catalog {

// The function that gives a transition table's rows: the session knows it, the catalog does not.
inline constexpr Oid kTransitionRows{0xFFFFFFF0};

class SessionContext : public types::SessionContext {
 public:
  CatalogView& catalog() override = 0;
  // REFERENCING OLD TABLE or NEW TABLE of the trigger whose function runs, by the name that it has there: the relation whose
  // columns it has. Null: none.
  virtual std::shared_ptr<const RelationInfo> transition_table(std::string_view /*name*/) { return nullptr; }
};

}  // namespace indigo::catalog
