// What an event trigger's function asks about the statement that has fired it.
#include "base/sqlstate.h"
#include "engine/programs/event_statement.h"
#include "engine/programs/trigger_caller.h"
#include "engine/session/session_parts.h"
#include "engine/system/families.h"
#include "types/oids.h"
#include "types/text/strings.h"
#include "types/value/array_format.h"

namespace indigo::engine {

namespace {

using programs::EventStatement;

Error only_in(std::string_view function, std::string_view where) {
  return Error(SqlState("39P03"), std::string(function) + "() can only be called in " + std::string(where));
}

Datum text_or_none(const std::string& s) { return s.empty() ? null_text() : text_datum(s); }

std::string text_array(const std::vector<std::string>& texts) {
  std::vector<Datum> values;
  for (const std::string& t : texts) values.push_back(text_datum(t));
  const ArrayDimension dimension{static_cast<int32_t>(values.size()), 1};
  const std::span<const ArrayDimension> dimensions(&dimension, values.empty() ? 0 : 1);
  return make_array(oid::kText, Phys::kStr, dimensions, values);
}

Status ddl_commands(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  const EventStatement* event = session.triggers().event();
  if (event == nullptr) return only_in("pg_event_trigger_ddl_commands", "an event trigger function");
  for (const programs::MadeObject& m : event->made_objects()) {
    if (!m.kind.empty()) {
      const Datum no_oid = Datum::make_null(Phys::kI32);
      const Datum row[] = {no_oid,      no_oid,      no_oid,           text_datum(m.tag), text_datum(m.kind),
                           null_text(), null_text(), Datum::of(false), null_text()};
      sink(row);
      continue;
    }
    const auto identity = identify_object(session, m.class_id, m.object, m.sub);
    if (!identity) continue;  // dropped meanwhile
    const std::string schema = identity->schema.empty() ? "" : types::quote_identifier(identity->schema);
    const Datum row[] = {Datum::of_oid(m.class_id),
                         Datum::of_oid(m.object),
                         Datum::of(m.sub),
                         text_datum(m.tag),
                         text_datum(identity->type),
                         text_or_none(schema),
                         text_datum(identity->identity),
                         Datum::of(m.in_extension),
                         null_text()};
    sink(row);
  }
  return {};
}

Status dropped_objects(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  const EventStatement* event = session.triggers().event();
  if (event == nullptr || !event->in_drop())
    return only_in("pg_event_trigger_dropped_objects", "a sql_drop event trigger function");
  for (const programs::DroppedObject& d : event->dropped_objects()) {
    const std::string names = text_array(d.identity.names), arguments = text_array(d.identity.arguments);
    const Datum row[] = {Datum::of_oid(d.class_id),
                         Datum::of_oid(d.object),
                         Datum::of(d.sub),
                         Datum::of(d.asked),
                         Datum::of(d.needed),
                         Datum::of(d.temporary),
                         text_datum(d.identity.type),
                         text_or_none(d.identity.schema),
                         text_or_none(d.identity.name),
                         text_datum(d.identity.identity),
                         text_datum(names),
                         text_datum(arguments)};
    sink(row);
  }
  return {};
}

Result<OwnedDatum> rewrite_oid(SessionParts& session, std::span<const Datum>) {
  const EventStatement* event = session.triggers().event();
  if (event == nullptr || event->rewritten_table() == nullptr)
    return only_in("pg_event_trigger_table_rewrite_oid", "a table_rewrite event trigger function");
  return OwnedDatum(Datum::of_oid(event->rewritten_table()->relation));
}

Result<OwnedDatum> rewrite_reason(SessionParts& session, std::span<const Datum>) {
  const EventStatement* event = session.triggers().event();
  if (event == nullptr || event->rewritten_table() == nullptr)
    return only_in("pg_event_trigger_table_rewrite_reason", "a table_rewrite event trigger function");
  return OwnedDatum(Datum::of(event->rewritten_table()->reasons));
}

constexpr SystemValue kEventTriggerValues[] = {{"pg_event_trigger_table_rewrite_oid", rewrite_oid},
                                               {"pg_event_trigger_table_rewrite_reason", rewrite_reason}};
constexpr SystemRows kEventTriggerRows[] = {{"pg_event_trigger_ddl_commands", ddl_commands},
                                            {"pg_event_trigger_dropped_objects", dropped_objects}};

}  // namespace

std::span<const SystemValue> event_trigger_values() { return kEventTriggerValues; }
std::span<const SystemRows> event_trigger_rows() { return kEventTriggerRows; }

}  // namespace indigo::engine
