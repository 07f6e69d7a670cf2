// The messages' edge: what throws in the session ends here, as the statement's error (base/exception_error.h). What ran is thrown
// away, and the transaction fails like after any other error.
#include "base/exception_error.h"
#include "base/memory/memory_account.h"
#include "base/memory/memory_reserve.h"
#include "engine/session/current_message.h"
#include "engine/session/session_impl.h"

namespace indigo::engine {

template <class F>
auto SessionImpl::at_edge(F&& message) -> decltype(message()) {
  refill_memory_reserve();
  MemoryAccount::mark();
  return catch_exceptions(std::forward<F>(message), [this] { parts_.discard_broken(); });
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
  return logged(at_edge([&] { return make_statement(name, text, parameter_types, sink); }));
}

Status SessionImpl::bind(const BindMessage& bind, RowSink& sink) {
  return logged(at_edge([&] { return make_portal(bind, sink); }));
}

Status SessionImpl::describe_statement(std::string_view name, RowSink& sink) {
  return logged(at_edge([&] { return send_statement_description(name, sink); }));
}

Status SessionImpl::describe_portal(std::string_view name, RowSink& sink) {
  return logged(at_edge([&] { return send_portal_description(name, sink); }));
}

Status SessionImpl::execute(std::string_view portal, uint32_t max_rows, RowSink& sink) {
  return logged(at_edge([&] { return run_portal(portal, max_rows, sink); }));
}

Status SessionImpl::sync(RowSink& sink) {
  return logged(at_edge([&] { return end_pipeline(sink); }));
}

}  // namespace indigo::engine
