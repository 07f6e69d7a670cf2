// Recovery's operations into tables of a store that is not in use yet, by several threads. Each of them walks all transactions in
// their order and takes what is for its keys, so that a key's operations keep theirs. Parts of a checkpoint go to any thread;
// clones wait for everything before them. What comes out does not depend on the number of threads.
// Thread safety: one user at a time.
#pragma once

#include <mutex>
#include <vector>

#include "catalog/catalog.h"
#include "engine/durability/replay_workers.h"
#include "log/durable_id.h"
#include "log/reader.h"
#include "storage/store.h"

namespace indigo::storage {
class Store;
class Table;
}  // namespace indigo::storage

namespace indigo::engine {

class Restorer final : public log::OperationSink {
 public:
  // `threads`: 1 leaves everything to the caller's.
  Restorer(storage::Store& store, unsigned threads);
  ~Restorer() override;

  void keep(const std::shared_ptr<const void>& memory) override;
  bool stream(Bytes stream, log::RecordKind kind) override;
  bool chunk(const std::shared_ptr<const std::string>& chunk) override;

  // ---- on the caller's thread
  void put(log::DurableId table, Bytes key, Bytes row) override;
  void erase(log::DurableId table, Bytes key) override;
  void sequence(log::DurableId sequence, int64_t last_value, bool is_called) override;
  void oids(uint64_t below) override;
  void clone(log::DurableId clone, log::DurableId source) override;

  // Everything, ready for Catalog::restore; or why not everything could be restored.
  Result<catalog::RestoredObjects> finish();

 private:
  class Share;

  storage::Table& table(log::DurableId id);
  void seen(log::DurableId id);
  void note(storage::StorageStatus status);
  void send();
  void settle();

  storage::Store& store_;
  std::mutex mutex_;  // guards what follows
  catalog::RestoredObjects restored_;
  storage::StorageStatus status_ = storage::StorageStatus::kOk;
  bool malformed_ = false;

  // ---- the caller's
  std::vector<std::unique_ptr<Share>> shares_;  // by worker; without any, the caller's
  std::shared_ptr<const void> memory_;
  std::vector<Bytes> streams_;  // for the workers, in memory_
  size_t stream_bytes_ = 0;
  bool chunks_ = false;    // workers may have some
  unsigned next_ = 0;      // worker for a chunk
  ReplayWorkers workers_;  // last: ends first
};

}  // namespace indigo::engine
