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
//
// Thread safety: all functions. One thread of its own.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "base/ids.h"
#include "catalog/database.h"

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

  InstanceImpl& instance_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  bool stop_ = false;
  Oid database_ = kInvalidOid;   // being worked in
  GivingWay* waiter_ = nullptr;  // of that work
  std::thread thread_;
};

}  // namespace indigo::engine
