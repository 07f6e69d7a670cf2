// The messages' edge: what throws in the session ends here, as the statement's error (base/exception_error.h). What ran is thrown
// away, and the transaction fails like after any other error.
#include "base/exception_error.h"
#include "base/memory/memory_account.h"
#include "base/memory/memory_reserve.h"
#include "base/sqlstate.h"
#include "engine/session/current_message.h"
#include "engine/session/session_impl.h"
#include "engine/settings/applied_settings.h"

namespace indigo::engine {

template <class F>
auto SessionImpl::at_edge(F&& message) -> decltype(message()) {
  refill_memory_reserve();
  MemoryAccount::mark(parts_.applied_settings().memory_limit_bytes);
  const auto inside = [&]() -> decltype(message()) {
    INDIGO_TRY(parts_.enter_database());
    return message();
  };
  auto result = catch_exceptions(inside, [this] { parts_.discard_broken(); });
  parts_.leave_database();
  return result;
}

// A message of a pipeline, whose time the ones before may have used up.
template <class F>
Status SessionImpl::in_time(F&& message) {
  return at_edge([&]() -> Status {
    if (walsender_ != nullptr) {
      return Error(sqlstate::kProtocolViolation, "extended query protocol not supported in a replication connection");
    }
    INDIGO_TRY(parts_.message().check_time());
    return message();
  });
}

// While the statement's text is still there.
Status SessionImpl::logged(Status status) {
  if (!status.ok()) parts_.message().log().failed(status.error());
  return status;
}

void SessionImpl::query(std::string_view text, RowSink& sink) {
  const Status status = at_edge([&]() -> Status {
    run_query(text, sink);
    return {};
  });
  if (status.ok()) return;
  const MustNotFail scope;
  statement_error(status.error(), sink);
  parts_.end_message();
}

Status SessionImpl::parse(std::string_view name, std::string_view text, std::span<const Oid> parameter_types,
                          RowSink& sink) {
  return logged(in_time([&] { return make_statement(name, text, parameter_types, sink); }));
}

Status SessionImpl::bind(const BindMessage& bind, RowSink& sink) {
  return logged(in_time([&] { return make_portal(bind, sink); }));
}

Status SessionImpl::describe_statement(std::string_view name, RowSink& sink) {
  return logged(in_time([&] { return send_statement_description(name, sink); }));
}

Status SessionImpl::describe_portal(std::string_view name, RowSink& sink) {
  return logged(in_time([&] { return send_portal_description(name, sink); }));
}

Status SessionImpl::execute(std::string_view portal, uint32_t max_rows, RowSink& sink) {
  return logged(in_time([&] { return run_portal(portal, max_rows, sink); }));
}

Status SessionImpl::sync(RowSink& sink) {
  return logged(at_edge([&] { return end_pipeline(sink); }));
}

Result<std::optional<std::string>> SessionImpl::call_function(const FunctionCallMessage& message, RowSink& sink) {
  auto result = at_edge([&] { return run_function_call(message, sink); });
  if (!result.ok()) parts_.message().log().failed(result.error());
  return result;
}

}  // namespace indigo::engine
