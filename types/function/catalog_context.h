// What functions and types' forms ask of the catalog: names, types, collations, roles and the columns of composite types,
// as one transaction sees them in one database. catalog/ implements it (catalog/descriptor/catalog_view.h).
// Thread safety: belongs to one session. The descriptors it hands out are immutable and may be kept.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "types/row_shape.h"
#include "types/type_info.h"
#include "types/value/collator.h"
#include "types/value/hash_key_part.h"

namespace indigo::types {

class Letters;

class CatalogContext {
 public:
  virtual ~CatalogContext() = default;

  virtual std::string_view database_name() const = 0;

  // ---- schemas. search_path() is the effective one: pg_catalog first unless listed, "$user" resolved, missing
  // schemas left out; pg_temp first when the session has one.
  virtual std::vector<Oid> search_path() = 0;
  virtual Oid schema_named(std::string_view name) = 0;  // kInvalidOid when there is none
  virtual std::string schema_name(Oid schema) = 0;      // empty when there is none
  virtual Oid creation_schema() = 0;                    // first of search_path that objects are created in

  // ---- relations. Names are looked up along search_path when schema is empty; kInvalidOid, null: none.
  virtual Oid relation_oid_named(std::string_view schema, std::string_view name) = 0;
  virtual std::shared_ptr<const RowShape> row_shape(Oid relation) = 0;
  // A hash-partitioned table's key; none for other relations.
  virtual std::optional<std::vector<HashKeyPart>> hash_partition_key(Oid relation) = 0;

  // ---- types
  virtual std::shared_ptr<const TypeInfo> type(Oid oid) = 0;
  virtual std::shared_ptr<const TypeInfo> find_type(std::string_view schema, std::string_view name) = 0;

  // ---- functions, operators, casts, aggregates. By name: every candidate, in search_path order (schema empty) or in the
  // schema. Pointers live until the session's next transaction.
  virtual std::vector<std::shared_ptr<const FunctionInfo>> functions_named(std::string_view schema,
                                                                           std::string_view name) = 0;
  virtual std::shared_ptr<const FunctionInfo> function(Oid oid) = 0;
  virtual std::vector<const OperatorInfo*> operators_named(std::string_view schema, std::string_view name) = 0;
  virtual const OperatorInfo* operator_by_oid(Oid oid) = 0;
  virtual const CastInfo* cast(Oid source, Oid target) = 0;
  virtual const AggregateInfo* aggregate(Oid function) = 0;

  // ---- collations, roles
  virtual Oid find_collation(std::string_view schema, std::string_view name) = 0;
  virtual std::string collation_name(Oid collation) = 0;
  // Null: C order. A collator lives as long as the instance; oid::kDefaultCollation is the database's own.
  virtual const Collator* collator(Oid) { return nullptr; }
  // Null: ASCII's. They live as long, too.
  virtual const Letters* letters(Oid /*collation*/) { return nullptr; }
  // citext's order in this database.
  virtual const Collator* case_insensitive() { return &Collator::case_insensitive(); }
  // The order of an extension's type (types/extension/extension.h) as it is in this database.
  const Collator* in_database(const Collator* own_order) {
    return own_order == &Collator::case_insensitive() ? case_insensitive() : own_order;
  }
  // False of collations that contradict each other.
  bool orders_by_bytes(Oid collation) {
    return is_c_collation(collation) || (collation != oid::kConflictingCollations && collator(collation) == nullptr);
  }
  // The order that a default operator class of users' own gives values of the type (Collator::values()); null: none does. Lives
  // as long as the instance.
  virtual const Collator* defined_order(Oid /*type*/) { return nullptr; }
  // What arrays and records of users' types compare under (Collator::members()); null: nothing is known of such types.
  virtual const Collator* member_orders() { return nullptr; }
  virtual Oid role_named(std::string_view name) = 0;
  virtual std::string role_name(Oid role) = 0;
};

}  // namespace indigo::types
