// The methods of TABLESAMPLE. Entry::Sample has the percentage of a built-in one; of an extension's, the call of its handler
// with the argument, so that what depends on the query's functions depends on it.
// Thread safety: pure functions.
#pragma once

#include "sql/query.h"

namespace indigo::sql {

inline constexpr Oid kSampleHandlerType{3310};  // tsm_handler

enum class SampleMethod : uint8_t {
  kPercent,  // bernoulli, system
  kRows,     // tsm_system_rows
  kTime,     // tsm_system_time
  kUnknown
};
SampleMethod sample_method(const types::FunctionInfo& handler);
// The call of an extension's handler; null: the method is built in.
const CallExpr* handler_call(const Entry::Sample& sample);

}  // namespace indigo::sql
