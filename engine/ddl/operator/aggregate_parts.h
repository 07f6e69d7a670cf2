// What CREATE AGGREGATE's options say, and the functions that they name, checked by PostgreSQL's rules.
// Thread safety: as the DdlContext.
#pragma once

#include <optional>
#include <string>

#include "engine/ddl/operator/definition.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

struct AggregateOptions {
  NodeList transition, final, combine, serialize, deserialize;
  NodeList moving_transition, moving_inverse, moving_final, sort_operator;
  Oid state = kInvalidOid, moving_state = kInvalidOid;
  Oid base = kInvalidOid;  // the old syntax: the only argument; kInvalidOid: none
  int32_t state_space = 0, moving_space = 0;
  std::optional<std::string> initial, moving_initial;
  bool final_extra = false, moving_final_extra = false, hypothetical = false;
  std::optional<char> final_modify, moving_final_modify;  // r s w
  char parallel = 'u';
};
Result<AggregateOptions> read_aggregate_options(DdlContext& c, NodeList options, bool old_style);

// pg_proc OIDs as pg_aggregate has them; kInvalidOid: none.
struct AggregateParts {
  Oid transition = kInvalidOid, final = kInvalidOid, combine = kInvalidOid;
  Oid serialize = kInvalidOid, deserialize = kInvalidOid;
  Oid moving_transition = kInvalidOid, moving_inverse = kInvalidOid, moving_final = kInvalidOid;
  Oid sort_operator = kInvalidOid;
  Oid result = kInvalidOid;  // the aggregate's type
};
// `kind` as pg_aggregate.aggkind; `direct`: of an ordered-set aggregate.
Result<AggregateParts> find_aggregate_parts(DdlContext& c, const RoutineSignature& signature,
                                            const AggregateOptions& options, char kind, int direct);

// anyelement, anycompatible and their families.
bool is_polymorphic_type(Oid type);

}  // namespace indigo::engine::ddl
