#include "engine/replication/walsender.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/fiber/interrupt_error.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/instance_impl.h"
#include "engine/replication/output_plugin.h"
#include "engine/replication/slot_maker.h"
#include "engine/session/clock.h"
#include "engine/session/current_message.h"
#include "engine/session/session_parts.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/settings.h"
#include "engine/statement/result_shape.h"
#include "storage/store.h"
#include "types/oids.h"
#include "types/text/boolean_word.h"

namespace indigo::engine::replication {

namespace {

using Values = std::vector<std::optional<std::string>>;

Status send_row(RowSink& sink, std::initializer_list<std::pair<const char*, Oid>> columns, const Values& values) {
  const auto shape = text_columns(columns);
  sink.row_description(*shape);
  Chunk chunk;
  for (size_t i = 0; i < values.size(); i++) {
    const Phys phys = std::data(columns)[i].second == oid::kInt4   ? Phys::kI32
                      : std::data(columns)[i].second == oid::kInt8 ? Phys::kI64
                                                                   : Phys::kStr;
    chunk.columns.emplace_back(phys, 1);
    Vector& column = chunk.columns.back();
    if (!values[i]) {
      column.set_datum(0, Datum::make_null(phys));
    } else if (phys == Phys::kI32) {
      column.set_datum(0, Datum::of(static_cast<int32_t>(std::stol(*values[i]))));
    } else if (phys == Phys::kI64) {
      column.set_datum(0, Datum::of(static_cast<int64_t>(std::stoll(*values[i]))));
    } else {
      column.set_datum(0, Datum::of(Str(*values[i])));
    }
  }
  chunk.selection = {nullptr, 1};
  return sink.rows(*shape, chunk);
}

Error physical() { return Error(sqlstate::kFeatureNotSupported, "physical replication is not supported"); }

template <class T>
void append_number(std::string& out, T n) {
  char raw[sizeof(T)];
  store_unaligned(raw, big_endian(n));
  out.append(raw, sizeof(T));
}

std::chrono::milliseconds sender_timeout(SessionParts& session) {
  static const uint32_t index = *find_setting("wal_sender_timeout");
  return std::chrono::milliseconds(std::strtoll(session.settings().value(index).c_str(), nullptr, 10));
}

struct SlotOptions {
  std::string snapshot = "export";
  bool two_phase = false, reserve = false;
};

Result<SlotOptions> read_slot_options(const ReplicationCommand& command) {
  SlotOptions out;
  bool snapshot_given = false, two_phase_given = false;
  for (const auto& [name, value] : command.options) {
    if (name == "snapshot" && !command.physical) {
      if (std::exchange(snapshot_given, true)) return Error(sqlstate::kSyntaxError, "conflicting or redundant options");
      out.snapshot = value.value_or("");
      if (out.snapshot != "export" && out.snapshot != "nothing" && out.snapshot != "use") {
        return Error(sqlstate::kInvalidParameterValue, "unrecognized value for CREATE_REPLICATION_SLOT option \"" +
                                                           name + "\": \"" + out.snapshot + "\"");
      }
    } else if (name == "two_phase" && !command.physical) {
      if (std::exchange(two_phase_given, true))
        return Error(sqlstate::kSyntaxError, "conflicting or redundant options");
      const auto flag = value ? types::boolean_word(*value) : std::optional(true);
      if (!flag) return Error(sqlstate::kSyntaxError, "two_phase requires a Boolean value");
      out.two_phase = *flag;
    } else if (name != "reserve_wal" || !command.physical) {
      return Error(sqlstate::kInternalError, "unrecognized option: " + name);
    }
  }
  return out;
}

}  // namespace

Walsender::~Walsender() {
  begin_command();
  session_.instance().walsenders().forget(session_.pid());
}

void Walsender::begin_command() {
  exported_ = nullptr;
  if (exporting_ != nullptr) session_.store().rollback(*exporting_);
  exporting_ = nullptr;
}

Status Walsender::run(std::string_view text, RowSink& sink) {
  INDIGO_ASSIGN(const ReplicationCommand command, ReplicationCommand::parse(text));
  if (session_.block().state() == TransactionBlock::State::kFailed) return in_failed_block();
  switch (command.kind) {
    case ReplicationCommand::Kind::kIdentifySystem: return identify(sink);
    case ReplicationCommand::Kind::kReadSlot: return read_slot(command, sink);
    case ReplicationCommand::Kind::kCreateSlot: return create_slot(command, sink);
    case ReplicationCommand::Kind::kDropSlot: return drop_slot(command, sink);
    case ReplicationCommand::Kind::kStart: return start(command, sink);
    case ReplicationCommand::Kind::kTimelineHistory:
    case ReplicationCommand::Kind::kBaseBackup: break;
  }
  return physical();
}

Status Walsender::identify(RowSink& sink) {
  InstanceImpl& instance = session_.instance();
  INDIGO_TRY(send_row(
      sink, {{"systemid", oid::kText}, {"timeline", oid::kInt4}, {"xlogpos", oid::kText}, {"dbname", oid::kText}},
      Values{std::to_string(instance.system_identifier()), std::string("1"),
             position_text(instance.change_stream().end()), std::string(session_.session_catalog().database_name())}));
  sink.command_complete("IDENTIFY_SYSTEM");
  return {};
}

Status Walsender::read_slot(const ReplicationCommand& command, RowSink& sink) {
  for (const SlotInfo& slot : session_.instance().change_stream().slots()) {
    if (slot.name != command.slot) continue;
    return Error(sqlstate::kFeatureNotSupported, "cannot use READ_REPLICATION_SLOT with a logical replication slot");
  }
  INDIGO_TRY(send_row(sink, {{"slot_type", oid::kText}, {"restart_lsn", oid::kText}, {"restart_tli", oid::kInt8}},
                      Values{std::nullopt, std::nullopt, std::nullopt}));
  sink.command_complete("READ_REPLICATION_SLOT");
  return {};
}

// A snapshot of now, in a transaction that others may import it from.
Status Walsender::take_exported_snapshot() {
  exporting_ =
      session_.store().begin(storage::Isolation::kRepeatableRead, static_cast<uint64_t>(session_.pid()), nullptr);
  exporting_->take_statement_snapshot();
  exported_ =
      session_.instance().exported_snapshots().add(session_.pid(), session_.session_catalog().database(), *exporting_);
  return {};
}

Status Walsender::create_slot(const ReplicationCommand& command, RowSink& sink) {
  INDIGO_TRY(check_may_replicate(session_));
  INDIGO_ASSIGN(const SlotOptions options, read_slot_options(command));
  if (command.physical) return physical();
  INDIGO_TRY(check_decodes(session_));
  TransactionBlock& block = session_.block();
  const bool exports = options.snapshot == "export", uses = options.snapshot == "use";
  const auto refuse = [&](const char* what) {
    return Error(sqlstate::kInternalError,
                 "CREATE_REPLICATION_SLOT ... (SNAPSHOT '" + options.snapshot + "') must " + what);
  };
  if (exports && block.in_block()) return refuse("not be called inside a transaction");
  if (uses) {
    if (!block.in_block()) return refuse("be called inside a transaction");
    if (block.isolation() != storage::Isolation::kRepeatableRead)
      return refuse("be called in REPEATABLE READ isolation mode transaction");
    if (block.transaction() != nullptr) return refuse("be called before any query");
    if (block.depth() > 0) return refuse("not be called in a subtransaction");
  }
  const auto at_place = [&]() -> Status {
    if (exports) return take_exported_snapshot();
    return uses ? session_.begin_statement() : Status();
  };
  INDIGO_ASSIGN(const uint64_t place, make_slot(session_,
                                                {.name = command.slot,
                                                 .plugin = command.plugin,
                                                 .temporary = command.temporary,
                                                 .two_phase = options.two_phase},
                                                at_place));
  const std::optional<std::string> snapshot = exported_ == nullptr ? std::nullopt : std::optional(exported_->id());
  INDIGO_TRY(send_row(sink,
                      {{"slot_name", oid::kText},
                       {"consistent_point", oid::kText},
                       {"snapshot_name", oid::kText},
                       {"output_plugin", oid::kText}},
                      Values{command.slot, position_text(place), snapshot, command.plugin}));
  sink.command_complete("CREATE_REPLICATION_SLOT");
  return {};
}

Status Walsender::drop_slot(const ReplicationCommand& command, RowSink& sink) {
  INDIGO_TRY(check_may_replicate(session_));
  ChangeStream& stream = session_.instance().change_stream();
  INDIGO_TRY(stream.drop(command.slot, command.wait, session_.pid()));
  INDIGO_TRY(stream.save(true));
  sink.command_complete("DROP_REPLICATION_SLOT");
  return {};
}

// What streaming knows of itself and of its client.
struct Walsender::Progress {
  SessionParts& session;
  ChangeStream::Reader& reader;
  CopyChannel& channel;
  std::chrono::milliseconds timeout{0};
  WalsenderState state{};
  uint64_t told = 0;  // the last place that a keepalive has named
  Clock::time_point heard = Clock::now();
  bool asked = false;  // for an answer, since the client was heard
  bool ended = false;  // by the client

  Deadline deadline() const {
    if (timeout.count() <= 0) return kNoDeadline;
    return heard + (asked ? timeout : timeout / 2);
  }

  Status keepalive(bool asks) {
    std::string message(1, 'k');
    append_number(message, state.sent);
    append_number(message, static_cast<uint64_t>(timestamp_now()));
    message += static_cast<char>(asks ? 1 : 0);
    told = state.sent;
    asked = asked || asks;
    INDIGO_TRY(channel.send(message));
    return channel.flush(Clock::now() + patience());
  }
  std::chrono::milliseconds patience() const {
    return timeout.count() <= 0 ? std::chrono::milliseconds(std::chrono::hours(24 * 365)) : timeout;
  }

  Status hear(std::string_view message) {
    heard = Clock::now();
    asked = false;
    if (message.empty()) return {};
    if (message[0] == 'h') return {};  // of a physical standby
    constexpr size_t kStatusBytes = 1 + 4 * sizeof(uint64_t) + 1;
    if (message[0] != 'r') {
      return Error(sqlstate::kProtocolViolation, "invalid standby message type \"" + std::string(1, message[0]) + "\"");
    }
    if (message.size() < kStatusBytes) return Error(sqlstate::kProtocolViolation, "insufficient data left in message");
    const auto number = [&](size_t i) { return big_endian(load_unaligned<uint64_t>(message.data() + 1 + i * 8)); };
    state.written = number(0);
    state.flushed = number(1);
    state.applied = number(2);
    state.reply_time = static_cast<int64_t>(number(3));
    session.instance().walsenders().set(state);
    if (state.flushed != 0) reader.confirm(state.flushed);
    return message.back() != 0 ? keepalive(false) : Status();
  }

  // Reads what has come; waits until there is something, or a call, or the time is over.
  Status listen(Deadline until) {
    for (;;) {
      INDIGO_ASSIGN(const CopyChannel::Event event, channel.receive(until, reader.called(), message));
      switch (event) {
        case CopyChannel::Event::kMessage: INDIGO_TRY(hear(message)); break;
        case CopyChannel::Event::kDone: ended = true; return {};
        case CopyChannel::Event::kNothing: return {};
      }
      until = Clock::time_point();  // what else is there already
    }
  }
  std::string message;

  Status check_time() {
    if (timeout.count() <= 0) return {};
    const auto now = Clock::now();
    if (now >= heard + timeout)
      return Error(sqlstate::kConnectionFailure, "terminating walsender process due to replication timeout");
    if (!asked && now >= heard + timeout / 2) return keepalive(true);
    return {};
  }

  // In a transaction of its own.
  Status write(OutputPlugin& plugin, const CommittedChanges& changes, const SlotInfo& slot, uint64_t from) {
    INDIGO_TRY(session.enter_database());
    TransactionBlock& block = session.block();
    session.message().set_timestamp(timestamp_now());
    Status status = session.begin_statement();
    if (status.ok()) {
      status = plugin.tell(changes, slot, from, [&](uint64_t position, std::string_view data) -> Status {
        message.assign(1, 'w');
        append_number(message, position);
        append_number(message, position);
        append_number(message, static_cast<uint64_t>(timestamp_now()));
        message += data;
        state.sent = std::max(state.sent, position);
        INDIGO_TRY(channel.send(message));
        return channel.flush_if_much(Clock::now() + patience());
      });
    }
    block.rollback();
    session.leave_database();
    return status;
  }
};

Status Walsender::start(const ReplicationCommand& command, RowSink& sink) {
  INDIGO_TRY(check_may_replicate(session_));
  if (command.physical) return physical();
  INDIGO_TRY(check_decodes(session_));
  if (session_.block().in_block()) {
    return Error(sqlstate::kActiveSqlTransaction, "START_REPLICATION cannot run inside a transaction block");
  }
  ChangeStream& stream = session_.instance().change_stream();
  INDIGO_ASSIGN(const auto reader,
                stream.use(command.slot, session_.session_catalog().database(), session_.pid(), session_.waiter()));
  const std::string plugin_name = reader->slot().plugin;
  INDIGO_ASSIGN(const auto plugin, make_output_plugin(plugin_name, session_));
  if (Status status = plugin->set_options(command.options); !status.ok()) {
    Error error = status.error();
    error.add_context("slot \"" + command.slot + "\", output plugin \"" + plugin_name + "\", in the startup callback");
    return error;
  }
  uint64_t at = std::max(reader->slot().confirmed, command.position);
  if (plugin->asks_for_two_phase()) INDIGO_TRY(reader->enable_two_phase(at));
  const SlotInfo slot = reader->slot();
  INDIGO_ASSIGN(CopyChannel * channel, sink.copy_both());
  Progress progress{session_, *reader, *channel, sender_timeout(session_)};
  progress.state.pid = session_.pid();
  progress.state.sent = at;
  session_.instance().walsenders().set(progress.state);
  struct Leave {
    InstanceImpl& instance;
    const int32_t pid;
    ~Leave() { instance.walsenders().forget(pid); }
  } const leave{session_.instance(), session_.pid()};
  session_.block().rollback();
  session_.leave_database();
  while (!progress.ended) {
    reader->clear_call();
    const uint64_t end = stream.end();
    INDIGO_ASSIGN(const auto changes, reader->after(at));
    if (changes != nullptr) {
      Status status = progress.write(*plugin, *changes, slot, at);
      if (!status.ok()) {
        Error error = status.error();
        error.add_context("slot \"" + command.slot + "\", output plugin \"" + plugin_name + "\"");
        return error;
      }
      at = changes->end;
      progress.state.sent = at;
      INDIGO_TRY(progress.listen(Clock::time_point()));
      INDIGO_TRY(progress.check_time());
      session_.waiter().yield_if_due();
      continue;
    }
    if (reader->slot().lost) {
      return Error(sqlstate::kObjectNotInPrerequisiteState,
                   "cannot read from logical replication slot \"" + command.slot + "\"")
          .with_detail("This slot has been invalidated because it exceeded the maximum reserved size.");
    }
    at = std::max(at, end);
    progress.state.sent = at;
    progress.state.streaming = true;
    session_.instance().walsenders().set(progress.state);
    INDIGO_TRY(channel->flush(Clock::now() + progress.patience()));
    if (progress.told != at && progress.state.flushed < at) INDIGO_TRY(progress.keepalive(false));
    INDIGO_TRY(progress.listen(progress.deadline()));
    INDIGO_TRY(progress.check_time());
  }
  INDIGO_TRY(channel->end());
  sink.command_complete("COPY 0");
  sink.command_complete("START_REPLICATION");  // the second one is what libpqrcv_endstreaming waits for
  return {};
}

}  // namespace indigo::engine::replication
