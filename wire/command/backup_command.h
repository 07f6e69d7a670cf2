// `indigo backup`: asks a running server for a backup, as any superuser may (indigo_backup, docs/durability.md).
#pragma once

#include <string>

namespace indigo::wire {

struct BackupOptions {
  std::string host, port, user;  // empty: libpq's own defaults, PGHOST and the like
  std::string database = "postgres";
  std::string directory;  // on the server's machine
};

// Answers the exit status; complaints are on stderr. SIGINT and SIGTERM cancel the backup.
int backup_command(const BackupOptions& options);

}  // namespace indigo::wire
