// A session that only has a catalog: enough for output functions when expressions are printed. Formats are the defaults
// (ISO dates), so that what was printed reads the same in every session, unless others are given.
// Thread safety: as the catalog view it wraps.
#pragma once

#include "base/sqlstate.h"
#include "catalog/descriptor/session_context.h"
#include "catalog/descriptor/text_search_names.h"
#include "types/function/context.h"

namespace indigo::sql {

class CatalogOnlySession final : public catalog::SessionContext, public types::TextSearchSession {
 public:
  explicit CatalogOnlySession(catalog::CatalogView& catalog, const types::FormatSettings* format = nullptr)
      : catalog_(catalog), format_(format != nullptr ? *format : types::FormatSettings()) {}

  const types::FormatSettings& format() override { return format_; }
  catalog::CatalogView& catalog() override { return catalog_; }
  int64_t transaction_timestamp() override { return 0; }
  int64_t statement_timestamp() override { return 0; }
  std::string current_user() override { return {}; }
  std::string session_user() override { return {}; }
  int32_t backend_pid() override { return 0; }
  bool setting(std::string_view, std::string&) override { return false; }
  Status set_setting(std::string_view, std::string_view, bool) override { return refuse(); }
  Result<int64_t> nextval(Oid) override { return refuse(); }
  Result<int64_t> currval(Oid) override { return refuse(); }
  Result<int64_t> lastval() override { return refuse(); }
  Status setval(Oid, int64_t, bool) override { return refuse(); }
  Status sleep(double) override { return refuse(); }
  Status system_rows(std::string_view, std::span<const Datum>,
                     const std::function<void(std::span<const Datum>)>&) override {
    return refuse();
  }
  // Names in constants ('s.t'::regclass) ask for their schema.
  Result<OwnedDatum> system_value(std::string_view function, std::span<const Datum> arguments) override {
    if (function != "has_schema_privilege_id") return refuse();
    return OwnedDatum(Datum::of(catalog_.may_use_schema(arguments[0].oid())));
  }

  // Names of configurations and dictionaries in constants.
  Oid find_text_search(types::TextSearchKind kind, std::string_view schema, std::string_view name) override {
    return catalog::find_text_search(catalog_, kind, schema, name);
  }
  std::optional<types::TextSearchName> text_search_name(types::TextSearchKind kind, Oid oid) override {
    return catalog::text_search_name(catalog_, kind, oid);
  }
  Result<types::ConfigurationPtr> text_search_configuration(Oid) override { return refuse(); }
  Result<types::DictionaryPtr> text_search_dictionary(Oid) override { return refuse(); }
  Result<Oid> current_text_search_configuration() override { return refuse(); }
  Status try_text_search_dictionary(Oid, std::string_view) override { return refuse(); }
  void text_search_notice(const Error&) override {}

 private:
  static Error refuse() { return Error(sqlstate::kInternalError, "a printed expression cannot be evaluated"); }

  catalog::CatalogView& catalog_;
  types::FormatSettings format_;
};

}  // namespace indigo::sql
