// The kinds of objects that have an owner and nothing else that goes with it: no access list, no parts.
// Thread safety: constants.
#pragma once

#include "catalog/generated/columns.h"

namespace indigo::engine::ddl {

struct OwnedKind {
  Oid table;  // the system table with a row per object
  int oid, owner;
};

inline constexpr OwnedKind kPlainKinds[] = {
    {catalog::pg_operator::kOid, catalog::pg_operator::c_oid, catalog::pg_operator::c_oprowner},
    {catalog::pg_opclass::kOid, catalog::pg_opclass::c_oid, catalog::pg_opclass::c_opcowner},
    {catalog::pg_opfamily::kOid, catalog::pg_opfamily::c_oid, catalog::pg_opfamily::c_opfowner},
    {catalog::pg_conversion::kOid, catalog::pg_conversion::c_oid, catalog::pg_conversion::c_conowner},
    {catalog::pg_collation::kOid, catalog::pg_collation::c_oid, catalog::pg_collation::c_collowner},
    {catalog::pg_statistic_ext::kOid, catalog::pg_statistic_ext::c_oid, catalog::pg_statistic_ext::c_stxowner},
    {catalog::pg_event_trigger::kOid, catalog::pg_event_trigger::c_oid, catalog::pg_event_trigger::c_evtowner},
};

}  // namespace indigo::engine::ddl
