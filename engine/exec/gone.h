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
// Of a parameter of a prepared statement: clients take this for the sign that what they know of types is out of date.
inline Error gone_parameter_type(Oid type) {
  return Error(sqlstate::kInternalError, "cache lookup failed for type " + std::to_string(type));
}

}  // namespace indigo::engine
