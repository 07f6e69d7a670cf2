// Indexes for tests that want one and do not care which structure it has: by its number, so that a test with several, or
// with ever new ones, has all.
#pragma once

#include <iterator>
#include <memory>

#include "storage/index/btree_index.h"
#include "storage/index/griffin/griffin_index.h"
#include "storage/index/hash_index.h"
#include "storage/index/hydralist/hydralist_index.h"
#include "storage/index/index_factory.h"
#include "storage/index/indexlet/indexlet_index.h"
#include "storage/table.h"

namespace indigo::storage {

inline StorageStatus create_index_in_turn(Table& table, Transaction& txn, IndexId id, const IndexOptions& options,
                                          std::shared_ptr<const KeyExtractor> extractor) {
  constexpr IndexFactory kAll[] = {create_griffin_index, create_hash_index, create_btree_index, create_indexlet_index,
                                   create_hydralist_index};
  return create_index(table, txn, id, kAll[id.value % std::size(kAll)], options, std::move(extractor), nullptr);
}

}  // namespace indigo::storage
