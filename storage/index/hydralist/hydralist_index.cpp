// How HydralistIndex begins, is cloned and ends, and how its search layers are brought up to date.
#include "storage/index/hydralist/hydralist_index.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "base/memory/memory_reserve.h"

namespace indigo::storage {

namespace {
uint64_t hydralist_now_us() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}
}  // namespace

std::unique_ptr<Index> create_hydralist_index(EpochManager& epochs, const PauseHook& pauses, uint32_t replicas) {
  return std::make_unique<HydralistIndex>(epochs, nullptr, pauses, nullptr, replicas);
}
std::unique_ptr<Index> create_hydralist_index(EpochManager& epochs, const PauseHook& pauses, MemoryAccount& account,
                                              IndexService& service, uint32_t replicas) {
  return std::make_unique<HydralistIndex>(epochs, &account, pauses, &service, replicas);
}

uint32_t HydralistIndex::usual_replicas() {
  static const uint32_t nodes = [] {
    uint32_t found = 0;
    std::error_code missing;
    for (uint32_t i = 0; i < kMostReplicas; i++) {
      found += std::filesystem::exists("/sys/devices/system/node/node" + std::to_string(i), missing) ? 1 : 0;
    }
    return std::max(found, 1U);
  }();
  return nodes;
}

HydralistIndex::HydralistIndex(EpochManager& epochs, MemoryAccount* account, const PauseHook& pauses,
                               IndexService* service, uint32_t replicas)
    : epochs_(epochs), account_(account), pauses_(pauses), service_(service), first_(create_node({}, {})) {
  for (uint32_t i = 0; i < std::clamp(replicas, 1U, kMostReplicas); i++) {
    layers_.push_back(std::make_unique<SearchLayer>(epochs));
  }
  if (service_ != nullptr) service_->add(*this);
}

// Writers are kept out: no node is latched or changes. All entries are copied, in order, to nodes that are full.
HydralistIndex::HydralistIndex(HydralistIndex& source, uint32_t replicas)
    : epochs_(source.epochs_),
      account_(source.account_),
      pauses_(source.pauses_),
      service_(source.service_),
      fill_percent_(source.fill_percent_.load(std::memory_order_relaxed)),
      first_(create_node({}, {})) {
  for (uint32_t i = 0; i < replicas; i++) layers_.push_back(std::make_unique<SearchLayer>(epochs_));
  EpochManager::Guard guard(epochs_);
  DataNode* last = first_;
  for (const DataNode* from = source.first_; from != nullptr; from = from->next()) {
    if (from->count() == 0) continue;
    const BlockNeeds needs = from->needs_of(from->used());
    DataNode* to = first_;
    if (from != source.first_) {
      to = create_node(from->anchor(), needs);
      to->set_prev(last);
      last->set_next(to);
      last = to;
      nodes_.fetch_add(1, std::memory_order_relaxed);
      for (const auto& layer : layers_) layer->insert(to);
    } else {
      replace_block(*to, needs);
    }
    from->copy_to(*to, from->used());
    count_entries(from->count());
  }
  if (service_ != nullptr) service_->add(*this);
}

HydralistIndex::~HydralistIndex() {
  if (service_ != nullptr) service_->remove(*this);
  update(true);  // what is deleted goes with its epoch
  if (account_ != nullptr) account_->add(MemoryKind::kIndexes, -static_cast<int64_t>(memory_bytes_.load()));
  for (DataNode* node = first_; node != nullptr;) {
    DataNode* const next = node->next();
    DataNode::destroy(node);
    node = next;
  }
}

std::unique_ptr<Index> HydralistIndex::clone(uint64_t, uint64_t) {
  const MustNotFail no_failure;
  return std::unique_ptr<Index>(new HydralistIndex(*this, static_cast<uint32_t>(layers_.size())));
}

// ---- the search layers

void HydralistIndex::posted() {
  const uint64_t waiting = log_.waiting();
  if (waiting == 0) return;
  uint64_t none = 0;
  if (since_us_.load(std::memory_order_relaxed) == 0) since_us_.compare_exchange_strong(none, hydralist_now_us());
  if (waiting >= (service_ == nullptr ? kMuchToTell : kMostToTell)) {
    stalls_.fetch_add(1, std::memory_order_relaxed);
    update(false);
  } else if (service_ != nullptr) {
    if (waiting >= kMuchToTell) {
      service_->hurry();
    } else {
      service_->wake();
    }
  }
}

void HydralistIndex::update(bool wait) const {
  std::unique_lock updating(updating_, std::defer_lock);
  if (wait) {
    updating.lock();
  } else if (!updating.try_lock()) {
    return;  // another thread is updating them
  }
  const MustNotFail no_failure;
  since_us_.store(0, std::memory_order_relaxed);
  log_.collect(batch_);
  if (batch_.empty()) return;
  for (const auto& layer : layers_) {
    for (const OperationLog::Operation& operation : batch_) {
      pauses_.at(PausePoint::kMergeEntry);
      if (operation.kind == OperationLog::Kind::kInsert) {
        layer->insert(operation.node);
      } else {
        layer->remove(operation.node);
      }
    }
  }
  for (const OperationLog::Operation& operation : batch_) {
    if (operation.kind != OperationLog::Kind::kRemove) continue;
    epochs_.retire(
        operation.node, [](void*, void* node) { DataNode::destroy(static_cast<DataNode*>(node)); }, nullptr);
  }
  batches_.fetch_add(1, std::memory_order_relaxed);
  told_.fetch_add(batch_.size(), std::memory_order_relaxed);
}

std::optional<IndexServiceStatistics> HydralistIndex::service_statistics() const {
  IndexServiceStatistics s;
  s.backlog_entries = log_.waiting();
  s.backlog_bytes = s.backlog_entries * sizeof(OperationLog::Operation);
  const uint64_t since_us = since_us_.load(std::memory_order_relaxed);
  if (s.backlog_entries != 0 && since_us != 0) s.age_us = hydralist_now_us() - since_us;
  s.batches = batches_.load(std::memory_order_relaxed);
  s.merged_entries = told_.load(std::memory_order_relaxed);
  s.stalls = stalls_.load(std::memory_order_relaxed);
  return s;
}

// ---- figures

void HydralistIndex::count_memory(int64_t bytes) const {
  memory_bytes_.fetch_add(static_cast<uint64_t>(bytes), std::memory_order_relaxed);
  if (account_ != nullptr) account_->add(MemoryKind::kIndexes, bytes);
}

void HydralistIndex::count_entries(int64_t change) {
  entries_[thread_shard() % entries_.size()].value.fetch_add(change, std::memory_order_relaxed);
}

uint64_t HydralistIndex::entry_count() const {
  int64_t sum = 0;
  for (const Counter& counter : entries_) sum += counter.value.load(std::memory_order_relaxed);
  return sum < 0 ? 0 : static_cast<uint64_t>(sum);
}

uint64_t HydralistIndex::memory_bytes() const {
  uint64_t bytes = memory_bytes_.load(std::memory_order_relaxed);
  for (const auto& layer : layers_) bytes += layer->memory_bytes();
  return bytes;
}

DataNode* HydralistIndex::create_node(const EntryKey& anchor, const BlockNeeds& needs) const {
  DataNode* const node = DataNode::create(anchor, needs);
  count_memory(static_cast<int64_t>(node->memory_bytes()));
  return node;
}

// Brings the search layers up to date: not while writers are kept out.
std::string HydralistIndex::check() const {
  update(true);
  uint64_t nodes = 0, entries = 0, bytes = 0;
  DataNode::Copy copy;
  const DataNode* before = nullptr;
  for (const DataNode* node = first_; node != nullptr; before = node, node = node->next()) {
    nodes++;
    bytes += node->memory_bytes();
    if (node->deleted()) return "a deleted node is in the list";
    if (node->prev() != before) return "a node's left neighbour is not the one before it";
    if (before != nullptr && !(before->anchor() < node->anchor())) return "anchors do not ascend";
    if (!node->copy(node->latch.read_begin(), copy)) return "a node changes while it is checked";
    for (uint32_t i = 0; i < copy.count(); i++) {
      if (i > 0 && !(copy.at(i - 1) < copy.at(i))) return "the order of a node is wrong";
      if (copy.at(i) < node->anchor()) return "an entry is less than its node's anchor";
      if (node->next() != nullptr && !(copy.at(i) < node->next()->anchor()))
        return "an entry is in a node too far left";
    }
    entries += copy.count();
    if (std::string wrong = node->check_latched(); !wrong.empty()) return wrong;
  }
  if (entries != entry_count()) return "entries are miscounted";
  if (nodes != nodes_.load(std::memory_order_relaxed)) return "nodes are miscounted";
  if (bytes != memory_bytes_.load(std::memory_order_relaxed)) return "memory is miscounted";
  for (const auto& layer : layers_) {
    if (std::string wrong = layer->check(nodes - 1); !wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace indigo::storage
