#include "types/inverted/key_query.h"

#include <algorithm>
#include <utility>

namespace indigo::types {

KeyQuery every_row() { return {}; }

KeyQuery no_row() {
  KeyQuery out;
  out.kind = KeyQuery::Kind::kNone;
  return out;
}

KeyQuery with_key(std::string key) {
  KeyQuery out;
  out.kind = KeyQuery::Kind::kKey;
  out.key = std::move(key);
  return out;
}

KeyQuery with_prefix(const std::string& prefix) { return with_key_between(prefix, prefix, true); }

KeyQuery with_key_between(std::string low, std::string high, bool has_high) {
  KeyQuery out;
  out.kind = KeyQuery::Kind::kRange;
  out.key = std::move(low);
  out.end = std::move(high);
  out.has_end = has_high;
  return out;
}

KeyQuery with_cells(std::string before, const CellBox& box) {
  KeyQuery out;
  out.kind = KeyQuery::Kind::kCells;
  out.key = std::move(before);
  out.cells = box;
  return out;
}

KeyQuery with_all(std::vector<KeyQuery> queries) {
  const auto count = static_cast<uint32_t>(queries.size());
  return with_some(count, std::move(queries));
}

KeyQuery with_one_in_all(std::vector<KeyQuery> queries) {
  KeyQuery common = with_key_between({}, {}, false);
  const auto ranges = std::erase_if(queries, [&](KeyQuery& q) {
    if (q.kind != KeyQuery::Kind::kRange) return false;
    common.key = std::max(common.key, q.key);
    // Of two ends of which one begins with the other, what begins with the longer one is below both.
    if (q.has_end &&
        (!common.has_end || (q.end < common.end && !common.end.starts_with(q.end)) || q.end.starts_with(common.end))) {
      common.end = q.end;
      common.has_end = true;
    }
    return true;
  });
  if (common.has_end && common.key > common.end && !common.key.starts_with(common.end)) return no_row();
  if (ranges > 0) queries.push_back(std::move(common));
  return with_all(std::move(queries));
}

KeyQuery with_any(std::vector<KeyQuery> queries) { return with_some(1, std::move(queries)); }

KeyQuery with_some(uint32_t least, std::vector<KeyQuery> queries) {
  using Kind = KeyQuery::Kind;
  // What any row satisfies counts for each row, what none does for no row.
  const auto free =
      static_cast<uint32_t>(std::erase_if(queries, [](const KeyQuery& q) { return q.kind == Kind::kAll; }));
  std::erase_if(queries, [](const KeyQuery& q) { return q.kind == Kind::kNone; });
  if (free >= least) return every_row();
  least -= free;
  if (queries.size() < least) return no_row();
  if (queries.size() == 1) return std::move(queries[0]);
  KeyQuery out;
  out.kind = Kind::kSome;
  out.least = least;
  out.of = std::move(queries);
  return out;
}

void put_before_keys(const std::string& bytes, KeyQuery& query) {
  query.key.insert(0, bytes);
  // A range without an end goes as far as these bytes do.
  query.end = query.has_end ? bytes + query.end : bytes;
  query.has_end = true;
  for (KeyQuery& part : query.of) put_before_keys(bytes, part);
}

}  // namespace indigo::types
