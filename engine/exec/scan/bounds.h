// Key bounds of a scan, evaluated for one run or rescan: SQL values to ranges of encoded keys.
//
// A null in an equality or a bound matches nothing. A range with one bound leaves out the nulls of its column.
// IN lists (in_array) give one range for each distinct element, in key order; alternatives (any_of) give disjoint ranges
// in key order, whatever overlaps united.
// A value of another type than its column gets the place that it has among the column's values: an int8 bound beyond
// int4's range bounds nothing or leaves nothing, an equality with it matches nothing.
#pragma once

#include <string>
#include <vector>

#include "catalog/key_codec.h"
#include "engine/exec/builder.h"
#include "sql/func/value_place.h"
#include "storage/key_range.h"

namespace indigo::engine::exec {

// The values of one expression as one key column's.
class KeyValuePlacer {
 public:
  KeyValuePlacer() = default;
  KeyValuePlacer(Builder& b, const sql::TypeRef& value, const catalog::KeyColumn& column);

  sql::ValuePlace place(const Datum& value, sql::ValueEdge edge) const {
    return same_ ? sql::ValuePlace{sql::ValuePlace::Where::kAt, value} : place_other(value, edge);
  }
  // Turns a value into the column's that equals it; false when there is none.
  bool equal(Datum& value) const { return same_ || equal_other(value); }

 private:
  sql::ValuePlace place_other(const Datum& value, sql::ValueEdge edge) const;
  bool equal_other(Datum& value) const;

  QueryState* state_ = nullptr;
  Oid from_ = kInvalidOid, to_ = kInvalidOid;
  bool same_ = true, zoned_ = false;
};

class KeyBoundsEvaluator {
 public:
  static Result<KeyBoundsEvaluator> make(Builder& b, const sql::KeyBounds& bounds, const catalog::KeyLayout& layout);

  // All columns of the key have an equality: `key()` is the whole answer.
  bool is_point() const { return point_; }
  bool is_list() const { return in_array_ != nullptr; }

  // False: no row can match.
  Result<bool> evaluate();
  const std::string& key() const { return key_; }                 // the encoded equality prefix
  const std::vector<std::string>& keys() const { return keys_; }  // is_list(): prefixes in key order
  // This run's ranges, in key order: points where each names a whole key.
  size_t range_count() const { return is_list() ? keys_.size() : intervals_.empty() ? 1 : range_count_; }
  const storage::KeyRange& range(size_t i);

 private:
  // One end of the range column.
  struct Bound {
    int value = -1;  // which of values_; -1: none was given
    bool inclusive = true;
    Datum at;           // this run's
    bool open = false;  // this run's value bounds nothing
    bool at_inclusive = true;
  };
  struct Interval {
    Bound low, high;
  };
  void add_interval(const sql::KeyInterval& bounds, sql::ExprList& exprs);
  bool place(Bound& bound, sql::ValueEdge edge);
  void interval_range(const Interval& interval, storage::KeyRange& out) const;
  void restrict_nulls(storage::KeyRange& range) const;
  Result<bool> evaluate_list();
  void evaluate_intervals();

  const catalog::KeyLayout* layout_ = nullptr;
  std::unique_ptr<ExpressionSet> values_;  // equal..., then lows and highs, or the array, as present
  size_t equal_ = 0;
  std::vector<KeyValuePlacer> placers_;  // for each of values_; the array's is its elements'
  std::vector<Interval> intervals_;      // of low and high, or of any_of
  bool point_ = false;
  bool whole_key_ = false;  // point_, or each element of the list completes the key
  const Node* in_array_ = nullptr;
  std::string key_;
  std::vector<std::string> keys_;
  storage::KeyRange range_;                // of a prefix
  std::vector<storage::KeyRange> ranges_;  // of intervals_: the first range_count_
  size_t range_count_ = 0;
};

}  // namespace indigo::engine::exec
