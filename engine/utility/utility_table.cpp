// Every utility statement's row. A family is a table in its own file; this file joins them.
#include <vector>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/ddl/ddl.h"
#include "engine/session/session_parts.h"
#include "engine/session/session_roles.h"
#include "engine/session/transaction_block.h"
#include "engine/utility/definition_host.h"
#include "engine/utility/families.h"
#include "engine/utility/utility.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine {

const UtilityStatement* find_utility(const PgQuery__Node* node) {
  static const auto table = [] {
    std::vector<const UtilityStatement*> all;
    for (auto family :
         {transaction_utilities(), constraint_utilities(), setting_utilities(), prepared_utilities(),
          cursor_utilities(), copy_utilities(), explain_utilities(), maintenance_utilities(), program_utilities(),
          notify_utilities(), system_utilities(), unsupported_utilities(), definition_statements()}) {
      for (const UtilityStatement& statement : family) {
        const auto at = static_cast<size_t>(statement.node);
        if (at >= all.size()) all.resize(at + 1);
        all[at] = &statement;
      }
    }
    return all;
  }();
  const auto at = static_cast<size_t>(node->node_case);
  return at < table.size() ? table[at] : nullptr;
}

Status run_utility(const UtilityStatement& statement, UtilityCall& call) {
  auto& session = call.session;
  if (statement.run == nullptr && statement.define == nullptr) {
    return Error(sqlstate::kFeatureNotSupported, statement_name(statement, *call.node) + " is not supported");
  }
  call.tag = statement_name(statement, *call.node);
  if (statement.refused_when_restricted != nullptr && session.roles().is_restricted()) {
    return Error(sqlstate::kInsufficientPrivilege, std::string("cannot execute ") + statement.refused_when_restricted +
                                                       " within security-restricted operation");
  }
  if (statement.in_read_only == InReadOnly::kRefused) INDIGO_TRY(check_not_read_only(call, call.tag));
  if (statement.refused_in_block != nullptr) {
    if (const std::string refused = statement.refused_in_block(*call.node); !refused.empty())
      INDIGO_TRY(prevent_in_block(call, refused));
  }
  if (statement.privileges_of != kInvalidOid &&
      !session.session_catalog().has_privileges_of(session.user(), statement.privileges_of)) {
    return Error(sqlstate::kInsufficientPrivilege, "must be superuser or have privileges of " +
                                                       session.session_catalog().role_name(statement.privileges_of) +
                                                       " to do " + call.tag);
  }
  return statement.run != nullptr ? statement.run(call) : run_definition(call);
}

Status check_not_read_only(UtilityCall& call, const std::string& name) {
  if (!call.session.block().read_only()) return {};
  return Error(sqlstate::kReadOnlySqlTransaction, "cannot execute " + name + " in a read-only transaction");
}

bool in_transaction(const UtilityCall& call) {
  const TransactionBlock& block = call.session.block();
  return !call.top_level || block.in_block() || block.in_several();
}

Status prevent_in_block(UtilityCall& call, const std::string& statement) {
  if (call.session.block().in_block() || (call.top_level && call.session.block().in_several()))
    return Error(sqlstate::kActiveSqlTransaction, statement + " cannot run inside a transaction block");
  if (!call.top_level) return Error(sqlstate::kActiveSqlTransaction, statement + " cannot be executed from a function");
  return {};
}

Status send_text_row(UtilityCall& call, std::span<const std::string> values) {
  Chunk chunk;
  for (const std::string& value : values) {
    chunk.columns.emplace_back(Phys::kStr, 1);
    chunk.columns.back().set(0, Str(value));
  }
  chunk.selection = {nullptr, 1};
  return call.shape == nullptr ? Status() : call.sink.rows(*call.shape, chunk);
}

}  // namespace indigo::engine
