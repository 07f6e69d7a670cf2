// What the analyzer, the planner and SQL functions ask of the catalog: one transaction's view of one database.
// Look-ups read the newest committed state plus the transaction's own changes (docs/theory.md, Writing), are cached,
// and are re-checked by their user after the table lock is held (`version`).
// Thread safety: one view belongs to one session. The descriptors it hands out are immutable and may be kept.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "catalog/collator.h"
#include "catalog/info.h"
#include "catalog/oids.h"

namespace indigo::catalog {

class RowReader;  // catalog/system_table.h

class CatalogView {
 public:
  virtual ~CatalogView() = default;

  // Changes whenever committed DDL (or this transaction's own) may have changed any answer below.
  virtual uint64_t version() const = 0;

  virtual Oid database() const = 0;
  virtual std::string_view database_name() const = 0;

  // ---- schemas. search_path() is the effective one: pg_catalog first unless listed, "$user" resolved, missing
  // schemas left out; pg_temp first when the session has one.
  virtual std::vector<Oid> search_path() = 0;
  virtual Oid schema_named(std::string_view name) = 0;  // kInvalidOid when there is none
  virtual std::string schema_name(Oid schema) = 0;      // empty when there is none
  virtual Oid creation_schema() = 0;                    // first of search_path that objects are created in

  // ---- relations
  virtual std::shared_ptr<const RelationInfo> relation(Oid oid) = 0;  // also indexes, by their own oid
  virtual std::shared_ptr<const RelationInfo> relation_named(Oid schema, std::string_view name) = 0;
  // Along search_path when schema is empty.
  virtual std::shared_ptr<const RelationInfo> find_relation(std::string_view schema, std::string_view name) = 0;

  // ---- types
  virtual std::shared_ptr<const TypeInfo> type(Oid oid) = 0;
  virtual std::shared_ptr<const TypeInfo> find_type(std::string_view schema, std::string_view name) = 0;

  // ---- functions and operators: every candidate of that name, in search_path order (schema empty) or in the schema
  virtual std::vector<std::shared_ptr<const FunctionInfo>> functions_named(std::string_view schema,
                                                                           std::string_view name) = 0;
  virtual std::shared_ptr<const FunctionInfo> function(Oid oid) = 0;
  virtual const AggregateInfo* aggregate(Oid function) = 0;
  virtual std::vector<const OperatorInfo*> operators_named(std::string_view schema, std::string_view name) = 0;
  virtual const OperatorInfo* operator_by_oid(Oid oid) = 0;
  virtual const CastInfo* cast(Oid source, Oid target) = 0;

  // ---- the ordering and equality of a type: pg_opclass/pg_amop of its default btree class. Strategy 1..5 is < <= = >= >
  virtual Oid btree_operator(Oid type, int strategy) = 0;  // kInvalidOid when the type has no order
  // Which btree strategy `op` has for its left type (0: none).
  virtual int btree_strategy(Oid op) = 0;

  // ---- collations, roles
  virtual Oid find_collation(std::string_view schema, std::string_view name) = 0;
  virtual std::string collation_name(Oid collation) = 0;
  // Null: C order. A collator lives as long as the instance.
  virtual const Collator* collator(Oid collation) { return (void)collation, nullptr; }
  virtual Oid role_named(std::string_view name) = 0;
  virtual std::string role_name(Oid role) = 0;
  virtual bool is_superuser(Oid role) { return role == oid::kBootstrapSuperuser; }
  // Is `role` a member of (or the same as) `of`, directly or indirectly? Superusers are members of all.
  virtual bool has_role(Oid role, Oid of) { return role == of || is_superuser(role); }
  // Whether the current role may look names up in the schema (USAGE).
  virtual bool may_use_schema(Oid schema) { return schema != kInvalidOid; }

  // ---- what the system information functions look up beside: rows of the system table with this pg_class OID whose key
  // begins with `prefix` (at most three values), or, when `index` is not negative, of that secondary index
  // (catalog/system_indexes.h). Columns by catalog/generated/columns.h. Stops when visit answers false.
  virtual void system_table_rows(Oid table, int index, std::span<const Datum> prefix,
                                 const std::function<bool(const RowReader&)>& visit) {
    (void)table, (void)index, (void)prefix, (void)visit;
  }
};

}  // namespace indigo::catalog
