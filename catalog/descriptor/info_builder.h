// Rows of the system tables to descriptors. Reads the newest state that `txn` sees.
// Thread safety: one builder belongs to one reader; what it makes is immutable.
#pragma once

#include <functional>
#include <memory>

#include "catalog/database.h"
#include "catalog/descriptor/catalog_view.h"
#include "catalog/descriptor/relation_info.h"
#include "catalog/tables/system_table.h"

namespace indigo::catalog {

class InfoBuilder {
 public:
  using TypeLookup = std::function<std::shared_ptr<const TypeInfo>(Oid)>;
  using CollatorLookup = std::function<const Collator*(Oid)>;
  InfoBuilder(Database& database, storage::Transaction& txn, TypeLookup types, CollatorLookup collators)
      : database_(database), txn_(txn), types_(std::move(types)), collators_(std::move(collators)) {}

  // Null when there is no such row.
  std::shared_ptr<const RelationInfo> relation(Oid oid);
  // Only what its pg_class row says, and its parents: name, schema, kind, owner.
  std::shared_ptr<const RelationInfo> head(Oid oid);
  // The same of its descriptor as it was before these parts have changed, and of their rows.
  std::shared_ptr<const RelationInfo> renewed(const RelationInfo& before, RelationParts parts);
  // `relation` with an index that was added to it; what else has changed since is not looked at.
  std::shared_ptr<const RelationInfo> with_index(const RelationInfo& relation, Oid index);
  std::shared_ptr<const TypeInfo> type(Oid oid);
  std::shared_ptr<const FunctionInfo> function(Oid oid);
  // Null when there is none of users' own.
  std::unique_ptr<AggregateInfo> aggregate(Oid function);

 private:
  std::shared_ptr<RelationInfo> class_of(const RowReader& row);
  void add_class(RelationInfo& relation, const RowReader& row);
  std::shared_ptr<const RelationInfo> system_relation(const StaticTable& table);
  SequenceOptions sequence_options(Oid sequence);
  void add_columns(RelationInfo& relation);
  void add_defaults(RelationInfo& relation);
  void add_identity_defaults(RelationInfo& relation);
  void add_indexes(RelationInfo& relation);
  void add_constraints(RelationInfo& relation);
  void add_inheritance(RelationInfo& relation, const RowReader& row);
  void add_partition_key(RelationInfo& relation);
  void add_foreign_source(RelationInfo& relation);
  Oid hash_function(Oid opclass);
  void add_view(RelationInfo& relation);
  void add_triggers(RelationInfo& relation);
  void add_rules(RelationInfo& relation);
  void add_row_security(RelationInfo& relation, RowReader row);
  void add_row_security_flags(RelationInfo& relation, const RowReader& row);
  void add_statistics(RelationInfo& relation);
  void add_extended_statistics(RelationInfo& relation);
  IndexInfo index(const RelationInfo& relation, RowReader row);
  KeyColumn key_column(const TypeRef& type) const;
  // In the class's order, if it is one of users' own. Its labels are the class's, not a key's.
  KeyColumn key_column(const TypeRef& type, Oid opclass) const;
  // Of a base type of users' own: `like` and `comparison`.
  void add_base_type(TypeInfo& type);
  void add_range(TypeInfo& type);
  // Says in the instance's MemberOrders how the type's values compare within others.
  void keep_member_order(const std::shared_ptr<const TypeInfo>& type);
  std::string schema_name(Oid schema);

  Database& database_;
  storage::Transaction& txn_;
  TypeLookup types_;
  CollatorLookup collators_;
};

// How values of a type are ordered in keys: domains as their base.
KeyColumn key_column_of(const TypeRef& type, CatalogView& catalog);

}  // namespace indigo::catalog
