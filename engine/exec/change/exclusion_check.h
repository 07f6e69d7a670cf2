// Exclusion constraints: no two rows may be related by all of a constraint's operators.
//
// Rows that come under one constraint are looked at one transaction after the other: who looks holds a lock to its end, on the
// key's value where the constraint is about equality alone and its index can be asked, on the values of the columns that are to be
// equal where the rest is one of cells (catalog::compound_column), else on the whole constraint. So a row of
// another transaction that is not committed yet cannot be missed; one that is being removed is waited for.
// Other rows are found through the index: by its key in the first case, by what the operators ask of an inverted one's keys
// (gist, spgist); else by reading the table.
// Thread safety: none; belongs to one execution.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/descriptor/inverted_key.h"
#include "engine/exec/builder.h"
#include "storage/table.h"

namespace indigo::engine::exec {

class ExclusionCheck {
 public:
  using Relation = std::shared_ptr<const catalog::RelationInfo>;

  static Result<std::unique_ptr<ExclusionCheck>> make(QueryState& state, Relation relation,
                                                      const catalog::ConstraintInfo& constraint);

  const catalog::ConstraintInfo& constraint() const { return *constraint_; }
  // Has an update that makes `row` of `old_row` changed what the constraint looks at?
  Result<bool> changes(Bytes old_row, Bytes row);
  // A row that is in the way of `row`, not counting the one that is stored under `own_key`; nothing: the way is free.
  Result<std::optional<std::string>> find(Bytes row, Bytes own_key);
  // The same for a row that is stored already; nothing, too, when it is not there any more.
  Result<std::optional<std::string>> find_other(Bytes row);
  // 23P01
  Error violation(Bytes row, Bytes other) const;

 private:
  explicit ExclusionCheck(QueryState& state) : state_(state) {}
  // What is locked of a row whose values load() has computed; empty: the whole constraint.
  Result<std::string> lock_key(Bytes row);
  // Computes the row's values; false: a null among them, or a predicate that does not hold.
  Result<bool> load(Bytes row);
  Status lock(Bytes row);
  struct Met {
    std::string key, row;
  };
  // Rows in the way, and the key of the first row that is byte by byte `row`.
  Status scan(Bytes row, std::vector<Met>& met, std::optional<std::string>& self);
  Result<std::unique_ptr<storage::Cursor>> cursor(Bytes row);  // null: there are none
  Result<std::optional<std::string>> first_that_stays(const std::vector<Met>& met, Bytes own_key);

  QueryState& state_;
  Relation relation_;
  const catalog::ConstraintInfo* constraint_ = nullptr;
  const catalog::IndexInfo* index_ = nullptr;
  bool by_key_ = false;  // equality alone, and the index finds it
  // Of an inverted index: how each column is taken apart, and what the constraint's operator asks of it (0: nothing).
  std::vector<catalog::InvertedKey> keys_;
  std::vector<int> strategies_;
  bool by_scalars_ = false;  // rows that are in each other's way have the same scalars in front of their cells
  ExpressionSet values_, old_values_;  // over input 1
  Condition predicate_;                // over input 1
  Condition conflict_;                 // existing row: input 0, new row: input 1
  std::shared_ptr<const storage::KeyExtractor> extractor_;
  std::vector<uint16_t> wanted_;
  Chunk existing_, row_;
  std::vector<Vector> decoded_;
};

}  // namespace indigo::engine::exec
