// How IndexletIndex begins, is cloned and ends, and how its indexlet comes and goes.
#include <algorithm>
#include <bit>
#include <string>
#include <thread>

#include "base/memory/memory_reserve.h"
#include "storage/index/indexlet/indexlet_index.h"

namespace indigo::storage {

std::unique_ptr<Index> create_indexlet_index(EpochManager& epochs, const PauseHook& pauses) {
  return std::make_unique<IndexletIndex>(epochs, nullptr, pauses, nullptr);
}
std::unique_ptr<Index> create_indexlet_index(EpochManager& epochs, const PauseHook& pauses, MemoryAccount& account,
                                             IndexService& service) {
  return std::make_unique<IndexletIndex>(epochs, &account, pauses, &service);
}
std::unique_ptr<Index> create_adaptive_index(EpochManager& epochs, const PauseHook& pauses) {
  return std::make_unique<IndexletIndex>(epochs, nullptr, pauses, nullptr, Buffering::when_contended());
}
std::unique_ptr<Index> create_adaptive_index(const IndexEnvironment& e) {
  return std::make_unique<IndexletIndex>(e.epochs, &e.account, e.pauses, &e.service, Buffering::when_contended());
}

IndexletIndex::IndexletIndex(EpochManager& epochs, MemoryAccount* account, const PauseHook& pauses,
                             IndexService* service, Buffering buffering)
    : epochs_(epochs),
      account_(account),
      pauses_(pauses),
      service_(service),
      buffering_(buffering),
      tree_(std::make_unique<BtreeIndex>(epochs, account, pauses)) {
  if (!buffering_.needs_contention()) join_service();
}

// Most of the indexes that buffer what is contended never do: the service does not know of them.
void IndexletIndex::join_service() {
  if (service_ == nullptr || served_) return;
  service_->add(*this);
  served_ = true;
}

// Writers are kept out, so no home is locked and nothing is merged now. A batch may be in the middle, between entries: what
// it has merged is in the tree, what it has not is copied, with names of both. An indexlet that is being closed may still have
// such entries; its copy is closed too, and goes when the service finds it quiet.
IndexletIndex::IndexletIndex(IndexletIndex& source, uint64_t generation, uint64_t clone_generation)
    : epochs_(source.epochs_),
      account_(source.account_),
      pauses_(source.pauses_),
      service_(source.service_),
      buffering_(source.buffering_),
      tree_(static_cast<BtreeIndex*>(source.tree_->clone(generation, clone_generation).release())) {
  EpochManager::Guard guard(epochs_);  // an empty indexlet may be released at any time
  if (const Indexlet* from = source.indexlet_.load(std::memory_order_acquire); from != nullptr) {
    Indexlet* const copy = new Indexlet(*from);
    indexlet_.store(copy, std::memory_order_release);
    made_us_ = now_us();
    count_memory(static_cast<int64_t>(copy->bytes() + Phantomlet::bytes()));
  } else if (buffering_.needs_contention()) {
    return;  // then nothing waits
  }
  for (uint32_t i = 0; i < kMostBatches; i++) {
    std::lock_guard lock(source.batches_[i].lock);
    if (source.batches_[i].pending.size() == 0) continue;
    batches_[i].pending = source.batches_[i].pending;
    batches_[i].since_us = source.batches_[i].since_us;
    nonempty_.fetch_or(1U << i, std::memory_order_relaxed);
    count_memory(static_cast<int64_t>(batches_[i].pending.bytes()));
  }
  join_service();
  if (service_ != nullptr && indexlet_.load(std::memory_order_relaxed) != nullptr) service_->wake();
}

IndexletIndex::~IndexletIndex() {
  if (served_) service_->remove(*this);
  if (account_ != nullptr) account_->add(MemoryKind::kIndexes, -static_cast<int64_t>(buffer_bytes_.load()));
  delete indexlet_.load(std::memory_order_relaxed);
}

std::unique_ptr<Index> IndexletIndex::clone(uint64_t generation, uint64_t clone_generation) {
  const MustNotFail no_failure;  // half a clone would have the wrong generations
  return std::unique_ptr<Index>(new IndexletIndex(*this, generation, clone_generation));
}

uint32_t IndexletIndex::batch_count() {
  static const uint32_t count = std::clamp(std::thread::hardware_concurrency(), 1U, kMostBatches);
  return count;
}

void IndexletIndex::count_memory(int64_t bytes) const {
  buffer_bytes_.fetch_add(static_cast<uint64_t>(bytes), std::memory_order_relaxed);
  if (account_ != nullptr) account_->add(MemoryKind::kIndexes, bytes);
}

uint64_t IndexletIndex::memory_bytes() const {
  return tree_->memory_bytes() + buffer_bytes_.load(std::memory_order_relaxed);
}

// The phantomlet's parts were chosen for fewer entries.
bool IndexletIndex::outgrown() const { return tree_->entry_count() > 1024 + 4 * entries_then_; }

void IndexletIndex::open() {
  std::unique_lock life(life_, std::try_to_lock);  // else another thread is at it
  if (!life.owns_lock() || indexlet_.load(std::memory_order_relaxed) != nullptr) return;
  std::string least, greatest;
  for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
    const auto scan = tree_->scan(KeyRange::all(), direction);
    const auto found = scan->next(1);
    if (!found.empty()) (direction == Direction::kForward ? least : greatest) = found.front().key;
  }
  if (greatest < least) greatest = least;  // emptied in between
  const uint32_t capacity = std::bit_ceil(4 * batch_count() * kMostEntries);
  auto indexlet = std::make_unique<Indexlet>(epochs_, capacity, Phantomlet(least, greatest));
  count_memory(static_cast<int64_t>(indexlet->bytes() + Phantomlet::bytes()));
  entries_then_ = tree_->entry_count();
  made_us_ = now_us();
  quiet_rounds_ = 0;
  direct_writes_.store(0, std::memory_order_relaxed);
  if (buffering_.needs_contention() && most_entries_.load(std::memory_order_relaxed) == 0) {
    most_entries_.store(kLeastEntries, std::memory_order_relaxed);
  }
  indexlet_.store(indexlet.release(), std::memory_order_release);  // pairs with its readers
  join_service();
  // The service finds out when it is quiet, even if nothing is written any more.
  if (service_ != nullptr) service_->wake();
}

void IndexletIndex::close() const {
  const std::lock_guard life(life_);
  Indexlet* const indexlet = indexlet_.load(std::memory_order_relaxed);
  if (indexlet == nullptr) return;
  const MustNotFail no_failure;
  indexlet->close();
  {
    EpochManager::WriteGuard guard(epochs_);
    indexlet->pass_all_homes();
  }
  // No name is posted any more. A thread that has copied some has merged them by the time its batch has its turn here.
  for (uint32_t i = 0; i < batch_count(); i++) merge(batches_[i], KeyRange::all(), Why::kService);
  count_memory(-static_cast<int64_t>(indexlet->bytes() + Phantomlet::bytes()));
  {
    EpochManager::WriteGuard guard(epochs_);              // no clone is being made
    indexlet_.store(nullptr, std::memory_order_release);  // what it had is in the tree, for who finds none
  }
  epochs_.retire(
      indexlet, [](void*, void* object) { delete static_cast<Indexlet*>(object); }, nullptr);
}

}  // namespace indigo::storage
