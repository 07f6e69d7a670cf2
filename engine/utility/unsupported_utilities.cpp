// Statements of PostgreSQL's that are known by name and not built.
#include "engine/utility/families.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine {

namespace {

constexpr UtilityStatement not_built(PgQuery__Node__NodeCase node, std::string_view name) {
  return {.node = node, .name = name};
}

constexpr UtilityStatement kUnsupported[] = {
    not_built(PG_QUERY__NODE__NODE_ALTER_DATABASE_REFRESH_COLL_STMT, "ALTER DATABASE"),
    not_built(PG_QUERY__NODE__NODE_ALTER_TYPE_STMT, "ALTER TYPE"),
    not_built(PG_QUERY__NODE__NODE_CREATE_TRANSFORM_STMT, "CREATE TRANSFORM"),
};

}  // namespace

std::span<const UtilityStatement> unsupported_utilities() { return kUnsupported; }

}  // namespace indigo::engine
