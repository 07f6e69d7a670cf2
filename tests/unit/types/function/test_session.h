// A session for function tests: the built-in catalog, fixed settings and time, sequences by OID.
#pragma once

#include <map>

#include "base/sqlstate.h"
#include "types/builtin/builtins.h"
#include "types/function/context.h"
#include "types/oids.h"

namespace indigo::types {

// pg_catalog and public, and nothing that users make.
class BuiltinView : public CatalogContext {
 public:
  std::string_view database_name() const override { return "postgres"; }
  std::vector<Oid> search_path() override { return {oid::kPgCatalogSchema, oid::kPublicSchema}; }
  Oid schema_named(std::string_view name) override {
    return name == "pg_catalog" ? oid::kPgCatalogSchema : name == "public" ? oid::kPublicSchema : kInvalidOid;
  }
  std::string schema_name(Oid schema) override {
    return schema == oid::kPgCatalogSchema ? "pg_catalog" : schema == oid::kPublicSchema ? "public" : "";
  }
  Oid creation_schema() override { return oid::kPublicSchema; }
  Oid relation_oid_named(std::string_view, std::string_view name) override {
    for (const auto& [oid, r] : relations)
      if (r->name == name) return oid;
    return kInvalidOid;
  }
  std::shared_ptr<const RowShape> row_shape(Oid oid) override {
    const auto it = relations.find(oid);
    return it == relations.end() ? nullptr : it->second;
  }
  std::optional<std::vector<HashKeyPart>> hash_partition_key(Oid) override { return std::nullopt; }
  std::shared_ptr<const TypeInfo> type(Oid oid) override {
    const auto it = types.find(oid);
    return it == types.end() ? builtins_.type(oid) : it->second;
  }
  std::shared_ptr<const TypeInfo> find_type(std::string_view, std::string_view name) override {
    for (const auto& [oid, t] : types)
      if (t->name == name) return t;
    const Oid oid = builtins_.type_named(oid::kPgCatalogSchema, name);
    return oid == kInvalidOid ? nullptr : builtins_.type(oid);
  }
  std::vector<std::shared_ptr<const FunctionInfo>> functions_named(std::string_view, std::string_view name) override {
    std::vector<std::shared_ptr<const FunctionInfo>> out;
    builtins_.functions_named(oid::kPgCatalogSchema, name, out);
    return out;
  }
  std::shared_ptr<const FunctionInfo> function(Oid oid) override { return builtins_.function(oid); }
  std::vector<const OperatorInfo*> operators_named(std::string_view, std::string_view name) override {
    std::vector<const OperatorInfo*> out;
    builtins_.operators_named(name, out);
    return out;
  }
  const OperatorInfo* operator_by_oid(Oid oid) override { return builtins_.operator_by_oid(oid); }
  const CastInfo* cast(Oid source, Oid target) override { return builtins_.cast(source, target); }
  const AggregateInfo* aggregate(Oid function) override { return builtins_.aggregate(function); }
  Oid find_collation(std::string_view, std::string_view name) override {
    return name == "default" ? oid::kDefaultCollation : name == "C" ? oid::kCCollation : kInvalidOid;
  }
  std::string collation_name(Oid collation) override {
    return collation == oid::kDefaultCollation ? "default" : collation == oid::kCCollation ? "C" : "";
  }
  Oid role_named(std::string_view name) override { return name == "postgres" ? oid::kBootstrapSuperuser : kInvalidOid; }
  std::string role_name(Oid role) override { return role == oid::kBootstrapSuperuser ? "postgres" : ""; }

  std::map<Oid, std::shared_ptr<const RowShape>> relations;
  std::map<Oid, std::shared_ptr<const TypeInfo>> types;

 private:
  Builtins builtins_;
};

class TestSession : public SessionContext {
 public:
  TestSession() { settings.time_zone = "America/New_York"; }
  const FormatSettings& format() override { return settings; }
  CatalogContext& catalog() override { return view; }
  int64_t transaction_timestamp() override { return 0; }
  int64_t statement_timestamp() override { return 0; }
  std::string current_user() override { return "postgres"; }
  std::string session_user() override { return "postgres"; }
  int32_t backend_pid() override { return 4711; }
  bool setting(std::string_view name, std::string& value) override {
    const auto it = values.find(std::string(name));
    if (it == values.end()) return false;
    value = it->second;
    return true;
  }
  Status set_setting(std::string_view name, std::string_view value, bool) override {
    values[std::string(name)] = value;
    return {};
  }
  Result<int64_t> nextval(Oid sequence) override { return last_ = ++sequences[sequence]; }
  Result<int64_t> currval(Oid sequence) override { return sequences[sequence]; }
  Result<int64_t> lastval() override { return last_; }
  Status setval(Oid sequence, int64_t value, bool is_called) override {
    sequences[sequence] = is_called ? value : value - 1;
    return {};
  }
  Status sleep(double) override { return {}; }
  Status system_rows(std::string_view, std::span<const Datum>,
                     const std::function<void(std::span<const Datum>)>&) override {
    return Error(sqlstate::kUndefinedFunction, "no such function here");
  }
  Result<OwnedDatum> system_value(std::string_view, std::span<const Datum>) override {
    return Error(sqlstate::kUndefinedFunction, "no such function here");
  }

  FormatSettings settings;
  BuiltinView view;
  std::map<std::string, std::string, std::less<>> values = {{"work_mem", "4MB"}};
  std::map<Oid, int64_t> sequences;

 private:
  int64_t last_ = 0;
};

}  // namespace indigo::types
