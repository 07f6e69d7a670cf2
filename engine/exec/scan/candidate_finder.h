// The records that satisfy a query of keys (types/inverted/key_query.h), by an inverted index: and perhaps others.
//
// What many rows have is not read where something else leaves few: the answer is what the rarer keys leave.
// Thread safety: one session's.
#pragma once

#include <span>

#include "engine/exec/query_state.h"
#include "storage/index_candidates.h"
#include "types/inverted/key_query.h"

namespace indigo::engine::exec {

class CandidateFinder {
 public:
  CandidateFinder(QueryState& state, storage::Table& table, IndexId index, const storage::ReadView& view)
      : state_(state), table_(table), index_(index), view_(view) {}

  // At most `most`; else every record may be one.
  Result<storage::Candidates> find(const types::KeyQuery& query, size_t most = SIZE_MAX);

 private:
  Result<storage::Candidates> in_ranges(std::span<const storage::KeyRange> ranges, storage::KeyFilter* filter,
                                        size_t most);
  Result<storage::Candidates> in_cells(const types::KeyQuery& query, size_t most);
  Result<storage::Candidates> of_all(const types::KeyQuery& query, size_t most);
  Result<storage::Candidates> of_some(const types::KeyQuery& query, size_t most);

  QueryState& state_;
  storage::Table& table_;
  const IndexId index_;
  const storage::ReadView view_;
};

}  // namespace indigo::engine::exec
