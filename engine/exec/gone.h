// What a plan uses without a lock and another session has dropped since it was made: functions and types.
#pragma once

#include <string>

#include "base/error.h"
#include "base/sqlstate.h"
#include "types/oids.h"

namespace indigo::engine {

inline Error gone_function(Oid function) {
  return Error(sqlstate::kUndefinedFunction, "function with OID " + std::to_string(function) + " does not exist");
}
inline Error gone_type(Oid type) {
  return Error(sqlstate::kUndefinedObject, "type with OID " + std::to_string(type) + " does not exist");
}

}  // namespace indigo::engine
