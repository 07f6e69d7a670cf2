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
