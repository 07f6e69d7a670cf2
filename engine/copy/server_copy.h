// COPY from and to files and programs on the server: who may, what is opened, and PostgreSQL's messages.
// Thread safety: one call belongs to one session.
#pragma once

#include <memory>

#include "base/error.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/copy/copy_target.h"
#include "engine/row_sink.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine {

class ServerCopySource : public CopySource {
 public:
  // After the last row: 38000 when the program that wrote them has failed.
  virtual Status end() = 0;
};

bool copies_on_server(const PgQuery__CopyStmt& statement);
// 42501 unless the role may read or write files or run programs, as the statement does.
Status check_server_copy(catalog::SessionCatalog& catalog, const PgQuery__CopyStmt& statement);
// Of a statement that copies_on_server().
Result<std::unique_ptr<ServerCopySource>> open_server_source(const PgQuery__CopyStmt& statement);

// Where COPY FROM reads: what the statement names on the server, or the client, which is told to send.
struct CopyInput {
  std::unique_ptr<ServerCopySource> server;  // null: the client
  CopySource* source = nullptr;
};
Result<CopyInput> open_copy_input(const PgQuery__CopyStmt& statement, RowSink& client, CopyFormat format,
                                  size_t columns);

Result<std::unique_ptr<CopyTarget>> open_server_target(const PgQuery__CopyStmt& statement);

}  // namespace indigo::engine
