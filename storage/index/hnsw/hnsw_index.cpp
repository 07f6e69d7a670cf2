#include "storage/index/hnsw/hnsw_index.h"

#include <algorithm>
#include <utility>

#include "base/memory/memory_reserve.h"

namespace indigo::storage {

namespace {

using NodeName = std::array<char, sizeof(NeighbourGraph::Id)>;
NodeName name_of(NeighbourGraph::Id id) {
  NodeName out;
  store_unaligned(out.data(), big_endian(id));
  return out;
}
Bytes bytes_of(const NodeName& name) { return {name.data(), name.size()}; }

bool lies_in(const KeyRange& range, Bytes key) {
  if (range.has_low && (range.low_inclusive ? key < range.low : key <= range.low)) return false;
  return !range.has_high || (range.high_inclusive ? key <= range.high : key < range.high);
}

// Has read everything when it is first asked.
class CollectedScan final : public IndexScan {
 public:
  CollectedScan(HnswIndex& index, const KeyRange& range, Direction direction) : index_(index) {
    rebind(range, direction);
  }
  void rebind(const KeyRange& range, Direction direction) override {
    range_ = range;
    direction_ = direction;
    read_ = false;
    all_.clear();
    at_ = 0;
  }
  std::span<const IndexEntry> next(size_t max_entries) override {
    if (!std::exchange(read_, true)) index_.collect(range_, all_);
    out_.clear();
    for (const size_t end = std::min(all_.size(), at_ + std::max<size_t>(max_entries, 1)); at_ < end; at_++) {
      const auto& [key, primary_key] = all_[direction_ == Direction::kForward ? at_ : all_.size() - 1 - at_];
      out_.push_back({key, primary_key});
    }
    return out_;
  }

 private:
  HnswIndex& index_;
  KeyRange range_;
  Direction direction_ = Direction::kForward;
  bool read_ = false;
  std::vector<std::pair<std::string, std::string>> all_;
  size_t at_ = 0;
  std::vector<IndexEntry> out_;
};

}  // namespace

std::unique_ptr<Index> create_hnsw_index(EpochManager& epochs, const PauseHook& pauses) {
  return std::make_unique<HnswIndex>(epochs, nullptr, pauses);
}

HnswIndex::HnswIndex(EpochManager& epochs, MemoryAccount* account, const PauseHook& pauses)
    : epochs_(epochs),
      account_(account),
      tree_(std::make_unique<BtreeIndex>(epochs, account, pauses)),
      graph_(std::make_shared<NeighbourGraph>(GraphShape())) {}

// Writers are kept out: the graph does not change.
HnswIndex::HnswIndex(HnswIndex& source, uint64_t generation, uint64_t clone_generation)
    : epochs_(source.epochs_),
      account_(source.account_),
      tree_(static_cast<BtreeIndex*>(source.tree_->clone(generation, clone_generation).release())),
      graph_(source.graph()) {
  graph_->owners.fetch_add(1, std::memory_order_relaxed);
}

HnswIndex::~HnswIndex() { leave(*graph_); }

std::unique_ptr<Index> HnswIndex::clone(uint64_t generation, uint64_t clone_generation) {
  const MustNotFail no_failure;
  return std::unique_ptr<Index>(new HnswIndex(*this, generation, clone_generation));
}

void HnswIndex::set_graph(const GraphShape& shape) {
  std::lock_guard lock(graph_lock_);
  graph_ = std::make_shared<NeighbourGraph>(shape);
}

void HnswIndex::account_for(int64_t more) {
  if (account_ != nullptr && more != 0) account_->add(MemoryKind::kIndexes, more);
}

// The last owner takes its bytes with it: a scan may still read the graph for a moment.
void HnswIndex::leave(NeighbourGraph& graph) {
  if (graph.owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
    account_for(-static_cast<int64_t>(graph.memory_bytes()));
}

std::shared_ptr<NeighbourGraph> HnswIndex::graph() const {
  std::shared_lock shared(graph_lock_);
  return graph_;
}

std::shared_ptr<NeighbourGraph> HnswIndex::own_graph() {
  {
    std::shared_lock shared(graph_lock_);
    if (graph_->owners.load(std::memory_order_acquire) == 1) return graph_;
  }
  std::lock_guard alone(graph_lock_);
  if (graph_->owners.load(std::memory_order_acquire) > 1) {
    auto own = graph_->copy();
    account_for(static_cast<int64_t>(own->memory_bytes()));
    leave(*std::exchange(graph_, std::move(own)));
  }
  return graph_;
}

// ---- writing

StorageStatus HnswIndex::insert(Bytes key, Bytes primary_key) {
  if (key.size() > kMaxIndexKeyBytes || primary_key.size() > kMaxIndexKeyBytes) return StorageStatus::kTooLarge;
  EpochManager::WriteGuard guard(epochs_);
  std::lock_guard stripe(stripe_of(key));
  const auto [id, bytes] = own_graph()->add(key);
  account_for(static_cast<int64_t>(bytes));
  const NodeName name = name_of(id);
  tree_->insert_guarded({bytes_of(name), primary_key});
  return StorageStatus::kOk;
}

StorageStatus HnswIndex::insert_ascending(std::span<const IndexEntry> entries) {
  for (const IndexEntry& entry : entries) {
    if (const StorageStatus status = insert(entry.key, entry.primary_key); status != StorageStatus::kOk) return status;
  }
  return StorageStatus::kOk;
}

bool HnswIndex::erase(Bytes key, Bytes primary_key, const std::function<bool()>& still_needed) {
  const MustNotFail no_failure;
  EpochManager::WriteGuard guard(epochs_);
  std::lock_guard stripe(stripe_of(key));
  const auto graph = own_graph();
  const auto id = graph->find(key);
  if (!id) return false;
  const NodeName name = name_of(*id);
  if (!tree_->erase_guarded({bytes_of(name), primary_key}, still_needed)) return false;
  std::vector<std::string> others;
  if (tree_->lookup(bytes_of(name), others) == 0) account_for(-static_cast<int64_t>(graph->remove(*id)));
  return true;
}

// ---- reading

size_t HnswIndex::lookup(Bytes key, std::vector<std::string>& primary_keys) {
  const auto id = graph()->find(key);
  return id ? tree_->lookup(bytes_of(name_of(*id)), primary_keys) : 0;
}

void HnswIndex::lookup_many(std::span<const Bytes> keys, IndexMatches& out) {
  out.ends.clear();
  std::vector<std::string> found;
  for (const Bytes key : keys) {
    const size_t n = lookup(key, found);
    for (size_t i = 0; i < n; i++) out.at(out.count() + i) = found[i];
    out.ends.push_back(out.count() + static_cast<uint32_t>(n));
  }
}

std::unique_ptr<IndexScan> HnswIndex::scan(const KeyRange& range, Direction direction) {
  return std::make_unique<CollectedScan>(*this, range, direction);
}

void HnswIndex::collect(const KeyRange& range, std::vector<std::pair<std::string, std::string>>& out) const {
  const auto graph = this->graph();
  if (range.has_low && range.has_high && range.low == range.high) {
    const auto id = graph->find(range.low);
    std::vector<std::string> found;
    const size_t n = id && lies_in(range, range.low) ? tree_->lookup(bytes_of(name_of(*id)), found) : 0;
    for (size_t i = 0; i < n; i++) out.emplace_back(range.low, found[i]);
    return;
  }
  const auto scan = tree_->scan(KeyRange::all(), Direction::kForward);
  for (auto entries = scan->next(256); !entries.empty(); entries = scan->next(256)) {
    for (const IndexEntry& entry : entries) {
      const NodeKey key = graph->key_of(big_endian(load_unaligned<uint64_t>(entry.key.data())));
      if (!key.empty() && lies_in(range, key.bytes())) out.emplace_back(key.bytes(), entry.primary_key);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());  // one that went and came again meanwhile has another node
}

NearestScan HnswIndex::nearest(Bytes target, size_t wanted) const {
  return {graph(), target, std::max<size_t>(wanted, 1)};
}

void HnswIndex::rows_of(std::span<const NearestScan::Found> found, IndexMatches& out) {
  std::vector<NodeName> names;
  std::vector<Bytes> keys;
  names.reserve(found.size());
  for (const auto& f : found) {
    names.push_back(name_of(f.id));
    keys.push_back(bytes_of(names.back()));
  }
  tree_->lookup_many(keys, out);
}

uint64_t HnswIndex::memory_bytes() const { return tree_->memory_bytes() + graph()->memory_bytes(); }

std::string HnswIndex::check() const {
  if (std::string wrong = tree_->check(); !wrong.empty()) return wrong;
  const auto graph = this->graph();
  if (std::string wrong = graph->check(); !wrong.empty()) return wrong;
  const bool shared = graph->owners.load() > 1;
  size_t nodes = 0;
  std::string last;
  const auto scan = tree_->scan(KeyRange::all(), Direction::kForward);
  for (auto entries = scan->next(256); !entries.empty(); entries = scan->next(256)) {
    for (const IndexEntry& entry : entries) {
      if (entry.key == last) continue;
      last = entry.key;
      nodes++;
      if (graph->key_of(big_endian(load_unaligned<uint64_t>(entry.key.data()))).empty())
        return "an entry without a node";
    }
  }
  if (nodes > graph->size() || (!shared && nodes < graph->size())) return "a node without entries";
  return {};
}

}  // namespace indigo::storage
