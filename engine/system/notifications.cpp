// pg_notify() and what LISTEN has come to.
#include "engine/instance_impl.h"
#include "engine/notify/notification_hub.h"
#include "engine/notify/session_notifications.h"
#include "engine/session/session_parts.h"
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

Status listening_channels(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  for (const std::string& channel : session.notifications().channels()) {
    const Datum row = text_datum(channel);
    sink({&row, 1});
  }
  return {};
}

constexpr SystemValue kNotificationValues[] = {
    {"pg_notify", notify},
    {"pg_notification_queue_usage", queue_usage},
};
constexpr SystemRows kNotificationRows[] = {{"pg_listening_channels", listening_channels}};

}  // namespace

std::span<const SystemValue> notification_values() { return kNotificationValues; }
std::span<const SystemRows> notification_rows() { return kNotificationRows; }

}  // namespace indigo::engine
