// The errors that many functions raise, worded as PostgreSQL words them.
// Thread safety: pure functions on the caller's context.
#pragma once

#include <string>

#include "base/sqlstate.h"
#include "types/function/context.h"

namespace indigo::types {

inline void fail_int2_range(FuncContext& c) { c.fail(sqlstate::kNumericValueOutOfRange, "smallint out of range"); }
inline void fail_int4_range(FuncContext& c) { c.fail(sqlstate::kNumericValueOutOfRange, "integer out of range"); }
inline void fail_int8_range(FuncContext& c) { c.fail(sqlstate::kNumericValueOutOfRange, "bigint out of range"); }
inline void fail_division_by_zero(FuncContext& c) { c.fail(sqlstate::kDivisionByZero, "division by zero"); }
inline void fail_float_overflow(FuncContext& c) {
  c.fail(sqlstate::kNumericValueOutOfRange, "value out of range: overflow");
}
inline void fail_float_underflow(FuncContext& c) {
  c.fail(sqlstate::kNumericValueOutOfRange, "value out of range: underflow");
}

// invalid input syntax for type integer: "x"
inline void fail_syntax(FuncContext& c, std::string_view type, std::string_view text) {
  c.fail(sqlstate::kInvalidTextRepresentation,
         "invalid input syntax for type " + std::string(type) + ": \"" + std::string(text) + "\"");
}
// value "x" is out of range for type integer
inline void fail_value_range(FuncContext& c, std::string_view type, std::string_view text) {
  c.fail(sqlstate::kNumericValueOutOfRange,
         "value \"" + std::string(text) + "\" is out of range for type " + std::string(type));
}
inline void fail_binary(FuncContext& c, std::string message) {
  c.fail(sqlstate::kInvalidBinaryRepresentation, std::move(message));
}

}  // namespace indigo::types
