// Which keys a table has in some of its columns, for foreign keys' checks that ask often where no index answers: the first
// question is answered by whoever asks (a scan), the second by one scan that gathers the keys' hashes for all that follow.
//
// Invariants:
//  1. Only "no" is an answer: a key whose hash is there may be another's, or a row's that has gone since.
//  2. No other transaction adds a key that is asked for: the transaction that asks has locked, changed or removed the referenced
//     row with that key, or asks for rows that it has written itself. Whoever runs triggers or changes keys calls forget().
// Thread safety: none; belongs to a ForeignKeyQueue.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"
#include "engine/exec/query_state.h"

namespace indigo::engine::exec {

class ReferencingKeys {
 public:
  // False: no row of the table has these values (of the columns' types; nulls are equal to each other) in these columns.
  Result<bool> may_have(QueryState& state, const catalog::RelationInfo& table, std::span<const int16_t> columns,
                        std::span<const Datum> values);
  void forget() { known_.clear(); }

 private:
  // Hashes of larger tables would take too much memory.
  static constexpr uint64_t kRowsMax = uint64_t{8} << 20;

  struct Known {
    bool asked = false, gathered = false;
    absl::flat_hash_set<uint64_t> hashes;
  };
  std::map<std::pair<Oid, std::vector<int16_t>>, Known> known_;
};

}  // namespace indigo::engine::exec
