// System functions that need the instance: sessions, locks, settings, sizes, advisory locks. By pg_proc.prosrc name; one
// file for each family, listed in system_functions.cpp. Extending it: add an entry to a family's table.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "base/error.h"
#include "types/value/datum.h"

namespace indigo::engine {

class SessionParts;

struct SystemValue {
  const char* name;
  Result<OwnedDatum> (*run)(SessionParts& session, std::span<const Datum> arguments);
};
using SystemRowSink = std::function<void(std::span<const Datum>)>;
struct SystemRows {
  const char* name;
  Status (*run)(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink);
};

const SystemValue* find_system_value(std::string_view name);
const SystemRows* find_system_rows(std::string_view name);

}  // namespace indigo::engine
