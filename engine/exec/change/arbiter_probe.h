// ON CONFLICT where storage's own check is not enough. As in PostgreSQL the arbiters are looked at before the row is inserted:
// a duplicate in one of them counts even if storage would meet another index first, and a row for which a deferrable one
// must be looked at is an error.
// Thread safety: none.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/exec/change/change_target.h"

namespace indigo::engine::exec {

class ArbiterProbe {
 public:
  ArbiterProbe(QueryState& state, ChangeTarget& target) : state_(state), target_(target) {}

  // No arbiters named: all unique indexes are.
  bool has_deferrable(const std::vector<Oid>& arbiters) const;
  // The newest row, own changes included, that has this row's key in one of the indexes; nothing when there is none. 55000
  // at a deferrable one.
  Result<std::optional<storage::Duplicate>> find(const std::vector<Oid>& arbiters, Bytes primary_key, Bytes row);

 private:
  // The primary key of the row in the way; empty: none.
  Result<std::string> holder(const catalog::IndexInfo& index, Bytes primary_key, Bytes row);
  Result<const storage::KeyExtractor*> extractor(const catalog::IndexInfo& index);

  QueryState& state_;
  ChangeTarget& target_;
  std::map<Oid, std::shared_ptr<const storage::KeyExtractor>> extractors_;
};

}  // namespace indigo::engine::exec
