// pg_prepared_xact().
#include "engine/session/session_parts.h"
#include "engine/system/families.h"
#include "storage/prepared.h"

namespace indigo::engine {

namespace {

Status prepared_rows(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  for (const auto& prepared : storage::prepared_transactions(session.store()).list()) {
    const Datum row[] = {Datum::of(static_cast<int32_t>(static_cast<uint32_t>(prepared.transaction.value))),
                         text_datum(prepared.name.name), Datum::of(prepared.name.prepared_at),
                         Datum::of_oid(prepared.name.owner), Datum::of_oid(prepared.name.database)};
    sink(row);
  }
  return {};
}

constexpr SystemRows kPreparedRows[] = {{"pg_prepared_xact", prepared_rows}};

}  // namespace

std::span<const SystemRows> prepared_transaction_rows() { return kPreparedRows; }

}  // namespace indigo::engine
