// What ALTER ROLE ... SET and ALTER DATABASE ... SET have stored (pg_db_role_setting) for sessions that begin.
// Thread safety: any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "catalog/catalog.h"

namespace indigo::engine {

// Names and values. What is said of both role and database comes last, before it the role's, the database's, everybody's:
// later ones replace earlier ones.
std::vector<std::pair<std::string, std::string>> stored_settings(catalog::Catalog& catalog, Oid database, Oid role);

}  // namespace indigo::engine
