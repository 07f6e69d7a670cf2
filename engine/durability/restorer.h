// Recovery's operations into tables of a store that nobody uses yet.
// Thread safety: one user at a time.
#pragma once

#include "catalog/catalog.h"
#include "log/reader.h"
#include "storage/store.h"

namespace indigo::engine {

class Restorer final : public log::OperationSink {
 public:
  explicit Restorer(storage::Store& store) : store_(store) {}

  void put(log::DurableId table, Bytes key, Bytes row) override;
  void erase(log::DurableId table, Bytes key) override;
  void sequence(log::DurableId sequence, int64_t last_value, bool is_called) override;
  void oids(uint64_t below) override;

  // Everything, ready for Catalog::restore; or why not everything could be restored.
  Result<catalog::RestoredObjects> finish();

 private:
  storage::Table& table(log::DurableId id);
  void seen(log::DurableId id);

  storage::Store& store_;
  catalog::RestoredObjects restored_;
  log::DurableId last_id_;
  storage::Table* last_ = nullptr;  // operations come in runs for one table
  storage::StorageStatus status_ = storage::StorageStatus::kOk;
};

}  // namespace indigo::engine
