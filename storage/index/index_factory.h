// Secondary indexes of any structure. Which structures there are, what SQL calls them and what it may do with them, is said
// by catalog/access_method.h.
// Thread safety: as Table.
#pragma once

#include <cstdint>
#include <memory>

#include "base/ids.h"
#include "storage/status.h"

namespace indigo::storage {

class EpochManager;
class Index;
class IndexBuildWatch;  // storage/index_build_watch.h
class IndexService;
class KeyExtractor;
class MemoryAccount;
class PauseHook;
class Table;
class Transaction;
struct Duplicate;
struct IndexOptions;

// What an index may use of its store.
struct IndexEnvironment {
  EpochManager& epochs;
  const PauseHook& pauses;
  MemoryAccount& account;
  IndexService& service;
  uint32_t hydralist_replicas;  // of its search layer; 0: one for each NUMA node
};
// Makes an empty index of one structure: create_btree_index (storage/index/btree_index.h) and the like.
using IndexFactory = std::unique_ptr<Index> (*)(const IndexEnvironment& environment);

// Table::create_index, which makes trees, with a structure of the caller's choice. The table is one of a Store's own.
StorageStatus create_index(Table& table, Transaction& txn, IndexId id, IndexFactory make, const IndexOptions& options,
                           std::shared_ptr<const KeyExtractor> extractor, Duplicate* duplicate,
                           IndexBuildWatch* watch = nullptr);

}  // namespace indigo::storage
