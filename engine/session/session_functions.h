// What SQL functions ask of their session: settings, sequences, sleep, system functions, programs. Hands each question to the
// part that knows.
// Thread safety: none; belongs to a session.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "catalog/descriptor/session_context.h"
#include "engine/exec/scan/index_routines.h"
#include "types/function/routine_kernel.h"
#include "types/textsearch/session.h"

namespace indigo::engine {

class SessionParts;
class TextSearchObjects;

class SessionFunctions final : public catalog::SessionContext,
                               public types::TextSearchSession,
                               public types::RoutineKernels,
                               public exec::HasIndexRoutines {
 public:
  explicit SessionFunctions(SessionParts& session);
  ~SessionFunctions() override;

  const types::FormatSettings& format() override;
  catalog::CatalogView& catalog() override;
  int64_t transaction_timestamp() override;
  int64_t statement_timestamp() override;
  std::string current_user() override;
  std::string session_user() override;
  int32_t backend_pid() override;
  bool setting(std::string_view name, std::string& value) override;
  Status set_setting(std::string_view name, std::string_view value, bool local) override;
  Result<int64_t> nextval(Oid sequence) override;
  Result<int64_t> currval(Oid sequence) override;
  Result<int64_t> lastval() override;
  Status setval(Oid sequence, int64_t value, bool is_called) override;
  Status sleep(double seconds) override;
  Status system_rows(std::string_view function, std::span<const Datum> args,
                     const std::function<void(std::span<const Datum>)>& sink) override;
  Result<OwnedDatum> system_value(std::string_view function, std::span<const Datum> args) override;
  Result<OwnedDatum> call_routine(const types::CallInfo& call, std::span<const Datum> args) override;
  std::shared_ptr<const types::RoutineKernel> kernel_of(const types::CallInfo& call) override;
  Result<std::unique_ptr<types::SetProducer>> open_routine(const types::CallInfo& call,
                                                           std::span<const Datum> args) override;
  std::shared_ptr<const catalog::RelationInfo> transition_table(std::string_view name) override;
  std::shared_ptr<exec::IndexRoutines> index_routines() override;

  Result<types::ConfigurationPtr> text_search_configuration(Oid oid) override;
  Result<types::DictionaryPtr> text_search_dictionary(Oid oid) override;
  Result<Oid> current_text_search_configuration() override;
  Oid find_text_search(types::TextSearchKind kind, std::string_view schema, std::string_view name) override;
  std::optional<types::TextSearchName> text_search_name(types::TextSearchKind kind, Oid oid) override;
  Status try_text_search_dictionary(Oid text_search_template, std::string_view options) override;
  void text_search_notice(const Error& notice) override;

 private:
  SessionParts& session_;
  std::unique_ptr<TextSearchObjects> text_search_;
};

}  // namespace indigo::engine
