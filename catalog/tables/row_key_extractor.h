// The secondary key of plain columns: what storage asks for when it maintains an index.
// Thread safety: immutable.
#pragma once

#include <vector>

#include "catalog/types.h"
#include "storage/table.h"

namespace indigo::catalog {

class RowKeyExtractor final : public storage::KeyExtractor {
 public:
  // `columns` are ordinals (attnum - 1), one for each column of `key`.
  RowKeyExtractor(RowLayout layout, KeyLayout key, std::vector<uint16_t> columns)
      : layout_(std::move(layout)), key_(std::move(key)), columns_(std::move(columns)) {}
  Outcome extract(Bytes primary_key, Bytes row, std::string& key, bool& has_null) const override;
  const KeyLayout& key() const { return key_; }

 private:
  RowLayout layout_;
  KeyLayout key_;
  std::vector<uint16_t> columns_;
};

}  // namespace indigo::catalog
