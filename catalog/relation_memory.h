// What relations and databases take of memory, from what storage counts (storage/memory/table_memory.h) and what catalog
// itself keeps: the encoded built-in rows, and counters of sequences.
//
// A table that has a primary key is that key's tree: its inner nodes are the index, its leaves the table.
// Thread safety: all functions; figures are read one after the other while others work.
#pragma once

#include <cstdint>

#include "catalog/descriptor/relation_info.h"
#include "catalog/tables/system_table.h"
#include "storage/memory/table_memory.h"

namespace indigo::storage {
class Table;
}

namespace indigo::catalog {

class Database;

// Nothing for what has no memory of its own.
storage::TableMemory table_memory(const storage::Table& table);

// The sizes of one relation with its indexes.
class RelationMemory {
 public:
  explicit RelationMemory(const RelationInfo& relation);

  uint64_t main() const;   // PostgreSQL's main fork: rows, older versions included, without those stored apart
  uint64_t table() const;  // with large rows
  uint64_t indexes() const;
  // Of one of its indexes; nothing for those that Indigo does not keep (some of system tables).
  uint64_t index(Oid index) const;

 private:
  // Which secondary index of a system table has this OID; -1: none that is kept.
  int system_index_number(Oid index) const;

  const RelationInfo& relation_;
  const storage::TableMemory memory_;
  const bool keyed_;  // by a primary key
};

// By kind; what is shared with other databases (clones' nodes, built-in rows) counts in each.
struct DatabaseMemory {
  uint64_t leaf_bytes = 0, inner_node_bytes = 0, version_bytes = 0, large_row_bytes = 0, index_bytes = 0;
  uint64_t built_in_bytes = 0, sequence_bytes = 0;

  uint64_t total() const {
    return leaf_bytes + inner_node_bytes + version_bytes + large_row_bytes + index_bytes + built_in_bytes +
           sequence_bytes;
  }
  DatabaseMemory& operator+=(const storage::TableMemory& table);
};
// Its own system tables, and all tables and sequences, those of open transactions included. Time grows with their number.
DatabaseMemory memory_of(const Database& database);
DatabaseMemory memory_of(const SystemTables& tables);

}  // namespace indigo::catalog
