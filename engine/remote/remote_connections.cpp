#include "engine/remote/remote_connections.h"

#include <algorithm>

namespace indigo::engine {

Error RemoteConnections::Foreign::lost_error() const {
  return Error(SqlState("08000"), "connection to server \"" + name + "\" cannot be used due to abort cleanup failure");
}

std::string RemoteConnections::Foreign::take_owed() {
  std::string out;
  if (failed) return out;
  if (!to_release.empty()) out += "RELEASE SAVEPOINT " + to_release + "; ";
  to_release.clear();
  for (const uint32_t cursor : to_close) {
    if (open_cursors.erase(cursor) > 0) out += "CLOSE c" + std::to_string(cursor) + "; ";
  }
  to_close.clear();
  return out;
}

bool RemoteConnections::any_open() const {
  return std::any_of(foreign_.begin(), foreign_.end(), [](const auto& e) { return e.second->open; });
}

namespace {

Status commit_one(RemoteConnections::Foreign& f) {
  if (f.lost) return f.lost_error();
  INDIGO_TRY(f.connection->drain());
  constexpr const char* kCommit = "COMMIT TRANSACTION";
  INDIGO_ASSIGN(const RemoteAnswer answer, f.connection->run(kCommit));
  Error failed = answer.error(f.connection->error());
  failed.add_context("remote SQL command: " + std::string(kCommit));
  if (!answer || answer.failed()) return failed;
  if (answer.tag() != "ROLLBACK") return {};
  return Error(SqlState("40000"), "the transaction on server \"" + f.name + "\" was rolled back");
}

// False: the connection is busy with a statement that was left.
bool send_after_rollback(RemoteConnections::Foreign& f, const std::string& statement) {
  if (f.rolling_back && !f.connection->drain().ok()) return false;
  f.rolling_back = false;
  const auto sent = f.connection->send(statement);
  return sent.ok() && *sent;
}

}  // namespace

Status RemoteConnections::commit() {
  for (auto at = foreign_.begin(); at != foreign_.end();) {
    Foreign& f = *at->second;
    if (f.open) {
      if (Status done = commit_one(f); !done.ok()) {
        f.lost = true;
        return done;
      }
      f.open = false;
      f.to_close.clear();
    }
    at = f.keep ? std::next(at) : foreign_.erase(at);
  }
  return {};
}

void RemoteConnections::end_transaction() {
  for (auto at = foreign_.begin(); at != foreign_.end();) {
    Foreign& f = *at->second;
    bool keep = f.keep && !f.lost;
    if (f.open) {
      f.open = false;
      f.to_close.clear();
      keep = keep && send_after_rollback(f, "ABORT TRANSACTION");  // one whose statement was left is closed
    }
    at = keep ? std::next(at) : foreign_.erase(at);
  }
}

void RemoteConnections::roll_back(size_t depth) {
  for (auto& [key, each] : foreign_) {
    Foreign& f = *each;
    if (!f.open || f.lost || f.depth < depth) continue;
    f.depth = depth;
    f.to_release.clear();
    std::erase_if(f.open_cursors, [&](const auto& cursor) { return cursor.second >= depth; });
    f.lost = !send_after_rollback(f, "ROLLBACK TO SAVEPOINT s" + std::to_string(depth));
    f.rolling_back = !f.lost;
    f.failed = false;
  }
}

void RemoteConnections::release(size_t depth) {
  for (auto& [key, each] : foreign_) {
    Foreign& f = *each;
    if (!f.open || f.depth <= depth) continue;
    f.depth = depth;
    f.to_release = "s" + std::to_string(depth + 1);
    for (auto& [cursor, declared] : f.open_cursors) declared = std::min(declared, depth);
  }
}

}  // namespace indigo::engine
