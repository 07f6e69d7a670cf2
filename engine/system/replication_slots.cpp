// Slots of logical replication as functions: pg_create_logical_replication_slot() and its kin, pg_logical_slot_get_changes() and
// its kin, pg_logical_emit_message(), and what pg_replication_slots and pg_stat_replication ask.
#include <optional>
#include <string>
#include <vector>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/instance_impl.h"
#include "engine/replication/output_plugin.h"
#include "engine/replication/session_changes.h"
#include "engine/replication/slot_maker.h"
#include "engine/session/clock.h"
#include "engine/session/session_parts.h"
#include "engine/session/transaction_block.h"
#include "engine/system/families.h"
#include "types/io/record.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::engine {

namespace {

using replication::ChangeStream;
using replication::PluginOption;

Datum position_datum(uint64_t position) { return Datum::of(static_cast<int64_t>(position)); }

OwnedDatum slot_and_position(std::string_view slot, uint64_t position) {
  const types::TypeRef fields[] = {{oid::kName, -1, kInvalidOid}, {oid::kPgLsn, -1, kInvalidOid}};
  const Datum values[] = {text_datum(slot), position_datum(position)};
  return OwnedDatum(text_datum(types::make_record(oid::kRecord, fields, values)));
}

Result<OwnedDatum> create_logical(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_TRY(replication::check_may_replicate(session));
  INDIGO_TRY(replication::check_decodes(session));
  INDIGO_ASSIGN(const uint64_t place, replication::make_slot(session,
                                                             {.name = arguments[0].str,
                                                              .plugin = arguments[1].str,
                                                              .temporary = arguments[2].b,
                                                              .two_phase = arguments[3].b},
                                                             nullptr));
  return slot_and_position(arguments[0].str, place);
}

Result<OwnedDatum> refuse_physical(SessionParts& session, std::span<const Datum>) {
  INDIGO_TRY(replication::check_may_replicate(session));
  return Error(sqlstate::kFeatureNotSupported, "physical replication is not supported");
}

Result<OwnedDatum> refuse_physical_copy(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_TRY(replication::check_may_replicate(session));
  const std::vector<replication::SlotInfo> slots = session.instance().change_stream().slots();
  for (const replication::SlotInfo& slot : slots) {
    if (slot.name != arguments[0].str) continue;
    return Error(sqlstate::kFeatureNotSupported,
                 "cannot copy logical replication slot \"" + slot.name + "\" as a physical replication slot");
  }
  return Error(sqlstate::kUndefinedObject, "replication slot \"" + std::string(arguments[0].str) + "\" does not exist");
}

// The name of the other, the own one, and perhaps whether it is temporary and its plugin.
Result<OwnedDatum> copy_logical(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_TRY(replication::check_may_replicate(session));
  INDIGO_TRY(replication::check_decodes(session));
  INDIGO_TRY(replication::check_slot_name(arguments[1].str));
  replication::SlotInfo copy;
  copy.name = arguments[1].str;
  copy.creator = session.pid();
  copy.database = session.session_catalog().database();
  ChangeStream& stream = session.instance().change_stream();
  for (const replication::SlotInfo& slot : stream.slots()) {
    if (slot.name != arguments[0].str) continue;
    copy.plugin = slot.plugin;
    copy.temporary = slot.temporary;
  }
  if (arguments.size() > 2) copy.temporary = arguments[2].b;
  if (arguments.size() > 3) copy.plugin = arguments[3].str;
  const bool temporary = copy.temporary;
  if (!copy.plugin.empty()) INDIGO_TRY(replication::make_output_plugin(copy.plugin, session));
  INDIGO_ASSIGN(const uint64_t place, stream.copy(arguments[0].str, std::move(copy), replication::most_slots(session)));
  if (!temporary) INDIGO_TRY(stream.save(true));
  return slot_and_position(arguments[1].str, place);
}

Result<OwnedDatum> drop_slot(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_TRY(replication::check_may_replicate(session));
  ChangeStream& stream = session.instance().change_stream();
  INDIGO_TRY(stream.drop(arguments[0].str, false, session.pid()));
  INDIGO_TRY(stream.save(true));
  return OwnedDatum(Datum::of(Str()));
}

Result<OwnedDatum> advance_slot(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_TRY(replication::check_may_replicate(session));
  ChangeStream& stream = session.instance().change_stream();
  auto wanted = static_cast<uint64_t>(arguments[1].i64);
  if (wanted == 0) return Error(sqlstate::kInternalError, "invalid target WAL LSN");
  wanted = std::min(wanted, stream.end());
  INDIGO_ASSIGN(const auto reader,
                stream.use(arguments[0].str, session.session_catalog().database(), session.pid(), session.waiter()));
  const uint64_t confirmed = reader->slot().confirmed;
  if (wanted < confirmed) {
    return Error(sqlstate::kObjectNotInPrerequisiteState, "cannot advance replication slot to " +
                                                              replication::position_text(wanted) + ", minimum is " +
                                                              replication::position_text(confirmed));
  }
  // To the end of a transaction, as reading would.
  uint64_t end = confirmed;
  while (end < wanted) {
    INDIGO_ASSIGN(const auto changes, reader->after(end));
    if (changes == nullptr) {
      end = wanted;
      break;
    }
    if (changes->begin >= wanted) break;
    end = changes->end;
  }
  reader->confirm(end);
  return slot_and_position(arguments[0].str, reader->slot().confirmed);
}

Result<OwnedDatum> emit_message(SessionParts& session, std::span<const Datum> arguments) {
  replication::SessionChanges& changes = session.changes();
  ChangeStream& stream = session.instance().change_stream();
  if (!changes.wanted()) return OwnedDatum(position_datum(stream.end()));
  if (arguments[0].b) {
    INDIGO_TRY(changes.message(arguments[1].str, arguments[2].str));
    return OwnedDatum(position_datum(stream.end()));
  }
  INDIGO_ASSIGN(const uint64_t end, changes.message_now(arguments[1].str, arguments[2].str, timestamp_now()));
  return OwnedDatum(position_datum(end));
}

Status read_options(const Datum& array, std::vector<PluginOption>& out) {
  const ArrayView view(array.str);
  if (view.count() == 0) return {};
  if (view.dimensions() != 1) return Error(sqlstate::kFeatureNotSupported, "array must be one-dimensional");
  for (int32_t i = 0; i < view.count(); i++) {
    if (view.is_null(i)) return Error(sqlstate::kFeatureNotSupported, "array must not contain nulls");
  }
  if (view.count() % 2 != 0) return Error(sqlstate::kFeatureNotSupported, "array must have even number of elements");
  for (int32_t i = 0; i < view.count(); i += 2)
    out.emplace_back(std::string(view.element(i).str), std::string(view.element(i + 1).str));
  return {};
}

struct Look {
  const char* name;
  bool confirms, binary;
};

Status changes_of(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink,
                  const Look& look) {
  INDIGO_TRY(replication::check_may_replicate(session));
  INDIGO_TRY(replication::check_decodes(session));
  if (arguments[0].null) return Error(sqlstate::kNullValueNotAllowed, "slot name must not be null");
  if (arguments[3].null) return Error(sqlstate::kNullValueNotAllowed, "options array must not be null");
  const std::string slot(arguments[0].str);
  const uint64_t up_to = arguments[1].null ? 0 : static_cast<uint64_t>(arguments[1].i64);
  const int64_t most = arguments[2].null ? 0 : arguments[2].i32;
  std::vector<PluginOption> options;
  INDIGO_TRY(read_options(arguments[3], options));
  ChangeStream& stream = session.instance().change_stream();
  INDIGO_ASSIGN(const auto reader,
                stream.use(slot, session.session_catalog().database(), session.pid(), session.waiter()));
  const std::string plugin_name = reader->slot().plugin;
  INDIGO_ASSIGN(const auto plugin, replication::make_output_plugin(plugin_name, session));
  if (Status status = plugin->set_options(options); !status.ok()) {
    Error error = status.error();
    error.add_context("slot \"" + slot + "\", output plugin \"" + plugin_name + "\", in the startup callback");
    return error;
  }
  if (plugin->binary() && !look.binary) {
    return Error(sqlstate::kFeatureNotSupported, "logical decoding output plugin \"" + plugin_name +
                                                     "\" produces binary output, but function \"" + look.name +
                                                     "(name,pg_lsn,integer,text[])\" expects textual data");
  }
  const uint64_t end = stream.end();
  uint64_t at = reader->slot().confirmed;
  if (plugin->asks_for_two_phase()) INDIGO_TRY(reader->enable_two_phase(at));
  const replication::SlotInfo told = reader->slot();
  int64_t rows = 0;
  while (at < end && (up_to == 0 || at < up_to) && (most == 0 || rows < most)) {
    INDIGO_ASSIGN(const auto changes, reader->after(at));
    if (changes == nullptr || changes->begin >= end) {
      at = end;
      break;
    }
    INDIGO_TRY(plugin->tell(*changes, told, at, [&](uint64_t position, std::string_view data) -> Status {
      const Datum row[] = {position_datum(position),
                           Datum::of(static_cast<int32_t>(static_cast<uint32_t>(changes->transaction))),
                           text_datum(data)};
      sink(row);
      rows++;
      return {};
    }));
    at = changes->end;
  }
  if (look.confirms) reader->confirm(at);
  return {};
}

Status get_changes(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  return changes_of(session, arguments, sink, {"pg_logical_slot_get_changes", true, false});
}
Status get_binary_changes(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  return changes_of(session, arguments, sink, {"pg_logical_slot_get_binary_changes", true, true});
}
Status peek_changes(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  return changes_of(session, arguments, sink, {"pg_logical_slot_peek_changes", false, false});
}
Status peek_binary_changes(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  return changes_of(session, arguments, sink, {"pg_logical_slot_peek_binary_changes", false, true});
}

Status slot_rows(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  const ChangeStream& stream = session.instance().change_stream();
  const int64_t limit = stream.limit();
  for (const replication::SlotInfo& slot : stream.slots()) {
    const Datum none = Datum::make_null(Phys::kI32), no_number = Datum::make_null(Phys::kI64);
    const Datum row[] = {text_datum(slot.name),
                         text_datum(slot.plugin),
                         text_datum("logical"),
                         Datum::of_oid(slot.database),
                         Datum::of(slot.temporary),
                         Datum::of(slot.active_pid != 0),
                         slot.active_pid != 0 ? Datum::of(slot.active_pid) : none,
                         none,
                         none,
                         slot.lost ? no_number : position_datum(slot.restart),
                         position_datum(slot.confirmed),
                         text_datum(slot.lost ? "lost" : "reserved"),
                         slot.lost || limit < 0 ? no_number : Datum::of(limit - static_cast<int64_t>(slot.held)),
                         Datum::of(slot.two_phase)};
    sink(row);
  }
  return {};
}

Status walsender_rows(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  const bool all = session.session_catalog().has_privileges_of(session.user(), oid::kReadAllStatsRole);
  for (const replication::WalsenderState& sender : session.instance().walsenders().list()) {
    const auto place = [&](uint64_t position) {
      return all && position != 0 ? position_datum(position) : Datum::make_null(Phys::kI64);
    };
    const Datum nothing = Datum::make_null(Phys::kI64), no_text = null_text();
    const Datum row[] = {Datum::of(sender.pid),
                         all ? text_datum(sender.streaming ? "streaming" : "catchup") : no_text,
                         place(sender.sent),
                         place(sender.written),
                         place(sender.flushed),
                         place(sender.applied),
                         no_text,
                         no_text,
                         no_text,
                         all ? Datum::of(int32_t{0}) : Datum::make_null(Phys::kI32),
                         all ? text_datum("async") : no_text,
                         all && sender.reply_time != 0 ? Datum::of(sender.reply_time) : nothing};
    sink(row);
  }
  return {};
}

constexpr SystemValue kSlotValues[] = {
    {"pg_create_logical_replication_slot", create_logical},
    {"pg_create_physical_replication_slot", refuse_physical},
    {"pg_copy_physical_replication_slot_a", refuse_physical_copy},
    {"pg_copy_physical_replication_slot_b", refuse_physical_copy},
    {"pg_copy_logical_replication_slot_a", copy_logical},
    {"pg_copy_logical_replication_slot_b", copy_logical},
    {"pg_copy_logical_replication_slot_c", copy_logical},
    {"pg_drop_replication_slot", drop_slot},
    {"pg_replication_slot_advance", advance_slot},
    {"pg_logical_emit_message_text", emit_message},
    {"pg_logical_emit_message_bytea", emit_message},
};
constexpr SystemRows kSlotRows[] = {
    {"pg_logical_slot_get_changes", get_changes},   {"pg_logical_slot_get_binary_changes", get_binary_changes},
    {"pg_logical_slot_peek_changes", peek_changes}, {"pg_logical_slot_peek_binary_changes", peek_binary_changes},
    {"pg_get_replication_slots", slot_rows},        {"pg_stat_get_wal_senders", walsender_rows},
};

}  // namespace

std::span<const SystemValue> replication_slot_values() { return kSlotValues; }
std::span<const SystemRows> replication_slot_rows() { return kSlotRows; }

}  // namespace indigo::engine
