// ANALYZE in the background, by PostgreSQL's rule: a table of which more than autovacuum_analyze_threshold +
// autovacuum_analyze_scale_factor * reltuples rows have changed since the last ANALYZE (storage parameters of the table of the
// same names come first), looked for every autovacuum_naptime, unless autovacuum or the table's autovacuum_enabled is off.
// Temporary tables are left to their sessions.
//
// Invariants:
// 1. Sessions are not disturbed. A table that somebody has locked against it waits for the next round; when somebody waits for
//    the table that it reads, it gives the table up. It is not in pg_stat_activity and takes no connection.
// 2. It leaves a database that is to be dropped.
// 3. Rounds in which nothing was committed since the last one do nothing.
// 4. A table whose expressions call functions that do not end keeps no other from being analyzed: it has half a minute and what
//    its size takes, and then is left alone for ten minutes, each time for twice as long, up to a day.
//
// Thread safety: all functions. One thread of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/ids.h"
#include "catalog/database.h"

namespace indigo::catalog {
struct RelationInfo;
}  // namespace indigo::catalog

namespace indigo::engine {

class GivingWay;
class InstanceImpl;

class AutoAnalyzer {
 public:
  explicit AutoAnalyzer(InstanceImpl& instance);
  ~AutoAnalyzer();  // stop()

  void stop();
  // Ends the work in the database; it continues with the next one.
  void leave(Oid database);

 private:
  void run();
  void round();
  void analyze(const std::shared_ptr<catalog::Database>& database);
  // Whether a table has been given up lately; and it is, with a line in the log.
  bool is_left_alone(Oid database, Oid table) const;
  void leave_alone(const catalog::Database& database, const catalog::RelationInfo& relation);

  InstanceImpl& instance_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  bool stop_ = false;
  Oid database_ = kInvalidOid;   // being worked in
  GivingWay* waiter_ = nullptr;  // of that work
  struct LeftAlone {
    std::chrono::minutes wait{0};
    std::chrono::steady_clock::time_point until;
  };
  std::map<std::pair<Oid, Oid>, LeftAlone> left_alone_;  // by database and table; the thread's alone
  std::thread thread_;
};

}  // namespace indigo::engine
