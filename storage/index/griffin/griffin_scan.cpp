// Reading of GriffinIndex, and its check.
#include <algorithm>
#include <vector>

#include "storage/index/griffin/griffin_index.h"

namespace indigo::storage {

// A scan of the hash table for one key, of the tree for other ranges.
class GriffinScan final : public IndexScan {
 public:
  GriffinScan(const GriffinIndex& index, const KeyRange& range, Direction direction) : index_(index) {
    rebind(range, direction);
  }

  void rebind(const KeyRange& range, Direction direction) override {
    const bool point = is_one_key(range);
    std::unique_ptr<IndexScan>& part = point ? points_ : ranges_;
    if (part != nullptr) {
      part->rebind(range, direction);
    } else {
      Index& structure = point ? static_cast<Index&>(*index_.hash_) : static_cast<Index&>(*index_.tree_);
      part = structure.scan(range, direction);
    }
    active_ = part.get();
    to_repair_ = !point;
    if (to_repair_) range_ = range;
  }

  std::span<const IndexEntry> next(size_t max_entries) override {
    if (to_repair_) index_.repair(range_);
    to_repair_ = false;
    return active_->next(max_entries);
  }

 private:
  const GriffinIndex& index_;
  KeyRange range_;
  bool to_repair_ = false;
  std::unique_ptr<IndexScan> points_, ranges_;
  IndexScan* active_ = nullptr;
};

std::unique_ptr<IndexScan> GriffinIndex::scan(const KeyRange& range, Direction direction) {
  return std::make_unique<GriffinScan>(*this, range, direction);
}

// Merges what waits, so that the service has nothing to do meanwhile: not while writers are kept out.
std::string GriffinIndex::check() const {
  repair(KeyRange::all());
  if (const std::string wrong = hash_->check(); !wrong.empty()) return "hash: " + wrong;
  if (const std::string wrong = tree_->check(); !wrong.empty()) return "tree: " + wrong;
  if (hash_->entry_count() != tree_->entry_count()) return "hash and tree have not as many entries";
  constexpr size_t kBatch = 256;
  const auto scan = tree_->scan(KeyRange::all(), Direction::kForward);
  for (auto entries = scan->next(kBatch); !entries.empty(); entries = scan->next(kBatch)) {
    for (const IndexEntry& e : entries) {
      if (!hash_->contains({e.key, e.primary_key})) return "the tree has an entry that the hash has not";
    }
  }
  const IndexServiceStatistics s = *service_statistics();
  if (s.backlog_entries != 0 || s.backlog_bytes != 0) return "something is still pending";
  if (pending_bytes_.load(std::memory_order_relaxed) != 0) return "the bytes of what is pending are miscounted";
  return {};
}

}  // namespace indigo::storage
