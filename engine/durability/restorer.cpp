#include "engine/durability/restorer.h"

#include "engine/exec/errors.h"
#include "engine/exec/executor.h"
#include "log/file_error.h"
#include "storage/durability.h"
#include "storage/restore.h"

namespace indigo::engine {

namespace {

constexpr size_t kBatchOperations = 1024;

// Neighbours stay together, so that two threads seldom want one leaf: the last byte does not count.
unsigned share_of(const storage::Table* table, Bytes key, unsigned workers) {
  const std::string_view group = key.substr(0, key.empty() ? 0 : key.size() - 1);
  const size_t hash = std::hash<std::string_view>()(group) ^ reinterpret_cast<uintptr_t>(table) >> 6;
  return static_cast<unsigned>((hash ^ hash >> 32) % workers);
}

}  // namespace

// A chunk's operations, as they are: on a worker, beside those of other chunks.
class Restorer::ChunkSink final : public log::OperationSink {
 public:
  explicit ChunkSink(Restorer& restorer) : restorer_(restorer) {}

  void put(log::DurableId id, Bytes key, Bytes row) override {
    if (last_ == nullptr || id != last_id_) {
      std::lock_guard lock(restorer_.mutex_);
      last_ = &restorer_.table_locked(id);
      last_id_ = id;
    }
    restorer_.apply({last_, key, row, false});
  }
  void erase(log::DurableId, Bytes) override {}  // a checkpoint has none
  void clone(log::DurableId, log::DurableId) override {}
  void sequence(log::DurableId id, int64_t last_value, bool is_called) override {
    std::lock_guard lock(restorer_.mutex_);
    restorer_.restored_.sequences[id] = {last_value, is_called};
    restorer_.seen(id);
  }
  void oids(uint64_t below) override {
    std::lock_guard lock(restorer_.mutex_);
    restorer_.restored_.next_oid = std::max(restorer_.restored_.next_oid, static_cast<Oid>(below));
  }

 private:
  Restorer& restorer_;
  log::DurableId last_id_;
  storage::Table* last_ = nullptr;
};

storage::Table& Restorer::table_locked(log::DurableId id) {
  auto& slot = restored_.tables[id];
  if (slot == nullptr) {
    slot = storage::create_durable_table(store_, id);
    seen(id);
  }
  return *slot;
}

storage::Table& Restorer::table(log::DurableId id) {
  if (last_ != nullptr && id == last_id_) return *last_;
  last_id_ = id;
  last_ = &table_locked(id);
  return *last_;
}

// A file number that was ever in use is not given out again.
void Restorer::seen(log::DurableId id) {
  const Oid database = static_cast<Oid>(id.value >> 32), file = static_cast<Oid>(id.value);
  restored_.next_oid = std::max({restored_.next_oid, database + 1, file + 1});
}

void Restorer::keep(const std::shared_ptr<const void>& memory) {
  for (unsigned w = 0; w < workers_.count(); w++) send(w);
  memory_ = memory;
}

bool Restorer::chunk(const std::shared_ptr<const std::string>& chunk) {
  if (workers_.count() == 0) return decode_operations(*chunk, *this);
  chunks_ = true;
  last_ = nullptr;
  workers_.give(next_++ % workers_.count(), [this, chunk] {
    ChunkSink sink(*this);
    if (decode_operations(*chunk, sink)) return;
    std::lock_guard lock(mutex_);
    malformed_ = true;
  });
  return true;
}

void Restorer::apply(const Operation& o) {
  if (o.erase) return storage::restore_erase(*o.table, o.key);
  const storage::StorageStatus status = storage::restore_row(*o.table, o.key, o.row);
  if (status == storage::StorageStatus::kOk) return;
  std::lock_guard lock(mutex_);
  status_ = status;
}

void Restorer::add(const Operation& operation) {
  if (workers_.count() == 0) return apply(operation);
  const unsigned worker = share_of(operation.table, operation.key, workers_.count());
  Batch& batch = batches_[worker];
  batch.push_back(operation);
  if (batch.size() == kBatchOperations) send(worker);
}

void Restorer::send(unsigned worker) {
  if (batches_[worker].empty()) return;
  workers_.give(worker, [this, memory = memory_, batch = std::move(batches_[worker])] {
    for (const Operation& operation : batch) apply(operation);
  });
  batches_[worker] = {};
  batches_[worker].reserve(kBatchOperations);
}

// Everything so far has been done, and is seen here.
void Restorer::settle() {
  for (unsigned w = 0; w < workers_.count(); w++) send(w);
  workers_.drain();
  chunks_ = false;
}

void Restorer::put(log::DurableId id, Bytes key, Bytes row) {
  if (chunks_) settle();
  add({&table(id), key, row, false});
}

void Restorer::erase(log::DurableId id, Bytes key) {
  if (chunks_) settle();
  add({&table(id), key, {}, true});
}

void Restorer::sequence(log::DurableId id, int64_t last_value, bool is_called) {
  if (chunks_) settle();
  restored_.sequences[id] = {last_value, is_called};
  seen(id);
}

void Restorer::oids(uint64_t below) {
  if (chunks_) settle();
  restored_.next_oid = std::max(restored_.next_oid, static_cast<Oid>(below));
}

void Restorer::clone(log::DurableId clone, log::DurableId source) {
  settle();
  last_ = nullptr;
  const auto from = restored_.tables.find(source);
  if (from == restored_.tables.end()) {
    restored_.tables.erase(clone);  // empty ones are made when the catalog names them
  } else {
    restored_.tables[clone] = storage::restore_clone(store_, *from->second, clone);
  }
  seen(clone);
}

Result<catalog::RestoredObjects> Restorer::finish() {
  settle();
  memory_ = nullptr;
  if (malformed_) return Error(sqlstate::kDataCorrupted, "a checkpoint's operations are malformed");
  if (status_ != storage::StorageStatus::kOk) return storage_error(status_, nullptr);
  for (const auto& [id, table] : restored_.tables) storage::restore_end(*table);
  last_ = nullptr;
  return std::move(restored_);
}

}  // namespace indigo::engine
