// Keeps all other sessions of a database from beginning anything while it is put back: those that are between messages wait
// with their next one, and so do those that connect.
//
// Why no session is missed: the database is closed before the sessions are listed, under the instance's mutex. A session that
// is not in the list yet puts itself there under the same mutex later, and then looks whether the database is closed
// (InstanceImpl::connect).
// Thread safety: one user, the session that puts the database back; it is released from any thread.
#pragma once

#include <memory>
#include <vector>

#include "base/error.h"

namespace indigo::catalog {
class Database;
}

namespace indigo::engine {

class InstanceImpl;
class SessionParts;
struct SessionActivity;

class DatabaseHold {
 public:
  DatabaseHold(InstanceImpl& instance, std::shared_ptr<catalog::Database> database);
  ~DatabaseHold();
  DatabaseHold(const DatabaseHold&) = delete;
  DatabaseHold& operator=(const DatabaseHold&) = delete;

  // 55006 when another session stays in a transaction block, or for five seconds in a statement; when somebody else holds
  // the database; or when transactions of it are prepared.
  Status take(SessionParts& session);
  void release();

 private:
  Status hold(SessionParts& session, const std::shared_ptr<SessionActivity>& other);

  InstanceImpl& instance_;
  const std::shared_ptr<catalog::Database> database_;
  bool closed_ = false;
  std::vector<std::shared_ptr<SessionActivity>> held_;
};

}  // namespace indigo::engine
