// What a path's evaluation passes on: a JSON value, or a moment that .datetime() has made.
// Thread safety: values.
#pragma once

#include "types/json/jsonb.h"
#include "types/jsonpath/path.h"
#include "types/value/datum.h"

namespace indigo::types {

struct PathValue {
  JsonbView json;
  Oid moment_type = kInvalidOid;  // date, time, timetz, timestamp or timestamptz: `moment` is the value
  Datum moment;
  int32_t east = 0;  // seconds east of UTC that a timestamptz was written with

  static PathValue of(JsonbView v) {
    PathValue value;
    value.json = v;
    return value;
  }
  bool is_moment() const { return moment_type != kInvalidOid; }
  bool is(JsonKind kind) const { return !is_moment() && json.kind() == kind; }
  const char* type_name() const;  // as .type() says
  // As jsonb: moments become strings.
  Str image(FuncContext& context) const;
};

// ---- path_datetime.cpp
enum class MomentParse : uint8_t { kOk, kUnrecognized, kFailed };  // kFailed: the context has the error
// ISO 8601 forms; with a template, what it describes.
MomentParse parse_moment(FuncContext& context, Str text, const std::string* format, PathValue& out);
// -1, 0, 1; `unknown`: of kinds that do not compare. False: needs a time zone (the names of both types).
bool compare_moments(FuncContext& context, const PathValue& a, const PathValue& b, bool with_zone, int& order,
                     bool& unknown, std::string& from, std::string& to);

}  // namespace indigo::types
