// How often tables and indexes are scanned and how many rows that reads: pg_stat_user_tables and pg_stat_user_indexes.
//
// A session counts for itself: its counts are written by one thread at a time, the session's, with plain loads and stores, and
// read by anybody. Who asks adds up the sessions' counts and those of sessions that have ended.
// Thread safety: of() and Count::add() the session's thread; all else any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace indigo::engine::exec {

struct ScanTotals {
  uint64_t scans = 0, rows = 0;
};

class ScanCounts {
 public:
  class Count {
   public:
    void add(uint64_t scans, uint64_t rows) {
      scans_.store(scans_.load(std::memory_order_relaxed) + scans, std::memory_order_relaxed);
      rows_.store(rows_.load(std::memory_order_relaxed) + rows, std::memory_order_relaxed);
    }
    ScanTotals totals() const {
      return {scans_.load(std::memory_order_relaxed), rows_.load(std::memory_order_relaxed)};
    }

   private:
    std::atomic<uint64_t> scans_{0}, rows_{0};
  };

  explicit ScanCounts(Oid database) : database_(database) {}

  Oid database() const { return database_; }
  // Of a table that is read whole, or of an index. Stays where it is.
  Count& of(Oid relation);
  ScanTotals totals(Oid relation) const;
  std::vector<std::pair<Oid, ScanTotals>> all() const;

 private:
  const Oid database_;
  mutable std::mutex mutex_;  // held to add an entry, and by other threads to read
  std::unordered_map<Oid, std::unique_ptr<Count>> counts_;
};

// Of an instance.
class ScanCountRegistry {
 public:
  std::shared_ptr<ScanCounts> open(Oid database);
  void close(const std::shared_ptr<ScanCounts>& counts);
  ScanTotals of(Oid database, Oid relation) const;
  // From now on counted from zero: a relation, or with kInvalidOid all of the database.
  void reset(Oid database, Oid relation);
  // The database is gone.
  void forget(Oid database);

 private:
  using Key = std::pair<Oid, Oid>;  // database, relation
  ScanTotals sum(Oid database, Oid relation) const;

  mutable std::mutex mutex_;  // guards all below; taken before a session's
  std::vector<std::shared_ptr<ScanCounts>> open_;
  std::map<Key, ScanTotals> ended_;   // of sessions that are no more
  std::map<Key, ScanTotals> before_;  // what had been counted at the last reset
};

}  // namespace indigo::engine::exec
