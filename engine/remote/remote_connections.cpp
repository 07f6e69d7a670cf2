#include "engine/remote/remote_connections.h"

namespace indigo::engine {

void RemoteConnections::end_transaction(bool committed) {
  for (auto at = foreign_.begin(); at != foreign_.end();) {
    Foreign& f = *at->second;
    bool keep = f.keep;
    if (f.open) {
      f.open = false;
      f.to_close.clear();
      const auto sent = f.connection->send(committed && !f.failed ? "COMMIT TRANSACTION" : "ABORT TRANSACTION");
      keep = keep && sent.ok() && *sent;  // one whose statement was left is closed
    }
    at = keep ? std::next(at) : foreign_.erase(at);
  }
}

}  // namespace indigo::engine
