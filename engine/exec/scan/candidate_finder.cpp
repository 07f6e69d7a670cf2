#include "engine/exec/scan/candidate_finder.h"

#include <algorithm>
#include <iterator>

#include "base/fiber/sort_keys.h"
#include "engine/exec/errors.h"
#include "types/value/key_codec.h"

namespace indigo::engine::exec {

using storage::Candidates;
using types::KeyQuery;
using Keys = std::vector<std::string>;

namespace {

// So few of each part are read first, and so many times more in each round until some part has no more. So few records are fetched
// without asking the other parts, and these are not asked for more than so many times what is left already.
constexpr size_t kFew = 1024, kMore = 4, kVeryFew = 32, kWorthwhile = 2;

Candidates every_record() {
  Candidates out;
  out.all = true;
  return out;
}

// How much memory they take, roughly.
uint64_t bytes_of(const Keys& keys) {
  return keys.size() * (sizeof(std::string) + (keys.empty() ? 0 : keys.front().capacity()));
}

class CellFilter final : public storage::KeyFilter {
 public:
  explicit CellFilter(const KeyQuery& query) : before_(query.key), walk_(query.cells) {}
  Answer meet(Bytes key, std::string& next) override {
    switch (walk_.meet(key.substr(before_.size()), next)) {
      case types::CellWalk::Answer::kOverlaps: return Answer::kWanted;
      case types::CellWalk::Answer::kNot: return Answer::kNot;
      case types::CellWalk::Answer::kSkip: next.insert(0, before_); return Answer::kSkip;
      case types::CellWalk::Answer::kDone: return Answer::kDone;
    }
    return Answer::kWanted;
  }

 private:
  const std::string& before_;
  types::CellWalk walk_;
};

void intersect(Keys& with, const Keys& keys) {
  Keys both;
  std::set_intersection(std::make_move_iterator(with.begin()), std::make_move_iterator(with.end()), keys.begin(),
                        keys.end(), std::back_inserter(both));
  with = std::move(both);
}

}  // namespace

Result<Candidates> CandidateFinder::find(const KeyQuery& query, size_t most) {
  switch (query.kind) {
    case KeyQuery::Kind::kAll: return every_record();
    case KeyQuery::Kind::kNone: return Candidates();
    case KeyQuery::Kind::kKey: {
      const storage::KeyRange point = storage::KeyRange::point(query.key);
      return in_ranges({&point, 1}, nullptr, most);
    }
    case KeyQuery::Kind::kRange: {
      storage::KeyRange range;
      range.low = query.key;
      range.has_low = true;
      range.high = query.end;
      types::KeyLayout::successor(range.high);
      range.has_high = query.has_end && !range.high.empty();
      range.high_inclusive = false;
      return in_ranges({&range, 1}, nullptr, most);
    }
    case KeyQuery::Kind::kCells: return in_cells(query, most);
    case KeyQuery::Kind::kSome: return query.least == query.of.size() ? of_all(query, most) : of_some(query, most);
  }
  return every_record();
}

Result<Candidates> CandidateFinder::in_ranges(std::span<const storage::KeyRange> ranges, storage::KeyFilter* filter,
                                              size_t most) {
  Candidates out;
  const storage::StorageStatus status =
      storage::index_candidates(table_, state_.transaction(), view_, index_, ranges, filter, most, out);
  if (status != storage::StorageStatus::kOk) return storage_error(status, nullptr);
  INDIGO_TRY(state_.check_memory(bytes_of(out.primary_keys)));
  return out;
}

Result<Candidates> CandidateFinder::in_cells(const KeyQuery& query, size_t most) {
  std::vector<types::CellRange> cells = types::cells_that_overlap(query.cells, query.key);
  std::vector<storage::KeyRange> ranges(cells.size());
  for (size_t i = 0; i < cells.size(); i++) {
    ranges[i].has_low = ranges[i].has_high = true;
    ranges[i].low = std::move(cells[i].first);
    ranges[i].high = std::move(cells[i].last);
  }
  CellFilter filter(query);
  return in_ranges(ranges, &filter, most);
}

Result<Candidates> CandidateFinder::of_all(const KeyQuery& query, size_t most) {
  Candidates out = every_record();
  const auto take = [&](Candidates found) {
    if (found.all) return;
    if (out.all) {
      out = std::move(found);
    } else {
      intersect(out.primary_keys, found.primary_keys);
    }
  };
  std::vector<bool> known(query.of.size());
  for (size_t read = std::min(kFew, most);; read = std::min(read * kMore, most)) {
    for (size_t i = 0; i < known.size(); i++) {
      if (known[i]) continue;
      INDIGO_ASSIGN(Candidates found, find(query.of[i], read));
      known[i] = !found.all;
      take(std::move(found));
      if (!out.all && out.primary_keys.size() <= kVeryFew) return out;
    }
    if (read == most || (!out.all && out.primary_keys.size() * kWorthwhile <= read)) break;
  }
  return out;
}

// Of several that are needed, what has more than was asked for is not read where few records have enough of the rest.
Result<Candidates> CandidateFinder::of_some(const KeyQuery& query, size_t most) {
  std::vector<bool> known(query.of.size());
  Keys all;
  for (size_t read = query.least == 1 ? most : std::min(kFew, most);; read = std::min(read * kMore, most)) {
    uint32_t unknown = 0;
    for (size_t i = 0; i < known.size(); i++) {
      if (known[i]) continue;
      INDIGO_ASSIGN(Candidates found, find(query.of[i], read));
      known[i] = !found.all;
      if (found.all) {
        if (++unknown >= query.least && read == most) return every_record();
        continue;
      }
      std::move(found.primary_keys.begin(), found.primary_keys.end(), std::back_inserter(all));
      INDIGO_TRY(state_.check_memory(bytes_of(all)));
      INDIGO_TRY(state_.check());
    }
    if (unknown >= query.least) continue;
    Candidates out;
    sort_keys(all);
    for (auto at = all.begin(); at != all.end();) {
      const auto end = std::find_if(at, all.end(), [&](const std::string& key) { return key != *at; });
      if (end - at >= static_cast<std::ptrdiff_t>(query.least - unknown)) out.primary_keys.push_back(*at);
      at = end;
    }
    if (unknown == 0 || read == most || out.primary_keys.size() * kWorthwhile <= read)
      return out.primary_keys.size() > most ? every_record() : std::move(out);
  }
}

}  // namespace indigo::engine::exec
