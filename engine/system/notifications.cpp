// What sessions tell each other: pg_notify(), what LISTEN has come to, pg_export_snapshot().
#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/instance_impl.h"
#include "engine/notify/notification_hub.h"
#include "engine/notify/session_notifications.h"
#include "engine/session/session_parts.h"
#include "engine/session/transaction_block.h"
#include "engine/system/families.h"

namespace indigo::engine {

namespace {

Result<OwnedDatum> notify(SessionParts& session, std::span<const Datum> arguments) {
  const auto text = [](const Datum& d) { return d.null ? std::string_view() : std::string_view(d.str); };
  INDIGO_TRY(session.notifications().notify(text(arguments[0]), text(arguments[1])));
  return OwnedDatum(text_datum(""));
}

Result<OwnedDatum> queue_usage(SessionParts& session, std::span<const Datum>) {
  return OwnedDatum(Datum::of(session.instance().notification_hub().usage()));
}

Result<OwnedDatum> export_snapshot(SessionParts& session, std::span<const Datum>) {
  TransactionBlock& block = session.block();
  if (block.depth() > 0) {
    return Error(sqlstate::kActiveSqlTransaction, "cannot export a snapshot from a subtransaction");
  }
  storage::Transaction& txn = session.transaction();
  if (txn.view().stamp == kMaxStamp) {
    return Error(sqlstate::kFeatureNotSupported, "exporting a snapshot is not supported under locking");
  }
  auto exported = session.instance().exported_snapshots().add(session.pid(), session.session_catalog().database(), txn);
  OwnedDatum id(text_datum(exported->id()));
  block.keep(std::move(exported));
  return id;
}

Status listening_channels(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  for (const std::string& channel : session.notifications().channels()) {
    const Datum row = text_datum(channel);
    sink({&row, 1});
  }
  return {};
}

constexpr SystemValue kNotificationValues[] = {
    {"pg_notify", notify},
    {"pg_export_snapshot", export_snapshot},
    {"pg_notification_queue_usage", queue_usage},
};
constexpr SystemRows kNotificationRows[] = {{"pg_listening_channels", listening_channels}};

}  // namespace

std::span<const SystemValue> notification_values() { return kNotificationValues; }
std::span<const SystemRows> notification_rows() { return kNotificationRows; }

}  // namespace indigo::engine
