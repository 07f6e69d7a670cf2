// A KeyExtractor for tests: a row "key:rest" is indexed under `key`; rows without a colon are not indexed, and an empty
// key counts as null.
#pragma once

#include "storage/table.h"

namespace indigo::storage {

class ColonExtractor final : public KeyExtractor {
 public:
  Outcome extract(Bytes, Bytes row, std::string& key, bool& has_null) const override {
    key.clear();
    size_t colon = row.find(':');
    has_null = colon == 0;
    if (colon == Bytes::npos) return Outcome::kNotIndexed;
    key.assign(row.substr(0, colon));
    return Outcome::kKey;
  }
};

}  // namespace indigo::storage
