// The session in which a subscription's worker changes tables: hidden from pg_stat_activity, as the subscription's owner, under
// session_replication_role = replica. Its statements are texts, so that partitions, generated columns, triggers, row storage and
// logical replication out are those of any other session.
// Thread safety: belongs to the worker's thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "engine/ddl/ddl.h"
#include "engine/row_sink.h"

namespace indigo::catalog {
class Database;
}

namespace indigo::engine {
class InstanceImpl;
class SessionImpl;
}  // namespace indigo::engine

namespace indigo::engine::subscription {

class ApplySession {
 public:
  // `owner`: the role that it acts as; 42704 when it is gone.
  static Result<std::unique_ptr<ApplySession>> open(InstanceImpl& instance, Waiter& waiter,
                                                    std::shared_ptr<catalog::Database> database, Oid owner,
                                                    const std::string& synchronous_commit = "on");
  ~ApplySession();
  ApplySession(const ApplySession&) = delete;
  ApplySession& operator=(const ApplySession&) = delete;

  Status begin();
  Status commit();
  void rollback();
  bool in_transaction() const;

  Status run(std::string_view text);
  // COPY ... FROM STDIN: `read` appends to its argument; false at the end.
  Status copy_in(std::string_view text, std::function<Result<bool>(std::string&)> read);

  Status prepare(std::string_view name, std::string_view text);
  void forget(std::string_view name);
  Status execute(std::string_view name, std::span<const std::optional<std::string_view>> values,
                 std::span<const Format> formats);

  // Reads and changes system tables in the open transaction.
  Status in_catalog(const std::function<Status(DdlContext&)>& step);

 private:
  ApplySession();
  std::unique_ptr<SessionImpl> session_;
};

}  // namespace indigo::engine::subscription
