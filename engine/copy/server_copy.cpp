#include "engine/copy/server_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/sqlstate.h"
#include "engine/copy/server_file.h"
#include "sql/parse/parse_tree.h"
#include "types/oids.h"

namespace indigo::engine {

namespace {

constexpr Oid kExecuteServerProgramRole = 4571;
constexpr size_t kHandedBytes = size_t{1} << 16;  // handed to the thread at once

Error not_opened(int error, const std::string& name, bool reads) {
  Error e = file_error(error, "could not open file \"" + name + "\" for " + (reads ? "reading" : "writing"));
  if (error != ENOENT && error != EACCES) return e;
  const std::string client = " You may want a client-side facility such as psql's \\copy.";
  return std::move(e).with_hint((reads ? "COPY FROM instructs the PostgreSQL server process to read a file."
                                       : "COPY TO instructs the PostgreSQL server process to write a file.") +
                                client);
}

Result<std::unique_ptr<ServerStream>> open_stream(const PgQuery__CopyStmt& s) {
  const bool reads = s.is_from;
  const std::string name = s.filename;
  if (s.is_program) {
    int pipe = -1;
    auto program = ServerProgram::start(name, reads, pipe);
    if (!program) return file_error(errno, "could not execute command \"" + name + "\"");
    return std::make_unique<ServerStream>(pipe, reads, program);
  }
  if (!reads && name.front() != '/') {
    return Error(sqlstate::kInvalidName, "relative path not allowed for COPY to file");
  }
  const int flags = reads ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC;
  const int file = ::open(name.c_str(), flags | O_NONBLOCK | O_CLOEXEC, kServerFileMode);
  if (file < 0) return not_opened(errno, name, reads);
  struct stat about {};
  if (fstat(file, &about) == 0 && S_ISDIR(about.st_mode)) {
    ::close(file);
    return Error(sqlstate::kWrongObjectType, "\"" + name + "\" is a directory");
  }
  return std::make_unique<ServerStream>(file, reads, std::nullopt);
}

std::string not_done(const ServerStream& stream, bool reads) {
  return std::string("could not ") + (reads ? "read from" : "write to") + " COPY " +
         (stream.program() ? "program" : "file");
}

// What has become of it: the program's own failure comes before that of the pipe to it.
Status outcome(const ServerStream& stream, const std::string& name, bool reads) {
  if (stream.program()) INDIGO_TRY(stream.program()->outcome(name));
  if (stream.failure() == 0) return {};
  return file_error(stream.failure(), not_done(stream, reads));
}

class StreamCopySource final : public ServerCopySource {
 public:
  StreamCopySource(std::unique_ptr<ServerStream> stream, std::string name)
      : stream_(std::move(stream)), name_(std::move(name)) {}

  Result<bool> read(std::string& out) override {
    INDIGO_ASSIGN(const bool more, stream_->read(out));
    if (!more && stream_->failure() != 0) return file_error(stream_->failure(), not_done(*stream_, true));
    return more;
  }

  Status end() override { return outcome(*stream_, name_, true); }

 private:
  const std::unique_ptr<ServerStream> stream_;
  const std::string name_;
};

class ServerCopyTarget final : public CopyTarget {
 public:
  ServerCopyTarget(std::unique_ptr<ServerStream> stream, std::string name)
      : stream_(std::move(stream)), name_(std::move(name)) {}

  void begin(CopyFormat /*format*/, uint32_t /*column_count*/) override {}

  Status data(std::string_view bytes) override {
    piece_ += bytes;
    return piece_.size() < kHandedBytes ? Status() : flush();
  }

  Status end() override {
    INDIGO_TRY(flush());
    INDIGO_TRY(stream_->finish());
    return outcome(*stream_, name_, false);
  }

 private:
  Status flush() {
    INDIGO_TRY(stream_->write(piece_));
    piece_.clear();
    return stream_->ended() ? outcome(*stream_, name_, false) : Status();
  }

  const std::unique_ptr<ServerStream> stream_;
  const std::string name_;
  std::string piece_;
};

}  // namespace

bool copies_on_server(const PgQuery__CopyStmt& statement) {
  return statement.filename != nullptr && *statement.filename != '\0';
}

Status check_server_copy(catalog::SessionCatalog& catalog, const PgQuery__CopyStmt& statement) {
  Oid role = statement.is_from ? oid::kReadServerFilesRole : oid::kWriteServerFilesRole;
  std::string what = statement.is_from ? "pg_read_server_files role to COPY from a file"
                                       : "pg_write_server_files role to COPY to a file";
  if (statement.is_program) {
    role = kExecuteServerProgramRole;
    what = "pg_execute_server_program role to COPY to or from an external program";
  }
  if (catalog.has_privileges_of(catalog.user(), role)) return {};
  return Error(sqlstate::kInsufficientPrivilege, "must be superuser or have privileges of the " + what)
      .with_hint("Anyone can COPY to stdout or from stdin. psql's \\copy command also works for anyone.");
}

Result<std::unique_ptr<ServerCopySource>> open_server_source(const PgQuery__CopyStmt& statement) {
  INDIGO_ASSIGN(auto stream, open_stream(statement));
  return std::unique_ptr<ServerCopySource>(std::make_unique<StreamCopySource>(std::move(stream), statement.filename));
}

Result<CopyInput> open_copy_input(const PgQuery__CopyStmt& statement, RowSink& client, CopyFormat format,
                                  size_t columns) {
  CopyInput input;
  if (copies_on_server(statement)) {
    INDIGO_ASSIGN(input.server, open_server_source(statement));
    input.source = input.server.get();
  } else {
    INDIGO_ASSIGN(input.source, client.copy_in(format, static_cast<uint32_t>(columns)));
  }
  return input;
}

Result<std::unique_ptr<CopyTarget>> open_server_target(const PgQuery__CopyStmt& statement) {
  INDIGO_ASSIGN(auto stream, open_stream(statement));
  return std::unique_ptr<CopyTarget>(std::make_unique<ServerCopyTarget>(std::move(stream), statement.filename));
}

}  // namespace indigo::engine
