// What rules have made of a statement: queries that run before and after its own, one after the other, each seeing what the
// ones before it have done.
// Thread safety: immutable.
#pragma once

#include <memory>
#include <vector>

#include "sql/query.h"

namespace indigo::sql {

struct RewrittenStatement {
  std::vector<std::shared_ptr<const Query>> before, after;
  // The statements that rules have rewritten, as they were: their privileges are asked for whatever has become of them.
  std::vector<std::shared_ptr<const Query>> sources;
  CommandKind command = CommandKind::kSelect;  // of the statement: its tag
  bool empty = false;                          // no query is left that would set the tag
};

}  // namespace indigo::sql
