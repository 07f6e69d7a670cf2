// Reading of IndexletIndex, and its check.
#include <algorithm>
#include <vector>

#include "base/mutation.h"
#include "storage/index/hash_index.h"
#include "storage/index/indexlet/indexlet_index.h"

namespace indigo::storage {

// ---- points

void IndexletIndex::read_unmerged(Bytes key, std::vector<Unmerged>& out) const {
  out.clear();
  if (nonempty_.load(std::memory_order_acquire) == 0 || mutated(Mutation::kPointsOfTheTree))
    return;  // pairs with merge()
  EpochManager::Guard guard(epochs_);
  const Indexlet* const indexlet = indexlet_.load(std::memory_order_acquire);  // pairs with open()
  if (indexlet == nullptr) return;
  indexlet->read(key, HashIndex::hash_of(key), [&](Bytes primary_key, Indexlet::State state) {
    out.push_back({std::string(primary_key), state == Indexlet::State::kPresent});
  });
}

// Corrects what the tree said, and answers how many there are.
size_t IndexletIndex::apply(const std::vector<Unmerged>& unmerged, std::vector<std::string>& primary_keys,
                            size_t count) {
  for (const Unmerged& u : unmerged) {
    const auto end = primary_keys.begin() + static_cast<ptrdiff_t>(count);
    const auto at = std::lower_bound(primary_keys.begin(), end, u.primary_key);
    const bool there = at != end && *at == u.primary_key;
    if (there == u.present) continue;
    if (u.present) {
      primary_keys.insert(at, u.primary_key);
      count++;
    } else {
      primary_keys.erase(at);
      count--;
    }
  }
  return count;
}

size_t IndexletIndex::lookup(Bytes key, std::vector<std::string>& primary_keys) {
  std::vector<Unmerged> unmerged;
  read_unmerged(key, unmerged);
  const size_t count = tree_->lookup(key, primary_keys);
  return unmerged.empty() ? count : apply(unmerged, primary_keys, count);
}

void IndexletIndex::lookup_many(std::span<const Bytes> keys, IndexMatches& out) {
  struct Concerned {
    size_t key;
    std::vector<Unmerged> unmerged;
  };
  std::vector<Concerned> concerned;
  if (nonempty_.load(std::memory_order_acquire) != 0) {  // pairs with merge()
    std::vector<Unmerged> unmerged;
    for (size_t i = 0; i < keys.size(); i++) {
      read_unmerged(keys[i], unmerged);
      if (!unmerged.empty()) concerned.push_back({i, std::move(unmerged)});
    }
  }
  tree_->lookup_many(keys, out);
  if (concerned.empty()) return;
  IndexMatches corrected;
  std::vector<std::string> found;
  auto next = concerned.begin();
  for (size_t i = 0; i < keys.size(); i++) {
    found.clear();
    for (uint32_t k = out.begin_of(i); k < out.ends[i]; k++) found.push_back(std::move(out.primary_keys[k]));
    if (next != concerned.end() && next->key == i) {
      apply(next->unmerged, found, found.size());
      ++next;
    }
    const uint32_t begin = corrected.count();
    for (size_t k = 0; k < found.size(); k++) corrected.at(begin + k) = std::move(found[k]);
    corrected.ends.push_back(begin + static_cast<uint32_t>(found.size()));
  }
  std::swap(out, corrected);
}

// ---- ranges

class IndexletScan final : public IndexScan {
 public:
  IndexletScan(const IndexletIndex& index, const KeyRange& range, Direction direction)
      : index_(index), scan_(index.tree_->scan(range, direction)), range_(range) {}

  void rebind(const KeyRange& range, Direction direction) override {
    scan_->rebind(range, direction);
    range_ = range;
    to_repair_ = true;
  }

  std::span<const IndexEntry> next(size_t max_entries) override {
    if (to_repair_) index_.repair(range_);
    to_repair_ = false;
    return scan_->next(max_entries);
  }

 private:
  const IndexletIndex& index_;
  const std::unique_ptr<IndexScan> scan_;
  KeyRange range_;
  bool to_repair_ = true;
};

std::unique_ptr<IndexScan> IndexletIndex::scan(const KeyRange& range, Direction direction) {
  return std::make_unique<IndexletScan>(*this, range, direction);
}

bool IndexletIndex::greatest(Bytes key, bool or_equal, std::string& found) {
  if (nonempty_.load(std::memory_order_acquire) == 0)
    return tree_->greatest(key, or_equal, found);  // pairs with merge()
  return greatest_near(*tree_, key, or_equal, found);
}

// ---- figures

// Nothing is merged meanwhile: an entry on its way into the tree would be counted in both or in neither.
uint64_t IndexletIndex::entry_count() const {
  std::array<std::unique_lock<std::mutex>, kMostBatches> merging;
  for (uint32_t i = 0; i < batch_count(); i++) merging[i] = std::unique_lock(batches_[i].merging);
  uint64_t more = 0, fewer = 0;
  {
    EpochManager::Guard guard(epochs_);
    if (const Indexlet* indexlet = indexlet_.load(std::memory_order_acquire);
        indexlet != nullptr) {  // pairs with open()
      indexlet->read_all([&](Bytes key, Bytes primary_key, Indexlet::State state) {
        const bool present = state == Indexlet::State::kPresent;
        if (present != tree_->contains({key, primary_key})) (present ? more : fewer)++;
      });
    }
  }
  return tree_->entry_count() + more - fewer;
}

// Merges what waits and lets the indexlet go: not while writers are kept out.
std::string IndexletIndex::check() const {
  // With its entries, unless they are merged meanwhile, and without.
  for (const bool merged : {false, true}) {
    if (merged) repair(KeyRange::all());
    if (!merged && service_ != nullptr) continue;
    const std::lock_guard life(life_);
    const Indexlet* const indexlet = indexlet_.load(std::memory_order_relaxed);
    if (indexlet == nullptr) continue;
    std::string wrong = indexlet->check();
    if (!wrong.empty()) return wrong;
    bool empty = true;
    indexlet->read_all([&](Bytes, Bytes, Indexlet::State) { empty = false; });
    if (merged && !empty) return "an entry of the indexlet has no name in a batch";
  }
  close();
  const IndexServiceStatistics s = figures();
  if (s.backlog_entries != 0 || s.backlog_bytes != 0) return "something is still unmerged";
  if (buffer_bytes_.load(std::memory_order_relaxed) != 0) return "the bytes of what is unmerged are miscounted";
  return tree_->check();
}

}  // namespace indigo::storage
