// The connections that a session has to other servers: dblink's by name (the empty name: without one), and those of foreign
// tables, one for each server and mapping, with a transaction there while one is open here.
//
// Invariants of a foreign table's connection:
// 1. Its transaction has a savepoint `s1`, `s2` ... for each of the session's savepoints that was there when it was last used.
//    What the session rolls back is rolled back there at once, what it releases is released with the next thing that is asked.
// 2. It commits there before it commits here: where it cannot, it does not commit here either.
// 3. A connection that is lost while a transaction is open there is not replaced within that transaction, which cannot commit:
//    nobody knows what of it was done there.
// Thread safety: belongs to a session.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "engine/remote/remote_connection.h"

namespace indigo::engine {

class RemoteConnections {
 public:
  struct Named {
    std::unique_ptr<RemoteConnection> connection;
    int cursors = 0;
    bool began = false;  // dblink_open has begun the transaction
  };
  struct Foreign {
    std::unique_ptr<RemoteConnection> connection;
    std::string options;  // that it was made with
    Oid server = kInvalidOid;
    std::string name;           // the server's
    uint64_t transaction = 0;   // counts those that were begun
    bool open = false;          // one is
    bool failed = false;        // the other server has ended it, or the part since the last savepoint
    bool lost = false;          // what is open there cannot be reached any more
    bool keep = true;           // after the transaction
    bool rolling_back = false;  // to a savepoint: nobody has waited for it yet
    size_t depth = 0;           // savepoints there
    uint32_t cursors = 0;
    std::map<uint32_t, size_t> open_cursors;  // and how many savepoints there were when they were declared
    std::vector<uint32_t> to_close;           // cursors that nobody reads any more
    std::string to_release;                   // a savepoint

    // 08000.
    Error lost_error() const;
    // The statements that are owed; empty: none.
    std::string take_owed();
  };
  using ForeignKey = std::pair<Oid, Oid>;  // server, mapping

  // Null: none of this name.
  Named* find(const std::string& name) {
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second;
  }
  void add(const std::string& name, std::unique_ptr<RemoteConnection> connection) {
    all_[name] = Named{.connection = std::move(connection)};
  }
  void remove(const std::string& name) { all_.erase(name); }
  const std::map<std::string, Named>& all() const { return all_; }

  std::map<ForeignKey, std::shared_ptr<Foreign>>& foreign() { return foreign_; }
  bool any_open() const;
  // Commits those there. The first that does not makes the error, and the session's transaction is to be rolled back.
  Status commit();
  // The session's transaction has ended: those there that are still open are rolled back. Waits for
  // nothing but a savepoint's rollback.
  void end_transaction();
  // The session has rolled back to its savepoint number `depth`, from 1, which stays. Waits for nothing but the one before.
  void roll_back(size_t depth);
  // The session has released all savepoints but the first `depth`.
  void release(size_t depth);

 private:
  std::map<std::string, Named> all_;
  std::map<ForeignKey, std::shared_ptr<Foreign>> foreign_;
};

}  // namespace indigo::engine
