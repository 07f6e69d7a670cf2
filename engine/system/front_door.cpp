// What the door knows (engine/front_door.h): its files' lines, a reload, and who is at the two ends of a connection.
#include "engine/front_door.h"

#include "base/sqlstate.h"
#include "engine/instance_impl.h"
#include "engine/session/current_message.h"
#include "engine/session/session_activity.h"
#include "engine/session/session_parts.h"
#include "engine/system/client_address.h"
#include "engine/system/families.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::engine {

namespace {

Datum text_or_null(const std::string& text) { return text.empty() ? null_text() : text_datum(text); }

std::string text_array(const std::vector<std::string>& texts) {
  std::vector<Datum> elements;
  elements.reserve(texts.size());
  for (const auto& text : texts) elements.push_back(text_datum(text));
  return make_array(oid::kText, Phys::kStr, elements);
}

Status hba_rows(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  FrontDoor* door = session.instance().front_door();
  if (door == nullptr) return {};
  for (const auto& line : door->hba_lines()) {
    const std::string databases = text_array(line.databases), users = text_array(line.users);
    const std::string options = text_array(line.options);
    const bool parsed = !line.type.empty();
    const Datum row[] = {Datum::of(static_cast<int32_t>(line.number)),
                         text_or_null(line.type),
                         parsed ? text_datum(databases) : null_text(),
                         parsed ? text_datum(users) : null_text(),
                         text_or_null(line.address),
                         text_or_null(line.netmask),
                         text_or_null(line.method),
                         line.options.empty() ? null_text() : text_datum(options),
                         text_or_null(line.error)};
    sink(row);
  }
  return {};
}

Status ident_rows(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  FrontDoor* door = session.instance().front_door();
  if (door == nullptr) return {};
  for (const auto& line : door->ident_lines()) {
    const Datum row[] = {Datum::of(static_cast<int32_t>(line.number)), text_or_null(line.map_name),
                         text_or_null(line.system_name), text_or_null(line.user_name), text_or_null(line.error)};
    sink(row);
  }
  return {};
}

Result<OwnedDatum> reload(SessionParts& session, std::span<const Datum>) {
  session.instance().system_settings().reload();
  if (FrontDoor* door = session.instance().front_door()) door->reload();
  return value_of(true);
}

Result<OwnedDatum> address_value(const std::string& address) {
  const std::string image = address_image(address);
  return image.empty() ? null_value(Phys::kStr) : OwnedDatum(text_datum(image));
}

OwnedDatum port_value(int port) {
  return port < 0 ? null_value(Phys::kI32) : OwnedDatum(Datum::of(static_cast<int32_t>(port)));
}

template <class Member>
auto of_connection(SessionParts& session, Member member) {
  SessionActivity& activity = session.message().activity();
  const std::lock_guard lock(activity.mutex);
  return activity.*member;
}

Result<OwnedDatum> client_address(SessionParts& session, std::span<const Datum>) {
  return address_value(of_connection(session, &SessionActivity::client_address));
}
Result<OwnedDatum> client_port(SessionParts& session, std::span<const Datum>) {
  return port_value(of_connection(session, &SessionActivity::client_port));
}
Result<OwnedDatum> server_address(SessionParts& session, std::span<const Datum>) {
  return address_value(of_connection(session, &SessionActivity::server_address));
}
Result<OwnedDatum> server_port(SessionParts& session, std::span<const Datum>) {
  return port_value(of_connection(session, &SessionActivity::server_port));
}

constexpr SystemRows kFrontDoorRows[] = {{"pg_hba_file_rules", hba_rows}, {"pg_ident_file_mappings", ident_rows}};
constexpr SystemValue kFrontDoorValues[] = {
    {"pg_reload_conf", reload},           {"inet_client_addr", client_address}, {"inet_client_port", client_port},
    {"inet_server_addr", server_address}, {"inet_server_port", server_port},
};

}  // namespace

std::string address_image(const std::string& text) {
  const auto address = types::parse_address(Str(text), false);
  return address ? address->image() : std::string();
}

std::span<const SystemRows> front_door_rows() { return kFrontDoorRows; }
std::span<const SystemValue> front_door_values() { return kFrontDoorValues; }

}  // namespace indigo::engine
