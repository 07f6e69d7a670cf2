// Text read by a template of to_timestamp.
// Thread safety: pure functions.
#pragma once

#include <optional>

#include "types/datetime/template_reader.h"
#include "types/function/context.h"

namespace indigo::types {

struct TemplateMoment {
  int64_t days = 0, time = 0;   // since 2000-01-01; microseconds of the day
  std::optional<int32_t> east;  // seconds east of UTC, when the text has a zone
  int32_t fraction_digits = 0;  // of FF1 to FF6: the precision that the template asks for; 0: none
  bool out_of_range = false;    // no date that there is
};
// False: the context has the error.
bool read_moment(FuncContext& context, Str text, Str format, TemplateMode mode, TemplateMoment& out);

}  // namespace indigo::types
