// Where the session's cursors stand: what UPDATE and DELETE ... WHERE CURRENT OF ask. The session implements it.
// Thread safety: none; belongs to one session.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"
#include "storage/transaction.h"

namespace indigo::engine::exec {

class CursorRows {
 public:
  struct Row {
    std::string key;         // of the row in the table's tree
    storage::ReadView view;  // that the cursor has read it by
  };
  virtual ~CursorRows() = default;
  // The row of `relation` that the cursor stands on; nothing: it stands on a row without one of this relation (an outer
  // join's). 34000 for an unknown cursor; 24000 when its query is not over the relation so that a row of it is known, or
  // when it stands on no row.
  virtual Result<std::optional<Row>> current_row(std::string_view cursor, const catalog::RelationInfo& relation) = 0;
};

}  // namespace indigo::engine::exec
