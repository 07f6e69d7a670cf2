#include "engine/exec/scan/index_session.h"

#include "base/sqlstate.h"
#include "catalog/descriptor/session_context.h"
#include "types/oids.h"

namespace indigo::engine::exec {

namespace {

const types::Builtins& builtins() {
  static const types::Builtins all;  // constant tables
  return all;
}

class IndexCatalog final : public catalog::CatalogView {
 public:
  explicit IndexCatalog(std::shared_ptr<const KeptTypes> types) : types_(std::move(types)) {}

  uint64_t version() const override { return 0; }
  Oid database() const override { return kInvalidOid; }
  std::string_view database_name() const override { return ""; }
  std::vector<Oid> search_path() override { return {oid::kPgCatalogSchema}; }
  Oid schema_named(std::string_view name) override {
    return name == "pg_catalog" ? oid::kPgCatalogSchema : kInvalidOid;
  }
  std::string schema_name(Oid schema) override { return schema == oid::kPgCatalogSchema ? "pg_catalog" : ""; }
  Oid creation_schema() override { return kInvalidOid; }
  std::shared_ptr<const catalog::RelationInfo> relation(Oid) override { return nullptr; }
  std::shared_ptr<const catalog::RelationInfo> relation_named(Oid, std::string_view) override { return nullptr; }
  std::shared_ptr<const catalog::RelationInfo> find_relation(std::string_view, std::string_view) override {
    return nullptr;
  }
  std::shared_ptr<const types::TypeInfo> type(Oid oid) override {
    const auto at = types_->by_oid.find(oid);
    return at == types_->by_oid.end() ? builtins().type(oid) : at->second;
  }
  std::shared_ptr<const types::TypeInfo> find_type(std::string_view, std::string_view name) override {
    const Oid oid = builtins().type_named(oid::kPgCatalogSchema, name);
    return oid == kInvalidOid ? nullptr : builtins().type(oid);
  }
  std::vector<std::shared_ptr<const types::FunctionInfo>> functions_named(std::string_view,
                                                                          std::string_view name) override {
    std::vector<std::shared_ptr<const types::FunctionInfo>> out;
    builtins().functions_named(oid::kPgCatalogSchema, name, out);
    return out;
  }
  std::shared_ptr<const types::FunctionInfo> function(Oid oid) override { return builtins().function(oid); }
  const types::AggregateInfo* aggregate(Oid function) override { return builtins().aggregate(function); }
  std::vector<const types::OperatorInfo*> operators_named(std::string_view, std::string_view name) override {
    std::vector<const types::OperatorInfo*> out;
    builtins().operators_named(name, out);
    return out;
  }
  const types::OperatorInfo* operator_by_oid(Oid oid) override { return builtins().operator_by_oid(oid); }
  const types::CastInfo* cast(Oid source, Oid target) override { return builtins().cast(source, target); }
  Oid btree_operator(Oid type, int strategy) override { return builtins().btree_operator(type, strategy); }
  int btree_strategy(Oid op) override { return builtins().btree_strategy(op); }
  Oid find_collation(std::string_view, std::string_view) override { return kInvalidOid; }
  std::string collation_name(Oid) override { return ""; }
  const types::Collator* collator(Oid collation) override { return kept(types_->collators, collation); }
  const types::Collator* case_insensitive() override { return types_->case_insensitive; }
  const types::Letters* letters(Oid collation) override {
    const auto at = types_->letters.find(collation);
    return at == types_->letters.end() ? nullptr : at->second;
  }
  const types::Collator* defined_order(Oid type) override { return kept(types_->orders, type); }
  const types::Collator* member_orders() override { return types_->member_orders; }
  Oid role_named(std::string_view) override { return kInvalidOid; }
  std::string role_name(Oid) override { return ""; }

 private:
  static const types::Collator* kept(const std::map<Oid, const types::Collator*>& collators, Oid oid) {
    const auto at = collators.find(oid);
    return at == collators.end() ? nullptr : at->second;
  }

  std::shared_ptr<const KeptTypes> types_;
};

Error no_session() { return Error(sqlstate::kFeatureNotSupported, "index expressions have no session"); }

class IndexSession final : public catalog::SessionContext, public types::TextSearchSession {
 public:
  IndexSession(std::shared_ptr<const KeptTypes> types, ConfigurationsByOid configurations,
               std::shared_ptr<IndexRoutines> routines)
      : catalog_(std::move(types)), configurations_(std::move(configurations)), routines_(std::move(routines)) {}

  const types::FormatSettings& format() override { return format_; }
  catalog::CatalogView& catalog() override { return catalog_; }
  int64_t transaction_timestamp() override { return 0; }
  int64_t statement_timestamp() override { return 0; }
  std::string current_user() override { return ""; }
  std::string session_user() override { return ""; }
  int32_t backend_pid() override { return 0; }
  bool setting(std::string_view, std::string&) override { return false; }
  Status set_setting(std::string_view, std::string_view, bool) override { return no_session(); }
  Result<int64_t> nextval(Oid) override { return no_session(); }
  Result<int64_t> currval(Oid) override { return no_session(); }
  Result<int64_t> lastval() override { return no_session(); }
  Status setval(Oid, int64_t, bool) override { return no_session(); }
  Status sleep(double) override { return no_session(); }
  Status system_rows(std::string_view, std::span<const Datum>,
                     const std::function<void(std::span<const Datum>)>&) override {
    return no_session();
  }
  Result<OwnedDatum> system_value(std::string_view, std::span<const Datum>) override { return no_session(); }
  Result<OwnedDatum> call_routine(const types::CallInfo& call, std::span<const Datum> arguments) override {
    if (routines_ == nullptr) return catalog::SessionContext::call_routine(call, arguments);
    return routines_->call(call, arguments);
  }

  Result<types::ConfigurationPtr> text_search_configuration(Oid oid) override {
    const auto found = configurations_.find(oid);
    if (found == configurations_.end()) return no_session();
    return found->second;
  }
  Result<types::DictionaryPtr> text_search_dictionary(Oid) override { return no_session(); }
  Result<Oid> current_text_search_configuration() override { return no_session(); }
  Oid find_text_search(types::TextSearchKind, std::string_view, std::string_view) override { return kInvalidOid; }
  std::optional<types::TextSearchName> text_search_name(types::TextSearchKind, Oid) override { return std::nullopt; }
  Status try_text_search_dictionary(Oid, std::string_view) override { return no_session(); }
  void text_search_notice(const Error&) override {}

 private:
  types::FormatSettings format_;
  IndexCatalog catalog_;
  ConfigurationsByOid configurations_;
  std::shared_ptr<IndexRoutines> routines_;
};

}  // namespace

std::unique_ptr<catalog::SessionContext> make_index_session(std::shared_ptr<const KeptTypes> types,
                                                            ConfigurationsByOid configurations,
                                                            std::shared_ptr<IndexRoutines> routines) {
  return std::make_unique<IndexSession>(std::move(types), std::move(configurations), std::move(routines));
}

}  // namespace indigo::engine::exec
