// Utility statements: everything that is not planned. One handler for each kind of parse-tree node, in files by concept;
// utility_table.cpp lists them. Extending it: write a handler, add one line there.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "engine/row_sink.h"
#include "engine/statement/prepared.h"

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
  bool top_level = true;  // alone in its message: may run outside a transaction block
};

struct UtilityHandler {
  PgQuery__Node__NodeCase node;
  // Does the work, sends rows through call.sink (the description has been sent), and writes the command tag.
  Status (*run)(UtilityCall& call, std::string& tag);
  // Result columns; null: the statement returns no rows.
  Result<std::shared_ptr<const ResultShape>> (*describe)(SessionParts& session,
                                                         const ParsedStatement& statement) = nullptr;
  bool needs_transaction = true;  // open one with a snapshot before run
  bool in_failed_block = false;   // may run in a failed transaction block (then checks itself)
};

// Null when the statement kind is not supported.
const UtilityHandler* find_utility(const PgQuery__Node* node);
// PostgreSQL's name of a statement for error messages ("VACUUM", "CREATE DATABASE").
std::string statement_name(const PgQuery__Node* node);
// 25001 when in a transaction block ("%s cannot run inside a transaction block").
Status prevent_in_block(UtilityCall& call, const char* statement);
// One text row through the sink.
Status send_text_row(UtilityCall& call, std::span<const std::string> values);

}  // namespace indigo::engine
