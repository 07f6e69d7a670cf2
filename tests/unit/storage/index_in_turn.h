// Indexes for tests that want one and do not care which structure it has: by its number, so that a test with several, or
// with ever new ones, has all.
#pragma once

#include <memory>

#include "storage/index/structure.h"

namespace indigo::storage {

inline StorageStatus create_index_in_turn(Table& table, Transaction& txn, IndexId id, const IndexOptions& options,
                                          std::shared_ptr<const KeyExtractor> extractor) {
  constexpr IndexStructure kAll[] = {IndexStructure::kGriffin, IndexStructure::kHash, IndexStructure::kBtree};
  return create_index(table, txn, id, kAll[id.value % std::size(kAll)], options, std::move(extractor), nullptr);
}

}  // namespace indigo::storage
