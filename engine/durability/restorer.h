// Recovery's operations into tables of a store that nobody uses yet, by several threads: a key belongs to one of them, which
// sees its operations in their order. Parts of a checkpoint go to any thread; clones wait for everything before them.
// What comes out does not depend on the number of threads.
// Thread safety: one user at a time.
#pragma once

#include <mutex>
#include <vector>

#include "catalog/catalog.h"
#include "engine/durability/replay_workers.h"
#include "log/reader.h"
#include "storage/store.h"

namespace indigo::engine {

class Restorer final : public log::OperationSink {
 public:
  // `threads`: 1 leaves everything to the caller's.
  Restorer(storage::Store& store, unsigned threads) : store_(store), workers_(threads > 1 ? threads : 0) {
    batches_.resize(workers_.count());
  }

  void keep(const std::shared_ptr<const void>& memory) override;
  bool chunk(const std::shared_ptr<const std::string>& chunk) override;
  void put(log::DurableId table, Bytes key, Bytes row) override;
  void erase(log::DurableId table, Bytes key) override;
  void sequence(log::DurableId sequence, int64_t last_value, bool is_called) override;
  void oids(uint64_t below) override;
  void clone(log::DurableId clone, log::DurableId source) override;

  // Everything, ready for Catalog::restore; or why not everything could be restored.
  Result<catalog::RestoredObjects> finish();

 private:
  class ChunkSink;
  struct Operation {
    storage::Table* table;
    Bytes key, row;
    bool erase;
  };
  using Batch = std::vector<Operation>;

  storage::Table& table(log::DurableId id);
  storage::Table& table_locked(log::DurableId id);
  void seen(log::DurableId id);
  void add(const Operation& operation);
  void send(unsigned worker);
  void apply(const Operation& operation);
  void settle();

  storage::Store& store_;
  std::mutex mutex_;  // guards `restored_` while workers take chunks, status_, malformed_
  catalog::RestoredObjects restored_;
  storage::StorageStatus status_ = storage::StorageStatus::kOk;
  bool malformed_ = false;

  log::DurableId last_id_;
  storage::Table* last_ = nullptr;  // operations come in runs for one table
  std::shared_ptr<const void> memory_;
  std::vector<Batch> batches_;  // by worker
  bool chunks_ = false;         // workers may have some
  unsigned next_ = 0;           // worker for a chunk
  ReplayWorkers workers_;       // last: ends first
};

}  // namespace indigo::engine
