#include "engine/durability/restorer.h"

#include <unordered_map>

#include "engine/exec/errors.h"
#include "engine/exec/execution.h"
#include "log/file_error.h"
#include "storage/durability.h"
#include "storage/restore.h"

namespace indigo::engine {

namespace {

constexpr size_t kBatchBytes = size_t{256} << 10, kBatchStreams = 1024;
// Ascending rows go in so fast that two threads, and one that reads for them, are slower than one alone.
constexpr unsigned kThreadsForChunks = 3;

// Neighbours stay together, so that two threads seldom want one leaf: the last byte does not count.
unsigned share_of(log::DurableId table, Bytes key, unsigned shares) {
  const std::string_view group = key.substr(0, key.empty() ? 0 : key.size() - 1);
  const uint64_t hash = (std::hash<std::string_view>()(group) + table.value) * 0x9e3779b97f4a7c15;
  return static_cast<unsigned>((hash >> 32) % shares);
}

}  // namespace

// One thread's share of the keys. Sequences and OIDs, which only checkpoints have here, are everybody's: they may be noted twice.
class Restorer::Share final : public log::OperationSink {
 public:
  Share(Restorer& restorer, unsigned index, unsigned shares) : restorer_(restorer), index_(index), shares_(shares) {}

  void put(log::DurableId id, Bytes key, Bytes row) override {
    if (!mine(id, key)) return;
    const storage::StorageStatus status = storage::restore_row(table(id), key, row);
    if (status != storage::StorageStatus::kOk) restorer_.note(status);
  }
  void erase(log::DurableId id, Bytes key) override {
    if (mine(id, key)) storage::restore_erase(table(id), key);
  }
  void sequence(log::DurableId id, int64_t last_value, bool is_called) override {
    restorer_.sequence(id, last_value, is_called);
  }
  void oids(uint64_t below) override { restorer_.oids(below); }
  void clone(log::DurableId, log::DurableId) override { restorer_.note(storage::StorageStatus::kKeyError); }
  // Tables may be others from now on.
  void forget() {
    last_ = nullptr;
    tables_.clear();
  }

 private:
  bool mine(log::DurableId id, Bytes key) const { return shares_ == 1 || share_of(id, key, shares_) == index_; }
  storage::Table& table(log::DurableId id) {
    if (last_ == nullptr || id != last_id_) {
      storage::Table*& known = tables_[id.value];
      if (known == nullptr) known = &restorer_.table(id);
      last_ = known;
      last_id_ = id;
    }
    return *last_;
  }

  Restorer& restorer_;
  const unsigned index_, shares_;
  log::DurableId last_id_;
  storage::Table* last_ = nullptr;  // operations come in runs for one table
  std::unordered_map<uint64_t, storage::Table*> tables_;
};

Restorer::Restorer(storage::Store& store, unsigned threads) : store_(store), workers_(threads > 1 ? threads : 0) {
  const unsigned shares = std::max(workers_.count(), 1U);
  for (unsigned i = 0; i < shares; i++) shares_.push_back(std::make_unique<Share>(*this, i, shares));
}

Restorer::~Restorer() = default;

storage::Table& Restorer::table(log::DurableId id) {
  std::lock_guard lock(mutex_);
  auto& slot = restored_.tables[id];
  if (slot == nullptr) {
    slot = storage::create_durable_table(store_, id);
    seen(id);
  }
  return *slot;
}

// A file number that was ever in use is not given out again. Under mutex_.
void Restorer::seen(log::DurableId id) {
  const Oid database = static_cast<Oid>(id.value >> 32), file = static_cast<Oid>(id.value);
  if (database == kInvalidOid) return;  // of all databases: the program's own numbers
  restored_.next_oid = std::max({restored_.next_oid, database + 1, file + 1});
}

void Restorer::note(storage::StorageStatus status) {
  std::lock_guard lock(mutex_);
  status_ = status;
}

void Restorer::keep(const std::shared_ptr<const void>& memory) {
  send();
  memory_ = memory;
}

bool Restorer::stream(Bytes stream, log::RecordKind kind) {
  if (chunks_ || kind == log::RecordKind::kClones) settle();
  // Notes concern no rows.
  if (workers_.count() == 0 || kind != log::RecordKind::kCommit) return decode_operations(stream, *this);
  streams_.push_back(stream);
  stream_bytes_ += stream.size();
  if (stream_bytes_ >= kBatchBytes || streams_.size() == kBatchStreams) send();
  return true;
}

// Every worker gets all of it.
void Restorer::send() {
  if (streams_.empty()) return;
  const auto batch = std::make_shared<const std::vector<Bytes>>(std::move(streams_));
  streams_ = {};
  stream_bytes_ = 0;
  for (unsigned w = 0; w < workers_.count(); w++) {
    workers_.give(w, [this, w, batch, memory = memory_] {
      for (const Bytes stream : *batch) {
        if (decode_operations(stream, *shares_[w])) continue;
        std::lock_guard lock(mutex_);
        malformed_ = true;
      }
    });
  }
}

bool Restorer::chunk(const std::shared_ptr<const std::string>& chunk) {
  if (workers_.count() < kThreadsForChunks) {
    Share all(*this, 0, 1);
    return decode_operations(*chunk, all);
  }
  chunks_ = true;
  workers_.give(next_++ % workers_.count(), [this, chunk] {
    Share all(*this, 0, 1);
    if (decode_operations(*chunk, all)) return;
    std::lock_guard lock(mutex_);
    malformed_ = true;
  });
  return true;
}

// Everything so far has been done, and is seen here.
void Restorer::settle() {
  send();
  workers_.drain();
  chunks_ = false;
}

void Restorer::put(log::DurableId id, Bytes key, Bytes row) { shares_[0]->put(id, key, row); }
void Restorer::erase(log::DurableId id, Bytes key) { shares_[0]->erase(id, key); }

void Restorer::sequence(log::DurableId id, int64_t last_value, bool is_called) {
  std::lock_guard lock(mutex_);
  restored_.sequences[id] = {last_value, is_called};
  seen(id);
}

void Restorer::oids(uint64_t below) {
  std::lock_guard lock(mutex_);
  restored_.next_oid = std::max(restored_.next_oid, static_cast<Oid>(below));
}

void Restorer::clone(log::DurableId clone, log::DurableId source) {
  for (const auto& share : shares_) share->forget();  // the workers have nothing to do
  std::lock_guard lock(mutex_);
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
  if (malformed_) return Error(sqlstate::kDataCorrupted, "the log's or the checkpoint's operations are malformed");
  if (status_ != storage::StorageStatus::kOk) return storage_error(status_, nullptr);
  for (const auto& [id, table] : restored_.tables) storage::restore_end(*table);
  return std::move(restored_);
}

}  // namespace indigo::engine
