// Key bounds of a scan, evaluated for one run or rescan: SQL values to ranges of encoded keys.
//
// A null in an equality or a bound matches nothing. A range with one bound leaves out the nulls of its column.
// IN lists (in_array) give one range for each distinct element, in key order.
#pragma once

#include <string>
#include <vector>

#include "catalog/key_codec.h"
#include "engine/exec/builder.h"
#include "storage/key_range.h"

namespace indigo::engine::exec {

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
  // The range of everything (not is_list()), or of one prefix of the list.
  const storage::KeyRange& range();
  static void prefix_range(const std::string& prefix, storage::KeyRange& out);

 private:
  void restrict_nulls(storage::KeyRange& range) const;
  Result<bool> evaluate_list();

  const catalog::KeyLayout* layout_ = nullptr;
  std::unique_ptr<ExpressionSet> values_;  // equal..., then low, high, array as present
  size_t equal_ = 0;
  int low_ = -1, high_ = -1;
  bool low_inclusive_ = true, high_inclusive_ = true, point_ = false;
  const Node* in_array_ = nullptr;
  std::string key_;
  std::vector<std::string> keys_;
  storage::KeyRange range_;
};

}  // namespace indigo::engine::exec
