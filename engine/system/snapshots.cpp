// indigo_snapshot(), indigo_restore(), indigo_drop_snapshot() and the function behind indigo_snapshots (docs/test_databases.md).
#include <memory>
#include <string>

#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/tables/database_images.h"
#include "engine/ddl/object/database_snapshot.h"
#include "engine/instance_impl.h"
#include "engine/session/database_hold.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_scope.h"
#include "engine/session/transaction_block.h"
#include "engine/system/families.h"
#include "engine/utility/definition_host.h"
#include "engine/utility/prepared_transaction.h"

namespace indigo::engine {

namespace {

OwnedDatum void_value() { return OwnedDatum(Datum::of(Str())); }

// What a transaction has done before is not in a snapshot, and what it does behind a restore would be lost.
Status check_alone(SessionParts& session, const char* function) {
  const TransactionBlock& block = session.block();
  if (block.in_block() || block.in_several()) {
    return Error(sqlstate::kActiveSqlTransaction, std::string(function) + " cannot run inside a transaction block");
  }
  if (block.read_only()) {
    return Error(sqlstate::kReadOnlySqlTransaction,
                 "cannot execute " + std::string(function) + " in a read-only transaction");
  }
  return session.begin_statement();
}

template <class F>
Result<OwnedDatum> in_context(SessionParts& session, const char* function, F&& action) {
  INDIGO_TRY(check_alone(session, function));
  DefinitionHost host(session, nullptr);
  DdlContext context{session.session_catalog(), session.transaction(), host, {}};
  INDIGO_TRY(action(context));
  return void_value();
}

Result<OwnedDatum> snapshot(SessionParts& session, std::span<const Datum> arguments) {
  return in_context(session, "indigo_snapshot()",
                    [&](DdlContext& c) { return ddl::make_snapshot(c, arguments[0].str); });
}

Result<OwnedDatum> drop_snapshot(SessionParts& session, std::span<const Datum> arguments) {
  return in_context(session, "indigo_drop_snapshot()", [&](DdlContext& c) -> Status {
    INDIGO_TRY(ddl::check_owns_database(c));
    INDIGO_TRY(check_nothing_prepared(session));
    return ddl::drop_snapshot(c, arguments[0].str);
  });
}

Result<OwnedDatum> restore(SessionParts& session, std::span<const Datum> arguments) {
  return in_context(session, "indigo_restore()", [&](DdlContext& c) -> Status {
    INDIGO_TRY(ddl::check_owns_database(c));
    const auto hold = std::make_shared<DatabaseHold>(session.instance(), c.catalog.database_pointer());
    INDIGO_TRY(hold->take(session));
    return ddl::restore_snapshot(c, arguments[0].str, [hold] { hold->release(); });
  });
}

Status all_snapshots(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  INDIGO_TRY(session.begin_statement());
  for (const catalog::DatabaseImage& image :
       catalog::read_images(session.instance().catalog().shared_tables(), session.transaction())) {
    if (image.in_use()) continue;
    const Datum row[] = {Datum::of_oid(image.database), text_datum(image.name), Datum::of(image.created)};
    sink(row);
  }
  return {};
}

constexpr SystemValue kSnapshotValues[] = {
    {"indigo_snapshot", snapshot}, {"indigo_restore", restore}, {"indigo_drop_snapshot", drop_snapshot}};
constexpr SystemRows kSnapshotRows[] = {{"indigo_stat_get_snapshots", all_snapshots}};

}  // namespace

std::span<const SystemValue> snapshot_values() { return kSnapshotValues; }
std::span<const SystemRows> snapshot_rows() { return kSnapshotRows; }

}  // namespace indigo::engine
