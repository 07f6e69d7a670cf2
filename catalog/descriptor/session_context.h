// The session as analyzer, planner and executor see it: what functions see, with the whole catalog view. Implemented by
// engine; a test may implement its own.
// Thread safety: one session's thread at a time.
#pragma once

#include "catalog/descriptor/catalog_view.h"
#include "types/function/context.h"

namespace indigo::catalog {

class SessionContext : public types::SessionContext {
 public:
  CatalogView& catalog() override = 0;
};

}  // namespace indigo::catalog
