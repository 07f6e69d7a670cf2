// Running utility statements: everything that is not planned. engine/statement/utility_statement.h has a statement's row.
// Thread safety: one call belongs to one session.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "engine/row_sink.h"
#include "engine/statement/prepared.h"
#include "engine/statement/utility_statement.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine {

class SessionParts;
struct Portal;

struct UtilityCall {
  SessionParts& session;
  const ParsedStatement& statement;
  const PgQuery__Node* node;
  std::span<const Datum> parameters;  // of the extended protocol
  std::span<const types::TypeRef> parameter_types;
  const ResultShape* shape = nullptr;  // result columns with the client's formats, when there are some
  RowSink& sink;
  std::string& tag;         // becomes the command tag; the statement's name when the handler begins
  bool top_level = true;    // alone in its message: may run outside a transaction block
  bool may_commit = false;  // of a program that may end the transaction: so may what it calls
};

// Checks what the statement's row asks for (in_read_only, refused_in_block, privileges_of), then runs it. The runners have
// opened a transaction where the row needs one.
Status run_utility(const UtilityStatement& statement, UtilityCall& call);
// 25006 when the transaction is read-only.
Status check_not_read_only(UtilityCall& call, const std::string& name);
// Whether what lasts until the transaction's end outlives the statement: in a block, in a message of several statements, in a
// program (PostgreSQL's RequireTransactionBlock).
bool in_transaction(const UtilityCall& call);
// 25001 when in a transaction block or called by a program.
Status prevent_in_block(UtilityCall& call, const std::string& statement);
// The relation that a statement names; the caller locks it. 3F000, 42501 (of the schema), 42P01.
Result<std::shared_ptr<const catalog::RelationInfo>> named_relation(UtilityCall& call, const PgQuery__RangeVar& name);
// One text row through the sink.
Status send_text_row(UtilityCall& call, std::span<const std::string> values);

}  // namespace indigo::engine
