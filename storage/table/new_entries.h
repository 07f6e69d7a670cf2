// The entries of an index that is being built: collected row by row, given back in the order of their keys.
// A key is kept once however many rows have it, so that an inverted index sorts its distinct keys and not its entries: rows
// come in the order of their primary keys, and stay in it below one key.
// Thread safety: none; one session builds.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/bytes.h"
#include "base/memory/arena.h"
#include "storage/index/index.h"

namespace indigo::storage {

class NewEntries {
 public:
  // `inverted`: many rows have the same keys. False: keys are not looked for among those that are there.
  explicit NewEntries(bool inverted) : inverted_(inverted) {}

  // The row that the next keys are of; its primary key is above those before.
  void begin_row(Bytes primary_key, bool has_null);
  void add(Bytes key);

  size_t size() const { return size_; }
  // What they take here, once sorted.
  uint64_t bytes() const { return bytes_; }
  // There are more than numbers are for.
  bool full() const { return full_; }

  // May yield, and so may first_duplicate (base/fiber/long_sort.h).
  void sort();
  // Sorted, and not inverted: the first primary key whose key is the one before it, too; of keys with nulls only where they are not
  // distinct. Null: there is none.
  const Bytes* first_duplicate(bool nulls_distinct) const;
  // Sorted: the next entries, at most `most`, behind those that were given; none at the end. Valid as long as this.
  void next(size_t most, std::vector<IndexEntry>& batch);

 private:
  using Number = uint32_t;
  struct Row {
    Bytes primary_key;
    bool has_null;
  };
  struct Entry {
    Number key, row;
  };

  Number number_of(Bytes key);
  void sort_keys();
  void sort_rows();

  const bool inverted_;
  bool full_ = false;
  size_t size_ = 0;
  uint64_t bytes_ = 0;
  Arena arena_{1 << 16};
  std::vector<Bytes> keys_;
  absl::flat_hash_map<Bytes, Number> numbers_;  // of keys, where inverted
  std::vector<Row> rows_;
  std::vector<Entry> entries_;

  // Sorted: the keys' numbers in their order; the rows of all keys, one key's behind the other's, and where each key's end.
  std::vector<Number> order_;
  std::vector<Number> sorted_rows_;
  std::vector<uint64_t> ends_;
  size_t at_key_ = 0;
  uint64_t at_row_ = 0;
};

}  // namespace indigo::storage
