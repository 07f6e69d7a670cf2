// The structures that a secondary index can have. What SQL calls them, and what it may do with them, is said by
// catalog/access_method.h.
// Thread safety: constants and pure functions.
#pragma once

#include <cstdint>
#include <memory>

#include "storage/index/index.h"
#include "storage/table.h"

namespace indigo::storage {

class EpochManager;
class IndexService;
class MemoryAccount;
class PauseHook;

enum class IndexStructure : uint8_t {
  kBtree,    // ordered; storage/index/btree_index.h
  kHash,     // points only; storage/index/hash_index.h
  kEmpty,    // no entries; storage/index/empty_index.h
  kGriffin,  // a hash for points, a tree that lags for ranges; storage/index/griffin/griffin_index.h
};

std::unique_ptr<Index> make_index(IndexStructure structure, EpochManager& epochs, const PauseHook& pauses,
                                  MemoryAccount& account, IndexService& service);

// Table::create_index with a structure of one's choice; that makes trees. The table is one of a Store's own.
StorageStatus create_index(Table& table, Transaction& txn, IndexId id, IndexStructure structure,
                           const IndexOptions& options, std::shared_ptr<const KeyExtractor> extractor,
                           Duplicate* duplicate);

}  // namespace indigo::storage
