// The connections that a session has to other servers: dblink's by name (the empty name: without one), and those of foreign
// tables, one for each server and mapping, with a transaction there while one is open here.
// Thread safety: belongs to a session.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

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
    uint64_t transaction = 0;  // counts those that were begun
    bool open = false;         // one is
    bool failed = false;       // the other server has ended it
    bool keep = true;          // after the transaction
    uint32_t cursors = 0;
    std::string to_close;  // statements that close cursors which nobody reads any more
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
  // The session's transaction has ended: those there end with it. Waits for nothing.
  void end_transaction(bool committed);

 private:
  std::map<std::string, Named> all_;
  std::map<ForeignKey, std::shared_ptr<Foreign>> foreign_;
};

}  // namespace indigo::engine
