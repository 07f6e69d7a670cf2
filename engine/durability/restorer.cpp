#include "engine/durability/restorer.h"

#include "engine/exec/errors.h"
#include "engine/exec/executor.h"
#include "storage/durability.h"
#include "storage/restore.h"

namespace indigo::engine {

storage::Table& Restorer::table(log::DurableId id) {
  if (last_ != nullptr && id == last_id_) return *last_;
  auto& slot = restored_.tables[id];
  if (slot == nullptr) {
    slot = storage::create_durable_table(store_, id);
    seen(id);
  }
  last_id_ = id;
  last_ = slot.get();
  return *last_;
}

// A file number that was ever in use is not given out again.
void Restorer::seen(log::DurableId id) {
  const Oid database = static_cast<Oid>(id.value >> 32), file = static_cast<Oid>(id.value);
  restored_.next_oid = std::max({restored_.next_oid, database + 1, file + 1});
}

void Restorer::put(log::DurableId id, Bytes key, Bytes row) {
  const storage::StorageStatus status = storage::restore_row(table(id), key, row);
  if (status != storage::StorageStatus::kOk) status_ = status;
}

void Restorer::erase(log::DurableId id, Bytes key) { storage::restore_erase(table(id), key); }

void Restorer::sequence(log::DurableId id, int64_t last_value, bool is_called) {
  restored_.sequences[id] = {last_value, is_called};
  seen(id);
}

void Restorer::oids(uint64_t below) { restored_.next_oid = std::max(restored_.next_oid, static_cast<Oid>(below)); }

Result<catalog::RestoredObjects> Restorer::finish() {
  if (status_ != storage::StorageStatus::kOk) return storage_error(status_, nullptr);
  for (const auto& [id, table] : restored_.tables) storage::restore_end(*table);
  last_ = nullptr;
  return std::move(restored_);
}

}  // namespace indigo::engine
