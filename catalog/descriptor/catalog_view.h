// What the analyzer and the planner ask of the catalog, and with it SQL functions: one transaction's view of one database.
// Look-ups read the newest committed state plus the transaction's own changes (docs/theory.md, Writing), are cached,
// and are re-checked by their user after the table lock is held (`version`).
// Thread safety: one view belongs to one session. The descriptors it hands out are immutable and may be kept.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"
#include "types/function/catalog_context.h"
#include "types/oids.h"

namespace indigo::types {
struct FormatSettings;  // types/function/context.h
struct TypeOrder;       // types/function/registry.h
}  // namespace indigo::types

namespace indigo::catalog {

class RowReader;  // catalog/tables/system_table.h

class CatalogView : public types::CatalogContext {
 public:
  // Changes whenever committed DDL (or this transaction's own) may have changed any answer below.
  virtual uint64_t version() const = 0;

  virtual Oid database() const = 0;

  // ---- relations
  virtual std::shared_ptr<const RelationInfo> relation(Oid oid) = 0;  // also indexes, by their own oid
  virtual std::shared_ptr<const RelationInfo> relation_named(Oid schema, std::string_view name) = 0;
  // Along search_path when schema is empty.
  virtual std::shared_ptr<const RelationInfo> find_relation(std::string_view schema, std::string_view name) = 0;

  Oid relation_oid_named(std::string_view schema, std::string_view name) final {
    const auto found = find_relation(schema, name);
    return found == nullptr ? kInvalidOid : found->oid;
  }
  std::shared_ptr<const RowShape> row_shape(Oid oid) final { return relation(oid); }
  std::optional<std::vector<types::HashKeyPart>> hash_partition_key(Oid oid) final;

  // Of the text in values of a type: its collation's, or that of a type with an order of its own.
  const types::Collator* collator_of_type(const types::TypeRef& type);
  // How its values compare, under that collator; null: they do not.
  const types::TypeOrder* order_of_type(const types::TypeRef& type);

  // ---- the ordering and equality of a type: pg_opclass/pg_amop of its default btree class. Strategy 1..5 is < <= = >= >
  virtual Oid btree_operator(Oid type, int strategy) = 0;  // kInvalidOid when the type has no order
  // Which btree strategy `op` has for its left type (0: none).
  virtual int btree_strategy(Oid op) = 0;
  // The same in an operator class of users' own, for values of the class's type.
  virtual int strategy_in_class(Oid /*opclass*/, Oid /*op*/) { return 0; }
  virtual Oid operator_in_class(Oid /*opclass*/, int /*strategy*/) { return kInvalidOid; }
  // A class that is no type's default, and in whose order `op` is less (1) or greater (5); none: the strategy is 0. As a
  // collation of values, the class's OID stands for its order (collator()).
  struct OrderingClass {
    Oid opclass = kInvalidOid;
    int strategy = 0;
  };
  virtual OrderingClass ordering_class(Oid /*op*/) { return {}; }

  // ---- roles
  virtual bool is_superuser(Oid role) { return role == oid::kBootstrapSuperuser; }
  // Is `role` a member of (or the same as) `of`, directly or indirectly? Superusers are members of all.
  virtual bool has_role(Oid role, Oid of) { return role == of || is_superuser(role); }
  // Whether `role` acts with the rights of `of`: as has_role, but only through roles that inherit.
  virtual bool has_privileges_of(Oid role, Oid of) { return has_role(role, of); }
  // Superusers and roles with BYPASSRLS.
  virtual bool bypasses_row_security(Oid role) { return is_superuser(role); }
  // The current role.
  virtual Oid user() const { return oid::kBootstrapSuperuser; }
  // Whether the current role may look names up in the schema (USAGE).
  virtual bool may_use_schema(Oid schema) { return schema != kInvalidOid; }
  // How constants look in definitions that the user asks for; null: as in every session.
  virtual const types::FormatSettings* formats() const { return nullptr; }

  // ---- what the system information functions look up beside: rows of the system table with this pg_class OID whose key
  // begins with `prefix` (at most three values), or, when `index` is not negative, of that secondary index
  // (catalog/tables/system_indexes.h). Columns by catalog/generated/columns.h. Stops when visit answers false.
  virtual void system_table_rows(Oid /*table*/, int /*index*/, std::span<const Datum> /*prefix*/,
                                 const std::function<bool(const RowReader&)>& /*visit*/) {}
};

}  // namespace indigo::catalog
