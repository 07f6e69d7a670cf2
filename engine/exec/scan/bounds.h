// Key bounds of a scan, evaluated for one run or rescan: SQL values to ranges of encoded keys.
//
// A null in an equality or a bound matches nothing. A range with one bound leaves out the nulls of its column.
// Lists and alternatives give disjoint ranges in key order, whatever overlaps united. Lists of several columns are combined
// up to sql::kMaxKeyCombinations; beyond that the columns before them bound alone.
// A value of another type than its column gets the place that it has among the column's values: an int8 bound beyond
// int4's range bounds nothing or leaves nothing, an equality with it matches nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/exec/builder.h"
#include "storage/key_range.h"
#include "types/function/value_place.h"
#include "types/value/key_codec.h"

namespace indigo::engine::exec {

// The values of one expression as one key column's.
class KeyValuePlacer {
 public:
  KeyValuePlacer() = default;
  KeyValuePlacer(Builder& b, const types::TypeRef& value, const types::KeyColumn& column);

  types::ValuePlace place(const Datum& value, types::ValueEdge edge) const {
    return same_ ? types::ValuePlace{types::ValuePlace::Where::kAt, value} : place_other(value, edge);
  }
  // Turns a value into the column's that equals it; false when there is none.
  bool equal(Datum& value) const { return same_ || equal_other(value); }

 private:
  types::ValuePlace place_other(const Datum& value, types::ValueEdge edge) const;
  bool equal_other(Datum& value) const;

  QueryState* state_ = nullptr;
  Oid from_ = kInvalidOid, to_ = kInvalidOid;
  bool same_ = true, zoned_ = false;
};

class KeyBoundsEvaluator {
 public:
  static Result<KeyBoundsEvaluator> make(Builder& b, const sql::KeyBounds& bounds, const types::KeyLayout& layout);

  // All columns of the key have one value: `key()` is the whole answer.
  bool is_point() const { return point_; }
  // How many columns have values in every range, when it is the same number in all and no bounds follow; else 0.
  size_t fixed_columns() const { return fixed_columns_; }

  // False: no row can match.
  Result<bool> evaluate();
  const std::string& key() const { return key_; }  // the encoded equality prefix
  // This run's ranges are those of keys(): prefixes of fixed_columns() columns, in key order.
  bool is_list() const { return many_ && fixed_columns_ > 0 && !cut_; }
  std::span<const std::string> keys() const { return {keys_.data(), key_count_}; }
  // This run's ranges, in key order: points where each names a whole key.
  size_t range_count() const { return is_list() ? key_count_ : has_ranges_ ? range_count_ : 1; }
  const storage::KeyRange& range(size_t i);

 private:
  // One end of a range.
  struct Bound {
    int value = -1;  // which of values_; -1: none was given
    bool inclusive = true;
    Datum at;           // this run's
    bool open = false;  // this run's value bounds nothing
    bool at_inclusive = true;
  };
  // A sql::KeyBounds, with places in values_.
  struct Step {
    size_t first = 0, count = 0;  // of the equalities
    uint32_t lists = 0, nulls = 0;
    std::vector<std::vector<std::string>> elements;  // of lists: this run's, encoded and in order
    Bound low, high;
    std::vector<Step> any_of;
    bool has_range() const { return low.value >= 0 || high.value >= 0; }
  };
  // What has been combined on the way to a column (sql::kMaxKeyCombinations).
  struct Way {
    double combinations = 1;
    bool lists = false;
  };
  Status add_step(Builder& b, const sql::KeyBounds& bounds, size_t column, Step& step, sql::ExprList& exprs);
  size_t fixed_columns(const Step& step, size_t column) const;
  void encode_lists(Step& step, size_t column);
  bool append_value(const Step& step, size_t i, size_t column);
  storage::KeyRange& next_range();
  void expand(Step& step, size_t from, size_t column, Way way);
  void add_prefix();
  void add_interval(Step& step, size_t column);
  bool place(Bound& bound, types::ValueEdge edge);
  void interval_range(const Step& step, size_t column, storage::KeyRange& out) const;
  void restrict_nulls(size_t column, storage::KeyRange& range) const;
  void sort_keys();
  void unite_ranges();

  const types::KeyLayout* layout_ = nullptr;
  std::unique_ptr<ExpressionSet> values_;
  std::vector<KeyValuePlacer> placers_;  // for each of values_; an array's is its elements'
  Step root_;
  size_t fixed_columns_ = 0;
  bool point_ = false, many_ = false, has_ranges_ = false, cut_ = false;
  std::string key_;
  std::vector<std::string> keys_;
  size_t key_count_ = 0;
  storage::KeyRange range_;                // of a prefix
  std::vector<storage::KeyRange> ranges_;  // the first range_count_
  size_t range_count_ = 0;
};

}  // namespace indigo::engine::exec
