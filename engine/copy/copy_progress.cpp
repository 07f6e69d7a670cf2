#include "engine/copy/copy_progress.h"

#include <sys/stat.h>

#include "engine/copy/server_copy.h"

namespace indigo::engine {

CopyProgress::CopyProgress(Progress& progress, const PgQuery__CopyStmt& statement, Oid relation)
    : shown_(&progress, ProgressCommand::kCopy, relation) {
  namespace copy = progress::copy;
  shown_.set(copy::kCommand, statement.is_from ? copy::kFrom : copy::kTo);
  shown_.set(copy::kType, statement.is_program          ? copy::kProgram
                          : copies_on_server(statement) ? copy::kFile
                                                        : copy::kPipe);
}

uint64_t bytes_of_server_file(const PgQuery__CopyStmt& statement) {
  struct stat about {};
  if (!copies_on_server(statement) || statement.is_program || ::stat(statement.filename, &about) != 0) return 0;
  return S_ISREG(about.st_mode) ? static_cast<uint64_t>(about.st_size) : 0;
}

}  // namespace indigo::engine
