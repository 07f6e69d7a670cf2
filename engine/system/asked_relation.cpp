#include "engine/system/asked_relation.h"

#include "base/sqlstate.h"
#include "engine/system/catalog_rows.h"

namespace indigo::engine {

namespace pg_class = catalog::pg_class;

Result<AskedRelation> asked_relation(SessionParts& session, Oid oid) {
  AskedRelation out;
  out.oid = oid;
  CatalogRows rows(session);
  const bool found = rows.find(pg_class::kOid, oid, [&](RowReader row) {
    out.kind = row.chr(pg_class::c_relkind);
    out.name = row.str(pg_class::c_relname);
    out.method = row.oid(pg_class::c_relam);
  });
  if (!found) return Error(sqlstate::kInternalError, "could not open relation with OID " + std::to_string(oid));
  Oid table = oid;
  if (out.is_index())
    rows.find(catalog::pg_index::kOid, oid, [&](RowReader row) { table = row.oid(catalog::pg_index::c_indrelid); });
  out.table = session.session_catalog().relation(table);
  return out;
}

Result<AskedRelation> asked_relation(SessionParts& session, Str name) {
  NameContext names(session);
  INDIGO_ASSIGN(const Oid oid, types::find_relation_oid(names.context, name));
  return asked_relation(session, oid);
}

std::string unsupported_kind(char kind) {
  const char* const name = kind == 'r'   ? "tables"
                           : kind == 'i' ? "indexes"
                           : kind == 'S' ? "sequences"
                           : kind == 't' ? "TOAST tables"
                           : kind == 'v' ? "views"
                           : kind == 'm' ? "materialized views"
                           : kind == 'c' ? "composite types"
                           : kind == 'f' ? "foreign tables"
                           : kind == 'p' ? "partitioned tables"
                                         : "partitioned indexes";
  return "This operation is not supported for " + std::string(name) + ".";
}

}  // namespace indigo::engine
