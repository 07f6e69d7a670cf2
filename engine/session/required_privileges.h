// Which privileges a query needs, and whether the session's user has them: 42501 before anything is read or locked.
//
// A view's own tables are read with the privileges of the view's owner. Columns count: a privilege on every column that the
// query uses serves as well as one on the table. Checked at each execution, since GRANT and SET ROLE come in between.
// Thread safety: one session.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "sql/query.h"

namespace indigo::catalog {
class SessionCatalog;
}

namespace indigo::engine {

struct RequiredPrivilege {
  Oid relation = kInvalidOid;
  std::string name;
  catalog::RelationKind kind = catalog::RelationKind::kTable;
  Oid schema = kInvalidOid;
  Oid owner_view = kInvalidOid;                  // whose privileges count: a view's owner; 0: the session's user
  uint32_t bits = 0;                             // of the table as a whole
  std::vector<int16_t> read, inserted, updated;  // columns; a privilege without columns is needed on any
  bool reads = false, inserts = false, updates = false;
};

// A function that is not executable by PUBLIC. Views' functions, too, need the privileges of the view's reader.
struct RequiredFunction {
  Oid oid = kInvalidOid;
  std::string name;
  bool over_window = false;
};

std::vector<RequiredPrivilege> required_privileges(const sql::Query& query);
// Of the functions that the query calls, those that PUBLIC may not.
std::vector<RequiredFunction> required_functions(catalog::SessionCatalog& catalog, const sql::Query& query);
std::vector<RequiredFunction> required_functions(catalog::SessionCatalog& catalog, const sql::ExprList& expressions);
Status check_functions(catalog::SessionCatalog& catalog, const std::vector<RequiredFunction>& required);
// Of expressions that no statement's plan contains: arguments of CALL and EXECUTE, PL/pgSQL's, casts.
Status check_functions(catalog::SessionCatalog& catalog, const sql::ExprList& expressions);
Status check_procedure(catalog::SessionCatalog& catalog, const types::FunctionInfo& procedure);
Status check_privileges(catalog::SessionCatalog& catalog, const std::vector<RequiredPrivilege>& required);
// A sequence's functions: any of the privileges will do.
Status check_sequence_privilege(catalog::SessionCatalog& catalog, Oid sequence, const std::string& name,
                                uint32_t any_of);
// Of one table, for COPY FROM and TRUNCATE. `columns` as above for INSERT.
Status check_table_privilege(catalog::SessionCatalog& catalog, const catalog::RelationInfo& relation, uint32_t bits,
                             std::vector<int16_t> columns = {});

}  // namespace indigo::engine
