#include "engine/session/repeated_statement.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/descriptor/relation_info.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/session/portal/portal.h"
#include "engine/session/portal/portals.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_scope.h"
#include "engine/session/transaction_block.h"
#include "engine/statement/prepared.h"
#include "sql/parse/node.h"
#include "sql/plan.h"
#include "storage/store.h"
#include "storage/txn/advance_snapshot.h"

namespace indigo::engine {

namespace {

bool may_be_volatile(catalog::SessionCatalog& catalog, const PgQuery__FuncCall& call) {
  const auto name = sql::qualified_name(sql::nodes(call.n_funcname, call.funcname));
  const auto found = catalog.functions_named(name.schema, name.name);
  return std::any_of(found.begin(), found.end(),
                     [](const auto& function) { return function->volatility == types::Volatility::kVolatile; });
}

bool calls_volatile(catalog::SessionCatalog& catalog, const ParsedStatement& statement) {
  if (statement.node == nullptr) return true;
  bool found = false;
  sql::walk_tree(&statement.node->base, [&](const ProtobufCMessage* message) {
    if (message->descriptor == &pg_query__func_call__descriptor) {
      found = found || may_be_volatile(catalog, *reinterpret_cast<const PgQuery__FuncCall*>(message));
    }
    return !found;
  });
  return found;
}

bool has_triggers(const sql::PlannedStatement& plan) {
  return std::any_of(plan.relations.begin(), plan.relations.end(), [](const auto& dependency) {
    return dependency.lock >= storage::TableLockMode::kRowExclusive && dependency.relation->triggers != nullptr;
  });
}

}  // namespace

bool begins_again(SessionParts& session, Portal& portal, const Error& error) {
  if (session.block().isolation() != storage::Isolation::kSerializable ||
      error.state != sqlstate::kSerializationFailure)
    return false;
  const Prepared& prepared = *portal.prepared;
  if (prepared.plan->command == sql::CommandKind::kSelect || prepared.rewritten || portal.rows != nullptr ||
      portal.buffer != nullptr || portal.rows_sent != 0 || session.scope().active_view() != nullptr)
    return false;
  if (has_triggers(*prepared.plan) || calls_volatile(session.session_catalog(), *prepared.parsed)) return false;
  session.portals().close(portal);
  storage::Transaction& txn = session.transaction();
  if (!storage::begin_statement_again(txn)) return false;
  portal.status = Portal::Status::kReady;
  txn.next_command();
  return true;
}

}  // namespace indigo::engine
