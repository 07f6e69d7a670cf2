// pg_prepared_statements and pg_cursors. Each row has a copy of its statement's text, which may be a whole long message.
#include "base/fiber/turns.h"
#include "engine/session/portal/portals.h"
#include "engine/session/portal/prepared_statements.h"
#include "engine/session/session_parts.h"
#include "engine/system/families.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::engine {

namespace {

std::string_view text_of(const Portal& portal) {
  if (portal.source_text != nullptr) return *portal.source_text;
  if (!portal.text.empty() || portal.prepared == nullptr) return portal.text;
  return portal.prepared->parsed->text();
}

std::string_view text_of(const NamedStatement& statement) {
  if (statement.source_text != nullptr) return *statement.source_text;
  return statement.parsed == nullptr ? std::string_view() : statement.parsed->text();
}

Status prepared_statements(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  Turns turns;
  for (const auto& [name, statement] : session.statements().named()) {
    turns.work(text_of(statement).size() / 4);
    std::vector<Datum> types;
    if (statement.prepared) {
      for (const auto& type : statement.prepared->parameter_types) types.push_back(Datum::of_oid(type.oid));
    }
    std::string array = make_array(oid::kRegType, Phys::kI32, types);
    const Datum row[] = {text_datum(name),
                         text_datum(text_of(statement)),
                         Datum::of(statement.prepare_time),
                         text_datum(array),
                         Datum::of(statement.from_sql),
                         Datum::of(statement.plans.generic),
                         Datum::of(statement.plans.custom)};
    sink(row);
  }
  return {};
}

Status cursors(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  Turns turns;
  for (const auto& [name, portal] : session.portals().named()) {
    if (!portal->visible) continue;
    turns.work(text_of(*portal).size() / 4);
    const Datum row[] = {
        text_datum(name),          text_datum(text_of(*portal)),  Datum::of(portal->hold && !portal->pinned),
        Datum::of(portal->binary), Datum::of(!portal->no_scroll), Datum::of(portal->created_timestamp)};
    sink(row);
  }
  return {};
}

constexpr SystemRows kStatementsRows[] = {{"pg_prepared_statement", prepared_statements}, {"pg_cursor", cursors}};

}  // namespace

std::span<const SystemRows> statement_rows() { return kStatementsRows; }

}  // namespace indigo::engine
