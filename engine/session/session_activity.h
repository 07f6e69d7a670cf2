// What others may see of a session: pg_stat_activity and the like.
// Thread safety: the session writes under `mutex`, rarely; readers take it too.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "engine/front_door.h"
#include "engine/session/database_use.h"
#include "engine/session/progress.h"

namespace indigo::engine {

struct SessionActivity {
  std::mutex mutex;                 // guards the members below
  std::string_view state = "idle";  // a constant
  std::string query, application_name, client_address;
  int client_port = -1;
  std::string server_address;
  int server_port = -1;
  std::optional<TlsDescription> tls;
  int64_t backend_start = 0, transaction_start = 0, query_start = 0, state_change = 0;
  Oid database = kInvalidOid, user = kInvalidOid;
  std::string database_name, user_name;
  int32_t pid = 0;         // of the session
  uint64_t log_lines = 0;  // records of the session in the server's log
  DatabaseUse use;         // of its own; not guarded by `mutex`
  Progress progress;       // neither
};

}  // namespace indigo::engine
