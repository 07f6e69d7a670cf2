// What ANALYZE has seen of each table, and when: pg_stat_user_tables' columns about it, and what the automatic one goes by.
// Kept in memory only: after a restart a table counts as analyzed when it was loaded.
// Thread safety: all functions.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "base/ids.h"
#include "catalog/descriptor/relation_info.h"

namespace indigo::engine {

class TableActivity {
 public:
  struct Analyzed {
    TableId table;                                // a table rewritten since then has other rows
    uint64_t changes = 0;                         // storage::changes_of before its rows were read
    int64_t last_manual = 0, last_automatic = 0;  // timestamps; 0: never
    int64_t manual = 0, automatic = 0;            // how often
  };

  void analyzed(Oid database, const catalog::RelationInfo& relation, uint64_t changes, bool automatic);
  Analyzed of(Oid database, Oid relation) const;
  // Rows inserted, updated and deleted by committed transactions since the last ANALYZE.
  uint64_t changes_since(Oid database, const catalog::RelationInfo& relation) const;
  void forget(Oid database);

 private:
  mutable std::mutex mutex_;  // guards analyzed_
  std::map<std::pair<Oid, Oid>, Analyzed> analyzed_;
};

}  // namespace indigo::engine
