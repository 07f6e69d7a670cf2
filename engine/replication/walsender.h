// The server's side of a replication connection: answers its commands, and streams a slot's changes until the client ends it.
//
// Streaming. A transaction's messages are made in a short transaction of the session's, one after the other, so that a slow client
// holds no snapshot while it is waited for between them. What the client has flushed is the slot's place. A client that says
// nothing for wal_sender_timeout is left.
// Thread safety: none; belongs to a session.
#pragma once

#include <memory>
#include <string_view>

#include "base/error.h"
#include "engine/replication/replication_command.h"
#include "engine/row_sink.h"
#include "engine/session/exported_snapshots.h"
#include "engine/session/session_parts.h"
#include "storage/transaction.h"

namespace indigo::engine::replication {

class Walsender {
 public:
  explicit Walsender(SessionParts& session) : session_(session) {}
  ~Walsender();
  Walsender(const Walsender&) = delete;
  Walsender& operator=(const Walsender&) = delete;

  // Whatever comes next ends the life of a snapshot that CREATE_REPLICATION_SLOT has exported.
  void begin_command();
  Status run(std::string_view text, RowSink& sink);

 private:
  struct Progress;

  Status identify(RowSink& sink);
  Status read_slot(const ReplicationCommand& command, RowSink& sink);
  Status create_slot(const ReplicationCommand& command, RowSink& sink);
  Status drop_slot(const ReplicationCommand& command, RowSink& sink);
  Status start(const ReplicationCommand& command, RowSink& sink);
  Status take_exported_snapshot();

  SessionParts& session_;
  std::unique_ptr<storage::Transaction> exporting_;  // holds the exported snapshot
  std::shared_ptr<ExportedSnapshots::Export> exported_;
};

}  // namespace indigo::engine::replication
