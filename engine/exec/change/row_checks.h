// Row security's conditions on rows that are written, and on rows that MERGE and ON CONFLICT DO UPDATE are about to change.
// A row must meet all of them; the first that it does not meet makes the error.
// Thread safety: none.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "engine/exec/builder.h"
#include "sql/plan.h"

namespace indigo::engine::exec {

class RowChecks {
 public:
  // The plan's checks of these kinds, in its order.
  static Result<RowChecks> make(Builder& b, const sql::ChangePlan& plan, sql::RowCheck::Kind kind);
  bool empty() const { return checks_.empty(); }
  // How many leading rows pass; fewer than all: `error` is why the next one does not, whatever it was before.
  uint32_t run(const Frame& frame, Selection selection, std::unique_ptr<Error>& error);

 private:
  struct Check {
    ExpressionSet condition;
    std::string policy, table;
  };
  Error violation(const Check& check) const;

  sql::RowCheck::Kind kind_ = sql::RowCheck::Kind::kInsert;
  std::vector<Check> checks_;
};

}  // namespace indigo::engine::exec
