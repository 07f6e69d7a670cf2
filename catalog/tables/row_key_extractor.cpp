#include "catalog/tables/row_key_extractor.h"

namespace indigo::catalog {

storage::KeyExtractor::Outcome RowKeyExtractor::extract(Bytes, Bytes row, std::string& key, bool& has_null) const {
  key.clear();
  has_null = false;
  for (size_t i = 0; i < columns_.size(); i++) {
    const Datum value = layout_.column(row, columns_[i]);
    has_null |= value.null;
    key_.append_column(i, value, key);
  }
  return Outcome::kKey;
}

}  // namespace indigo::catalog
