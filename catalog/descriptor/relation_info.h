// Relations as the rest of the server uses them: immutable descriptors built from the system tables' rows.
// Names follow pg_class, pg_index, pg_constraint ... so that an expert finds the column behind each member.
// Thread safety: immutable after they were published through CatalogView; shared by pointer.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "catalog/descriptor/policy_info.h"
#include "catalog/descriptor/rule_info.h"
#include "catalog/types.h"
#include "types/value/datum.h"
#include "types/value/hash_key_part.h"

namespace indigo::storage {
class Table;
}

namespace indigo::catalog {

struct ExtendedStatistics;
struct TriggerSet;

struct IndexColumn {
  int16_t column = 0;      // attnum; 0: an expression
  std::string expression;  // SQL text when column == 0
  TypeRef type;
  Oid opclass = kInvalidOid;
  bool descending = false, nulls_first = false;
};

struct IndexInfo {
  Oid oid = kInvalidOid;
  std::string name;
  IndexId storage;  // zero: this is the primary key's tree itself
  bool unique = false, primary = false, valid = true, nulls_not_distinct = false;
  bool ready = true;                 // false: it has no storage, as what CREATE INDEX CONCURRENTLY could not build
  bool immediate = true;             // false: of a deferrable constraint, so duplicates may stand for a while
  bool constraint = false;           // made by PRIMARY KEY or UNIQUE
  std::vector<IndexColumn> columns;  // key columns
  std::vector<int16_t> included;     // INCLUDE columns
  std::string predicate;             // SQL text of a partial index, empty when none
  std::string method;                // pg_am.amname
  Oid parent = kInvalidOid;          // the partitioned index that this one belongs to
  KeyLayout key;
};

struct ConstraintInfo {
  Oid oid = kInvalidOid;
  std::string name;
  char kind = 'c';               // contype: c f p u t
  std::vector<int16_t> columns;  // conkey
  Oid index = kInvalidOid;       // p, u and the referenced index of f
  Oid foreign_relation = kInvalidOid;
  std::vector<int16_t> foreign_columns;
  char on_update = 'a', on_delete = 'a', match = 's';  // as pg_constraint: a r c n d / f p s
  std::vector<int16_t> delete_set_columns;
  bool deferrable = false, deferred = false, validated = true;
  bool no_inherit = false, is_local = true;
  int inherit_count = 0;
  Oid parent = kInvalidOid;  // the constraint of the partitioned table that this one belongs to
  std::string expression;    // SQL text of a check
};

enum class RelationKind : char {
  kTable = 'r',
  kIndex = 'i',
  kSequence = 'S',
  kView = 'v',
  kMaterializedView = 'm',
  kComposite = 'c',
  kPartitionedTable = 'p',
  kForeignTable = 'f',
  kPartitionedIndex = 'I'
};

// How a partitioned table divides its rows (pg_partitioned_table).
struct PartitionKeyColumn {
  int16_t column = 0;      // attnum; 0: an expression
  std::string expression;  // SQL text when column == 0
  TypeRef type;            // with the key's collation
  Oid opclass = kInvalidOid;
  Oid hash_function = kInvalidOid;  // of users' own, which the class has
};
struct PartitionKey {
  char strategy = 'r';  // r range, l list, h hash
  std::vector<PartitionKeyColumn> columns;
  KeyLayout layout;  // ascending, without null markers

  std::vector<types::HashKeyPart> hash_parts() const;
};

// Where the rows of a foreign table are (pg_foreign_table and what it refers to).
struct ForeignSource {
  Oid server = kInvalidOid;
  std::string wrapper;
  Oid handler = kInvalidOid;         // of the wrapper; kInvalidOid: none, so that the rows cannot be reached
  std::vector<std::string> options;  // of the table, "name=value"
};

// What a layer above makes of a descriptor when it first needs it, for all sessions that hold the descriptor.
// Thread safety: any thread; a second thread may make it too, and the last one stays.
class DerivedSlot {
 public:
  std::shared_ptr<const void> get() const {
    const std::lock_guard guard(mutex_);
    return value_;
  }
  void set(std::shared_ptr<const void> value) {
    const std::lock_guard guard(mutex_);
    value_ = std::move(value);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const void> value_;
};

// Planner statistics of a column, from ANALYZE (pg_statistic).
struct ColumnStatistics {
  float null_fraction = 0;
  int32_t average_width = 0;
  float distinct = 0;  // as stadistinct: negative is a multiple of the row count
  std::vector<OwnedDatum> common_values;
  std::vector<float> common_frequencies;
  std::vector<OwnedDatum> histogram;
};

struct RelationInfo : RowShape {
  std::string schema_name;
  RelationKind kind = RelationKind::kTable;
  char persistence = 'p';  // p permanent, u unlogged, t temporary
  Oid owner = kInvalidOid;
  // The tree's key: the primary key's columns, or the hidden row id (key_columns empty).
  std::vector<int16_t> key_columns;
  KeyLayout key;
  std::shared_ptr<storage::Table> table;  // null for views, sequences and so on
  std::vector<IndexInfo> indexes;         // the primary key's first, if any
  std::vector<ConstraintInfo> constraints;
  std::vector<ConstraintInfo>
      referenced_by;                         // foreign keys of other tables that point here: `foreign_relation` here is
  std::vector<Oid> referencing_relations;    // ... this relation; referencing_relations[i] owns referenced_by[i]
  std::string view_definition;               // SQL text with qualified names
  char check_option = 0;                     // of views: 'l' local, 'c' cascaded
  bool security_invoker = false;             // of views: their tables are read with the privileges of who reads them
  bool security_barrier = false;             // of views: what leaks is evaluated above them
  bool row_security = false;                 // of tables: policies say which rows a role sees and writes
  bool force_row_security = false;           // ... their owner, too
  std::vector<PolicyInfo> policies;          // by name
  double reltuples = -1;                     // from ANALYZE or CREATE INDEX
  std::vector<ColumnStatistics> statistics;  // by column, empty when never analyzed
  // The same of its rows and those of all tables below it; of a partitioned table, which has no rows of its own, empty.
  std::vector<ColumnStatistics> tree_statistics;
  std::shared_ptr<const std::vector<ExtendedStatistics>> extended_statistics;  // null: there are none
  // ---- inheritance and partitions
  std::vector<Oid> parents;   // pg_inherits, in order
  std::vector<Oid> children;  // direct ones, ascending
  // Partitions that DETACH ... CONCURRENTLY has marked and not yet let go of: no children any more, but for snapshots that are
  // older than the mark (SessionCatalog::relation). In such a partition, which keeps its parent: is_detaching.
  std::vector<Oid> detaching;
  bool is_detaching = false;
  bool is_partition = false;
  std::string partition_bound;                        // relpartbound (sql/partition/bound.h)
  std::shared_ptr<const PartitionKey> partition_key;  // partitioned tables
  std::vector<std::string> child_bounds;              // of a partitioned table's children
  std::shared_ptr<DerivedSlot> partition_map;         // sql/partition/partition_map.h
  std::shared_ptr<const TriggerSet> triggers;         // null: there are none
  std::shared_ptr<const RuleSet> rules;               // of changes; null: there are none
  std::shared_ptr<const ForeignSource> foreign;       // of foreign tables
  bool is_partitioned() const { return kind == RelationKind::kPartitionedTable; }
  bool is_foreign() const { return kind == RelationKind::kForeignTable; }
  bool has_hidden_row_id() const { return key_columns.empty(); }
  const ColumnInfo* find_column(std::string_view name) const;
  const IndexInfo* primary_index() const;
};

}  // namespace indigo::catalog
