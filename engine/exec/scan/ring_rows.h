// The rows of a table in the order of their distance from a place, by an inverted index whose class knows what comes within a
// distance (types::Rings): those within a ring around the place, then within a wider one, and so on; in each the distances decide,
// which the operator computes of the rows. The order is exact. A ring that has far more rows than are wanted, as around a place
// far away from all of them, is not read: one between it and the last is.
//
// Invariant: a row whose distance is at most the ring's radius has been met, and is given before any that is farther away. Once
// rings no longer pay, the rest of the table is read and sorted, so that all rows come, those without a distance at the end.
//
// Thread safety: one session's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "catalog/descriptor/inverted_key.h"
#include "engine/exec/query_state.h"
#include "storage/table.h"

namespace indigo::engine::exec {

class RingRows final : public storage::Cursor {
 public:
  // The distances of rows, in their order; null where there is none.
  // One that is too far away for its type is NaN.
  using DistancesOf = std::function<Result<std::vector<Datum>>(std::span<const storage::RowRef>)>;

  // `column`: the index's, from 0, with this key. `wanted`: how many rows will be read, 0 when that is not known. `error` gets
  // what went wrong; then next() has no rows.
  RingRows(QueryState& state, storage::Table& table, IndexId index, size_t column, const catalog::InvertedKey& key,
           const Datum& place, double wanted, DistancesOf distances_of, std::unique_ptr<Error>& error);

  storage::StorageStatus next(std::span<storage::RowRef> out, size_t& count) override;
  // The place stays the same.
  void rebind(const storage::KeyRange&, const storage::ReadView&, storage::Direction) override { begin(); }

 private:
  struct Row {
    bool known = true;         // has a distance
    long double distance = 0;  // as exact as a bigint
    std::string key, image;
  };
  static bool is_nearer(const Row& a, const Row& b);

  void begin();
  double aim() const;
  double growth(size_t new_rows) const;
  double wider(size_t new_rows) const;
  void narrow();
  void set_next(double wider);
  Status widen();
  Status meet(std::span<const storage::RowRef> rows);
  Status meet_candidates(const std::vector<std::string>& primary_keys);
  Status meet_the_rest();

  QueryState& state_;
  storage::Table& table_;
  const IndexId index_;
  const size_t column_;
  const catalog::InvertedKey key_;
  const OwnedDatum place_;
  const double wanted_;
  const DistancesOf distances_of_;
  std::unique_ptr<Error>& error_;

  double first_ = 0;        // the first ring's radius
  double radius_ = -1;      // of the ring that has been met
  double empty_ = 0;        // of the widest one without rows
  double next_ = 0;         // of the one that is met next
  double too_wide_ = 0;     // of the narrowest that had too many rows, while nothing has been met within it
  bool takes_all_ = false;  // whether the next ring is met however many rows it has
  size_t narrowed_ = 0;
  bool all_met_ = false;
  size_t given_so_far_ = 0;
  std::unordered_set<std::string> met_;  // keys
  std::vector<Row> rows_;                // met and not given, as a heap: the nearest in front
  std::vector<Row> given_;               // by the last call
  uint64_t bytes_ = 0;
};

}  // namespace indigo::engine::exec
