// Keys as storage orders them: byte strings whose memcmp order is the SQL order of the columns.
//
// Per column: an optional null marker byte (columns that may be null), then the value, all bits inverted for DESC.
//   integers, date, timestamps   big-endian with the sign bit flipped
//   floats                       IEEE bits made monotone; -0 = 0; NaN greatest
//   text, bytea                  bytes with 0x00 escaped as 0x00 0xFF, ended by 0x00 0x01
//   text under an ICU collation  the collation's sort key, then, unless unequal texts may be equal, the text
//   bpchar                       as text without trailing blanks
//   numeric                      sign, exponent, digits; equal values have equal keys
//   interval, uuid, timetz, bool, arrays and so on: see key_codec.cpp
// A type that has no such encoding is refused at CREATE INDEX with 0A000.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "types/value/datum.h"

namespace indigo::types {

class Collator;

struct KeyColumn {
  Oid type = kInvalidOid;  // SQL type (domains resolved to their base)
  Phys phys = Phys::kI64;
  Oid collation = kInvalidOid;
  bool descending = false;
  bool nulls_first = false;  // PostgreSQL's default: NULLS LAST ascending, NULLS FIRST descending
  bool nullable = true;      // false: no marker byte
  const Collator* collator =
      nullptr;  // the collation's; null: C order. Lives as long as the instance, or else is `kept`
  std::shared_ptr<const Collator> kept = nullptr;  // an order of the key's own, whose labels are in its entries

  void keep(std::shared_ptr<const Collator> order) {
    collator = order.get();
    kept = std::move(order);
  }
};

// Bytes of which none is a prefix of another's, in the texts' order.
void append_escaped_text(Str text, std::string& out);

class KeyLayout {
 public:
  KeyLayout() = default;
  explicit KeyLayout(std::vector<KeyColumn> columns);
  // Built-in types; with the physical kind also enums (the one user-defined kind held as kI32).
  static bool encodable(Oid type);
  static bool encodable(Oid type, Phys phys);

  size_t column_count() const { return columns_.size(); }
  const KeyColumn& column(size_t i) const { return columns_[i]; }

  // Appends the first values.size() columns to `out` (a prefix gives a range's bound).
  void append(std::span<const Datum> values, std::string& out) const;
  void append_column(size_t column, const Datum& value, std::string& out) const;
  // Turns a prefix into the bound just after all keys that begin with it (for > and <= ranges).
  static void successor(
      std::string& key);  // smallest byte string greater than every string with this prefix; empty if none

 private:
  std::vector<KeyColumn> columns_;
  std::vector<uint8_t> kinds_;  // how each column's values are encoded
};

}  // namespace indigo::types
