// The built-in types, functions, operators, casts and collations, as descriptors made on demand from the constant tables.
// What users define is looked up elsewhere (SessionCatalog).
// Thread safety: all functions are safe from any thread. Pointers live as long as the Builtins.
#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "types/builtin/static_table.h"
#include "types/type_info.h"

namespace indigo::types {

class Builtins {
 public:
  Builtins();
  ~Builtins();

  // ---- types. Null when there is none built in.
  std::shared_ptr<const TypeInfo> type(Oid oid) const;
  Oid type_named(Oid schema, std::string_view name) const;

  // ---- functions
  std::shared_ptr<const FunctionInfo> function(Oid oid) const;
  // Appends every built-in function of that name in the schema.
  void functions_named(Oid schema, std::string_view name, std::vector<std::shared_ptr<const FunctionInfo>>& out) const;
  const AggregateInfo* aggregate(Oid function) const;
  // The aggregate of these arguments with the same kind, transition, state and final function; kInvalidOid: none.
  Oid aggregate_like(const AggregateInfo& wanted, std::span<const Oid> arguments) const;

  // ---- operators, casts
  const OperatorInfo* operator_by_oid(Oid oid) const;
  void operators_named(std::string_view name, std::vector<const OperatorInfo*>& out) const;  // all in pg_catalog
  const CastInfo* cast(Oid source, Oid target) const;

  // ---- btree operator classes
  // The operator of the default btree class that accepts exactly this input type (no coercions).
  Oid btree_operator(Oid type, int strategy) const;
  int btree_strategy(Oid op) const;
  // The default class of an access method (403 btree, 405 hash ...) for exactly this input type; pg_opclass OID.
  Oid default_opclass(Oid method, Oid type) const;
  // By name within pg_catalog; kInvalidOid when there is none.
  Oid opclass_named(Oid method, std::string_view name) const;
  Oid opclass_family(Oid opclass) const;
  Oid opclass_input(Oid opclass) const;

  static Phys phys_of(Oid type);  // the physical kind of a built-in type; kStr for all others

 private:
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace indigo::types
