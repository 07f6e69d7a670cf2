// CREATE and ALTER SEQUENCE, and the sequences behind serial and identity columns.
#pragma once

#include "catalog/tables/sequence.h"
#include "engine/ddl/drop/dependency.h"
#include "engine/ddl/rows.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

struct SequenceDefinition {
  catalog::SequenceOptions options;
  Oid type = oid::kInt8;
  std::optional<int64_t> restart;  // ALTER: RESTART [WITH]
  bool restart_seen = false;
  const PgQuery__List* owned_by = nullptr;
  bool owned_by_seen = false;
  const PgQuery__List* name = nullptr;  // SEQUENCE NAME of identity columns
  bool type_seen = false;
};

// Applies the options to `base`. For a new sequence base is null and defaults follow the type and direction.
// 22023 with PostgreSQL's messages.
Result<SequenceDefinition> sequence_definition(DdlContext& c, NodeList options, const SequenceDefinition* base,
                                               Oid default_type);
// The relation, its rows and its counter. Answers the OID.
Result<Oid> create_sequence(DdlContext& c, std::string_view name, Oid schema, char persistence, Oid owner,
                            const SequenceDefinition& d);
// The counter starts again behind a new file number (transactional).
Status reset_sequence(DdlContext& c, Oid sequence, int64_t last_value, bool is_called);
// The pg_sequence row. False when there is none.
bool read_sequence(DdlContext& c, Oid sequence, SequenceDefinition& out);

// 0A000 for a sequence that belongs to a column: `refusal` is what is not done to it alone.
Status check_not_linked(DdlContext& c, const catalog::RelationInfo& sequence, std::string refusal);

Status execute_create_sequence(DdlContext& c, const PgQuery__CreateSeqStmt& s);
Status execute_alter_sequence(DdlContext& c, const PgQuery__AlterSeqStmt& s);
Status alter_sequence(DdlContext& c, const RelationPtr& sequence, NodeList options);
// ALTER SEQUENCE ... AS type, for an identity column whose type changes.
Status alter_sequence_type(DdlContext& c, const RelationPtr& sequence, Oid type);

}  // namespace indigo::engine::ddl
