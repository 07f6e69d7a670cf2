// Kernels of functions that the session's owner answers: SessionContext::system_value and system_rows under the entry's
// name. Strict functions (pg_proc.proisstrict) are not called for nulls.
// Thread safety: as the context's session.
#pragma once

#include <algorithm>
#include <string_view>

#include "types/function/registry.h"

namespace indigo::types {

template <size_t N>
struct EntryName {
  char text[N];
  constexpr EntryName(const char (&name)[N]) { std::copy_n(name, N, text); }  // NOLINT(google-explicit-constructor)
};

void run_system_value(std::string_view name, FuncContext& context, const CallInfo& call,
                      std::span<const Vector* const> arguments, Selection selection, Vector& out);
std::unique_ptr<SetProducer> open_system_rows(std::string_view name, FuncContext& context, const CallInfo& call,
                                              std::span<const Datum> arguments);

template <EntryName kName>
void system_value(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                  Selection selection, Vector& out) {
  run_system_value(kName.text, context, call, arguments, selection, out);
}
template <EntryName kName>
std::unique_ptr<SetProducer> system_rows(FuncContext& context, const CallInfo& call, std::span<const Datum> arguments) {
  return open_system_rows(kName.text, context, call, arguments);
}

}  // namespace indigo::types
