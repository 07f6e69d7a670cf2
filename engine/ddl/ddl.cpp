#include "engine/ddl/ddl.h"

#include <utility>

#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "engine/statement/utility_statement.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine {

storage::Store& DdlContext::store() const { return catalog.catalog().store(); }

const UtilityStatement* find_definition(const PgQuery__Node& statement) {
  const UtilityStatement* found = find_utility(&statement);
  return found != nullptr && found->define != nullptr ? found : nullptr;
}

Result<std::string> execute_ddl(DdlContext& c, const PgQuery__Node& statement) {
  const UtilityStatement* row = find_definition(statement);
  if (row == nullptr) return Error(sqlstate::kFeatureNotSupported, statement_name(&statement) + " is not supported");
  c.tag.clear();
  INDIGO_TRY(row->define(c, statement));
  return c.tag.empty() ? statement_name(*row, statement) : std::move(c.tag);
}

}  // namespace indigo::engine
