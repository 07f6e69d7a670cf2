// One row for each utility statement, that is, each statement that is not planned: its handler, its command tag, who may run
// it, and where it may run. Families of rows are constant tables; engine/utility/utility_table.cpp joins them and checks what a
// row asks for before its handler runs.
// Thread safety: constants.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/ids.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine {

class SessionParts;
struct DdlContext;
struct ParsedStatement;
struct ResultShape;
struct UtilityCall;

enum class InReadOnly : uint8_t {
  kAllowed,
  kRefused,  // 25006
  kHandler,  // the handler asks when it has found what the statement changes
};

struct UtilityStatement {
  PgQuery__Node__NodeCase node;
  // The command tag, and the statement's name in messages. It is the first word when `full_name` knows the whole.
  std::string_view name;
  std::string (*full_name)(const PgQuery__Node& node) = nullptr;

  // One of the two; without either the statement is known but not built (0A000).
  // Does the work, sends rows through call.sink (the description has been sent); may write another command tag to call.tag.
  Status (*run)(UtilityCall& call) = nullptr;
  // A definition: it runs in CREATE SCHEMA and in the scripts of extensions as well.
  Status (*define)(DdlContext& context, const PgQuery__Node& node) = nullptr;
  // Result columns; null: the statement returns no rows.
  Result<std::shared_ptr<const ResultShape>> (*describe)(SessionParts& session,
                                                         const ParsedStatement& statement) = nullptr;

  // Only roles with this one's privileges may run the statement (42501). 0: everybody may, as far as the handler finds
  // the privileges on the objects that the statement names.
  Oid privileges_of = kInvalidOid;
  InReadOnly in_read_only = InReadOnly::kAllowed;
  // What of the statement cannot run in a transaction block (25001): "" or its name. Null: everything can.
  std::string (*refused_in_block)(const PgQuery__Node& node) = nullptr;
  bool needs_transaction = true;  // open one with a snapshot before the handler runs
  bool in_failed_block = false;   // may run in a failed transaction block; the handler checks the rest
  // Its name in the refusal (42501) of a security-restricted operation, where it would change what the caller finds. Null: it may.
  const char* refused_when_restricted = nullptr;
};

// Null: the statement is planned, or not known.
const UtilityStatement* find_utility(const PgQuery__Node* node);
// PostgreSQL's name of a statement: "VACUUM", "CREATE DATABASE", "DROP TABLE".
std::string statement_name(const PgQuery__Node* node);
std::string statement_name(const UtilityStatement& statement, const PgQuery__Node& node);
// Kinds of objects as DROP, ALTER and COMMENT name them: "MATERIALIZED VIEW". Empty for kinds without a name of their own.
std::string_view object_type_name(PgQuery__ObjectType type);

}  // namespace indigo::engine
