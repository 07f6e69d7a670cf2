#include "storage/clone.h"

#include <vector>

#include "base/memory/memory_reserve.h"
#include "base/mutation.h"
#include "log/format.h"
#include "log/record_stream.h"
#include "storage/durability.h"
#include "storage/restore.h"
#include "storage/store_impl.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

namespace {

constexpr size_t kTablesMeanwhile = 64;  // made between the count of all and the pause

}  // namespace

std::vector<WriteContext*> StoreImpl::write_contexts() {
  std::vector<WriteContext*> contexts;
  std::lock_guard lock(created_mutex_);
  for (const auto& context : created_contexts_) contexts.push_back(context.get());
  return contexts;
}

StorageStatus StoreImpl::wait_for_commits() { return commits_.wait_until_idle(write_contexts()); }

bool StoreImpl::try_pause() {
  const MustNotFail scope;  // half paused is paused for good
  pause_mutex_.lock();
  if (mutated(Mutation::kCloneAtOnce)) return true;
  if (!commits_.try_close([this] { return write_contexts(); })) {
    pause_mutex_.unlock();
    return false;
  }
  epochs_.pause_writers();
  return true;
}

void StoreImpl::resume() {
  epochs_.resume_writers();
  commits_.open();
  pause_mutex_.unlock();
}

std::shared_ptr<TableImpl> StoreImpl::clone_table(TableImpl& source, log::DurableId durable_id,
                                                  uint64_t source_generation, uint64_t generation) {
  return add_table(std::make_unique<TableImpl>(source, next_id(), durable_id, source_generation, generation));
}

void TableImpl::clone_indexes(TableImpl& clone, const std::function<IndexId(IndexId)>& new_id,
                              uint64_t source_generation, uint64_t generation) {
  auto list = std::make_shared<IndexList>();
  {
    std::lock_guard lock(indexes_mutex_);
    for (const auto& index : *indexes_) {
      auto copy = std::make_shared<TableIndex>();
      copy->id = new_id(index->id);
      copy->options = index->options;
      copy->extractor = index->extractor;
      copy->index = index->index->clone(source_generation, generation);
      copy->valid_from = index->valid_from;
      list->push_back(std::move(copy));
    }
  }
  std::lock_guard lock(clone.indexes_mutex_);
  clone.indexes_ = std::move(list);
  clone.indexes_raw_.store(clone.indexes_->empty() ? nullptr : clone.indexes_.get(), std::memory_order_release);
}

Cloner::Cloner(Store& store)
    : store_(store), source_generation_(impl(store).next_generation()), generation_(impl(store).next_generation()) {}

std::shared_ptr<Table> Cloner::clone(Table& source, log::DurableId id, const std::function<IndexId(IndexId)>& new_id) {
  auto& table = static_cast<TableImpl&>(source);
  if (!table.durable_id()) id = {};
  auto clone = impl(store_).clone_table(table, id, source_generation_, generation_);
  table.clone_indexes(*clone, new_id, source_generation_, generation_);
  if (id) log::encode_clone(id, table.durable_id(), operations_);
  return clone;
}

namespace {

// Room in the log for the clones' names, taken while it may still be waited for.
class CloneNote {
 public:
  explicit CloneNote(StoreImpl& store) : store_(store), log_(store.log()) {}
  ~CloneNote() { release(); }
  CloneNote(const CloneNote&) = delete;
  CloneNote& operator=(const CloneNote&) = delete;

  StorageStatus reserve(size_t names) {
    release();
    const size_t of_one = log_.max_payload() / log::kCloneBytes * log::kCloneBytes;
    for (size_t left = names * log::kCloneBytes; left > 0 && log_.records();) {
      const size_t bytes = std::min(left, of_one);
      const auto outcome = log_.reserve(bytes, places_.emplace_back());
      if (outcome != log::Log::Outcome::kOk) {
        places_.pop_back();
        return outcome == log::Log::Outcome::kFull ? StorageStatus::kLogFull : StorageStatus::kLogFailed;
      }
      left -= bytes;
    }
    return StorageStatus::kOk;
  }
  // False: there is not enough of it, and nothing was written.
  bool append(Bytes operations) {
    size_t room = 0;
    for (const log::Reservation& place : places_) room += place.payload_bytes;
    if (log_.records() && operations.size() > room) return false;
    while (log_.records() && !operations.empty() && !mutated(Mutation::kForgetClones)) {
      log::Reservation place = places_.back();
      places_.pop_back();
      const Bytes payload = operations.substr(0, place.payload_bytes);
      log_.append(place, log::RecordKind::kClones, store_.clock().taken(), {}, payload);
      operations.remove_prefix(payload.size());
    }
    return true;
  }

 private:
  void release() {
    for (log::Reservation& place : places_) log_.release(place);
    places_.clear();
  }

  StoreImpl& store_;
  log::Log& log_;
  std::vector<log::Reservation> places_;
};

}  // namespace

StorageStatus clone_tables(Store& store, const std::function<void(Cloner&)>& make) {
  StoreImpl& s = impl(store);
  CloneNote note(s);
  for (size_t more = kTablesMeanwhile;; more *= 2) {
    if (const StorageStatus room = note.reserve(s.durable_tables().size() + more); room != StorageStatus::kOk)
      return room;
    // A long commit (it yields) must not keep others from theirs: it is waited for with the gate open.
    do {
      if (const StorageStatus status = s.wait_for_commits(); status != StorageStatus::kOk) return status;
    } while (!s.try_pause());
    struct Pause {  // ends also when `make` runs out of memory
      StoreImpl& store;
      ~Pause() { store.resume(); }
    } pause{s};
    Cloner cloner(store);
    make(cloner);
    if (note.append(cloner.operations_)) return StorageStatus::kOk;
  }
}

std::shared_ptr<Table> restore_clone(Store& store, Table& source, log::DurableId id) {
  StoreImpl& s = impl(store);
  const uint64_t source_generation = s.next_generation();
  return s.clone_table(static_cast<TableImpl&>(source), id, source_generation, s.next_generation());
}

}  // namespace indigo::storage
