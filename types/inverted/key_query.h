// What a condition asks of an inverted index: which keys a row must have to satisfy it. Rows that satisfy the condition satisfy
// the query; others may, too, so that the condition is looked at again for each row that is found.
//
// Thread safety: values.
// Source: PostgreSQL 15's manual, "GIN Indexes" (extractQuery and consistent), as one tree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "types/inverted/cells.h"

namespace indigo::types {

struct KeyQuery {
  enum class Kind : uint8_t {
    kAll,    // nothing is asked: any row may satisfy the condition
    kNone,   // no row does
    kKey,    // this key
    kRange,  // a key at or after `key`, and at or before `end`, or with it as its prefix
    kCells,  // a key that begins with `key`, and goes on with a cell that may overlap `cells` (types/inverted/cells.h)
    kSome,   // at least `least` of the queries in `of`, which are neither kAll nor kNone
  };
  Kind kind = Kind::kAll;
  std::string key, end;
  bool has_end = true;  // false: no bound
  CellBox cells;
  uint32_t least = 0;
  std::vector<KeyQuery> of;
};

KeyQuery every_row();
KeyQuery no_row();
KeyQuery with_key(std::string key);
// Keys that begin with it.
KeyQuery with_prefix(const std::string& prefix);
// Both bounds count; an empty `end` with has_end false is no bound.
KeyQuery with_key_between(std::string low, std::string high, bool has_high);
// A cell behind these bytes.
KeyQuery with_cells(std::string before, const CellBox& box);
KeyQuery with_all(std::vector<KeyQuery> queries);
KeyQuery with_any(std::vector<KeyQuery> queries);
// Of rows that have one key each: ranges become their common one.
KeyQuery with_one_in_all(std::vector<KeyQuery> queries);
KeyQuery with_some(uint32_t least, std::vector<KeyQuery> queries);
// Puts the bytes before every key of the query.
void put_before_keys(const std::string& bytes, KeyQuery& query);

}  // namespace indigo::types
