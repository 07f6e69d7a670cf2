#include "engine/ddl/table/size_statistics.h"

#include "catalog/relation_memory.h"
#include "engine/ddl/rows.h"

namespace indigo::engine::ddl {

namespace {

Status set(DdlContext& c, Oid oid, float rows, int32_t pages) {
  return update_class(c, oid,
                      [&](RowValues& v) { v.f32(pg_class::c_reltuples, rows).i32(pg_class::c_relpages, pages); });
}

}  // namespace

Status update_size_statistics(DdlContext& c, const RelationPtr& relation, float rows, Oid index) {
  const catalog::RelationMemory memory(*relation);
  for (const IndexInfo& i : relation->indexes) {
    if (index == kInvalidOid || i.oid == index) INDIGO_TRY(set(c, i.oid, rows, pages_of(memory.index(i.oid))));
  }
  // An index that is made of nothing does not say that the table will stay empty.
  const bool still_unknown = index != kInvalidOid && rows == 0 && relation->reltuples < 0;
  return still_unknown ? Status{} : set(c, relation->oid, rows, pages_of(memory.main()));
}

Status set_partitioned_size(DdlContext& c, const RelationPtr& relation, float rows) {
  return set(c, relation->oid, rows, -1);
}

Status set_foreign_size(DdlContext& c, const RelationPtr& relation, float rows, uint64_t bytes) {
  return set(c, relation->oid, rows, pages_of(bytes));
}

Status reset_size_statistics(DdlContext& c, const RelationPtr& relation) {
  INDIGO_TRY(set(c, relation->oid, -1, 0));
  for (const IndexInfo& i : relation->indexes) INDIGO_TRY(set(c, i.oid, -1, 0));
  return {};
}

}  // namespace indigo::engine::ddl
