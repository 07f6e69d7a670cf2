// Types as they were at some moment, and the catalog with these in the place of today's: for values that are read when it has
// others, or none. Built-in types need no keeping.
// Thread safety: TypesThen: immutable once made; CatalogThen: as the catalog that it is over.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/descriptor/catalog_view.h"
#include "catalog/descriptor/relation_info.h"
#include "catalog/descriptor/session_context.h"

namespace indigo::engine::replication {

struct TypesThen {
  using Relation = std::shared_ptr<const catalog::RelationInfo>;
  std::map<Oid, std::shared_ptr<const types::TypeInfo>> types;
  std::map<Oid, Relation> rows;        // of composite types, by relation
  std::map<Oid, std::string> schemas;  // their names

  // The type, as it is now, with the types that it is made of.
  void keep(catalog::CatalogView& catalog, Oid type);
};

class CatalogThen final : public catalog::CatalogView {
 public:
  CatalogThen(catalog::CatalogView& now, const TypesThen& then) : now_(now), then_(then) {}

  std::shared_ptr<const types::TypeInfo> type(Oid oid) override;
  // What is there no longer, or by another name, is found under the name that it had.
  std::shared_ptr<const types::TypeInfo> find_type(std::string_view schema, std::string_view name) override;
  std::shared_ptr<const catalog::RelationInfo> relation(Oid oid) override;
  std::string schema_name(Oid schema) override;

  uint64_t version() const override { return now_.version(); }
  Oid database() const override { return now_.database(); }
  std::string_view database_name() const override { return now_.database_name(); }
  std::vector<Oid> search_path() override { return now_.search_path(); }
  Oid schema_named(std::string_view name) override { return now_.schema_named(name); }
  Oid creation_schema() override { return now_.creation_schema(); }
  std::shared_ptr<const catalog::RelationInfo> relation_named(Oid schema, std::string_view name) override {
    return now_.relation_named(schema, name);
  }
  std::shared_ptr<const catalog::RelationInfo> find_relation(std::string_view schema, std::string_view name) override {
    return now_.find_relation(schema, name);
  }
  std::vector<std::shared_ptr<const types::FunctionInfo>> functions_named(std::string_view schema,
                                                                          std::string_view name) override {
    return now_.functions_named(schema, name);
  }
  std::shared_ptr<const types::FunctionInfo> function(Oid oid) override { return now_.function(oid); }
  const types::AggregateInfo* aggregate(Oid function) override { return now_.aggregate(function); }
  std::vector<const types::OperatorInfo*> operators_named(std::string_view schema, std::string_view name) override {
    return now_.operators_named(schema, name);
  }
  const types::OperatorInfo* operator_by_oid(Oid oid) override { return now_.operator_by_oid(oid); }
  const types::CastInfo* cast(Oid source, Oid target) override { return now_.cast(source, target); }
  Oid btree_operator(Oid type, int strategy) override { return now_.btree_operator(type, strategy); }
  int btree_strategy(Oid op) override { return now_.btree_strategy(op); }
  Oid find_collation(std::string_view schema, std::string_view name) override {
    return now_.find_collation(schema, name);
  }
  std::string collation_name(Oid collation) override { return now_.collation_name(collation); }
  const types::Collator* collator(Oid collation) override { return now_.collator(collation); }
  const types::Letters* letters(Oid collation) override { return now_.letters(collation); }
  const types::Collator* case_insensitive() override { return now_.case_insensitive(); }
  const types::Collator* defined_order(Oid type) override { return now_.defined_order(type); }
  const types::Collator* member_orders() override { return now_.member_orders(); }
  Oid role_named(std::string_view name) override { return now_.role_named(name); }
  std::string role_name(Oid role) override { return now_.role_name(role); }
  Oid user() const override { return now_.user(); }
  bool may_use_schema(Oid schema) override { return now_.may_use_schema(schema); }
  const types::FormatSettings* formats() const override { return now_.formats(); }
  void system_table_rows(Oid table, int index, std::span<const Datum> prefix,
                         const std::function<bool(const catalog::RowReader&)>& visit) override {
    now_.system_table_rows(table, index, prefix, visit);
  }

 private:
  catalog::CatalogView& now_;
  const TypesThen& then_;
};

}  // namespace indigo::engine::replication
