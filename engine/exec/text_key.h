// The first bytes of a sort key that is one text, without the whole of it being encoded: enough to tell most rows apart.
// Thread safety: immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "engine/exec/builder.h"
#include "sql/plan.h"
#include "types/value/datum.h"

namespace indigo::engine::exec {

struct TextKey {
  size_t column;    // of the input
  bool blank_ends;  // blanks at the end do not count
  bool descending;

  // The first 8 bytes of what SortOps::append makes of it, as a number that compares as they do.
  uint64_t head(Str text) const;

  // When the plan's only key is a column of the input whose strings compare by their bytes.
  static std::optional<TextKey> of(Builder& b, const sql::SortPlan& p);
};

}  // namespace indigo::engine::exec
