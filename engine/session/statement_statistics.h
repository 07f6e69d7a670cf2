// What pg_stat_statements shows: how often each statement has run in the whole server, how long, and with how many rows.
// Statements that differ in their constants are one. Kept while the server runs, for the statements that run most often; nothing
// is counted unless shared_preload_libraries names pg_stat_statements.
//
// Thread safety: all functions; one mutex, held for no longer than a look-up or a copy of the table.
// Source: PostgreSQL 15's manual, pg_stat_statements.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.h"

namespace indigo::engine {

class StatementStatistics {
 public:
  struct Key {
    Oid user = kInvalidOid, database = kInvalidOid;
    int64_t query = 0;
    bool top = true;  // sent by a client, not within another
    friend bool operator==(const Key&, const Key&) = default;
  };
  // Milliseconds. `deviations`: the sum of squares of differences from the mean (Welford).
  struct Times {
    int64_t calls = 0;
    double total = 0, least = 0, most = 0, mean = 0, deviations = 0;
    double standard_deviation() const;
    void add(double milliseconds);
  };
  struct Entry {
    Key key;
    std::string text;
    Times plans, runs;
    int64_t rows = 0;
  };

  // False when there is no such statement yet: add() makes it.
  enum class Kind : uint8_t { kPlan, kRun };
  bool count(const Key& key, Kind kind, std::chrono::nanoseconds time, uint64_t rows);
  void add(const Key& key, std::string text);
  // How many statements there is room for: pg_stat_statements.max. Before any is counted.
  void set_most(size_t most) { most_ = most; }
  std::vector<Entry> entries() const;
  // Forgets the statements of this user, database and number; of all where one is 0.
  void reset(Oid user, Oid database, int64_t query, int64_t now);

  struct Info {
    int64_t dropped = 0;   // times that rare statements have made room
    int64_t reset_at = 0;  // microseconds since 2000-01-01
  };
  Info info() const;
  void set_start(int64_t now);

 private:
  void make_room();

  struct Hash {
    size_t operator()(const Key& key) const {
      return std::hash<int64_t>()(key.query) ^ (uint64_t{key.user} << 32 | key.database) ^ uint64_t { key.top } << 63;
    }
  };
  size_t most_ = 5000;
  mutable std::mutex mutex_;
  std::unordered_map<Key, Entry, Hash> entries_;
  Info info_;
};

}  // namespace indigo::engine
