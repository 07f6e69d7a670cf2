// An ordered set of key values that locks are named after: the primary keys of a table, or the distinct keys of one of its
// secondary indexes. It has the values as they lie there, those included that no transaction sees: ghosts, which hold a place
// in the order until no lock is named after them, and those of open transactions.
//
// Thread safety: all functions, from any thread. None waits, and none holds a latch or guard after it returns.
//
// Invariants:
// 1. A value on which somebody holds a lock stays (rule 3 of README.md), so that what lies between it and the next one is
//    called by the same name.
// 2. settle() returns after all removals have ended that did not see the locks granted before the call.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "storage/key_range.h"

namespace indigo::storage {

class TableImpl;
struct TableIndex;

class KeySpace {
 public:
  explicit KeySpace(const TableImpl& table);
  KeySpace(const TableImpl& table, const TableIndex& index);

  IndexId id() const { return id_; }
  TableId table() const;
  const TableIndex* index() const { return index_; }
  // Up to `most` distinct values of the range in this direction; `more`: there may be others behind them.
  void values(const KeyRange& range, Direction direction, size_t most, std::vector<std::string>& out, bool& more) const;
  // The name of a gap: that of the value below it.
  struct GapName {
    IndexId space;  // another one for what lies below every value
    std::string key;
    friend bool operator==(const GapName&, const GapName&) = default;
  };
  // Of the gap that ends at the first value at or above `key` (`or_equal`: above it).
  GapName gap_below(Bytes key, bool or_equal) const;
  // Of the gap into which `key` would fall; none when it lies there, or there is no order that has gaps.
  std::optional<GapName> gap_around(Bytes key) const;
  GapName first_gap() const;
  void settle() const;

 private:
  // The greatest value at or below `key`; false when there is none.
  bool greatest(Bytes key, bool or_equal, std::string& found) const;

  const TableImpl& table_;
  const TableIndex* const index_;  // null: the primary keys
  const IndexId id_;
};

}  // namespace indigo::storage
