#include "storage/table/ordered_set_index.h"

#include <algorithm>

namespace indigo::storage {

namespace {
constexpr uint64_t kNodeBytes = 112;  // of the set's nodes, about
}

StorageStatus OrderedSetIndex::insert(Bytes key, Bytes primary_key) {
  if (key.size() > kMaxIndexKeyBytes || primary_key.size() > kMaxIndexKeyBytes) return StorageStatus::kTooLarge;
  std::lock_guard lock(mutex_);
  if (entries_.emplace(key, primary_key).second) bytes_ += kNodeBytes + key.size() + primary_key.size();
  return StorageStatus::kOk;
}

bool OrderedSetIndex::erase(Bytes key, Bytes primary_key, const std::function<bool()>& still_needed) {
  std::lock_guard lock(mutex_);
  auto it = entries_.find({std::string(key), std::string(primary_key)});
  if (it == entries_.end() || (still_needed && still_needed())) return false;
  entries_.erase(it);
  bytes_ -= kNodeBytes + key.size() + primary_key.size();
  return true;
}

size_t OrderedSetIndex::lookup(Bytes key, std::vector<std::string>& primary_keys, IndexFootprint*) {
  std::lock_guard lock(mutex_);
  primary_keys.clear();
  for (auto it = entries_.lower_bound({std::string(key), {}}); it != entries_.end() && it->first == key; ++it) {
    primary_keys.push_back(it->second);
  }
  return primary_keys.size();
}

uint64_t OrderedSetIndex::entry_count() const {
  std::lock_guard lock(mutex_);
  return entries_.size();
}

uint64_t OrderedSetIndex::memory_bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

class OrderedSetScan final : public IndexScan {
 public:
  OrderedSetScan(OrderedSetIndex& index, const KeyRange& range, Direction direction)
      : index_(index), range_(range), direction_(direction) {}

  void rebind(const KeyRange& range, Direction direction, IndexFootprint*) override {
    range_ = range;
    direction_ = direction;
    started_ = false;
  }

  std::span<const IndexEntry> next(size_t max_entries) override {
    copies_.clear();
    entries_.clear();
    {
      std::lock_guard lock(index_.mutex_);
      const auto& set = index_.entries_;
      if (direction_ == Direction::kForward) {
        auto it = started_ ? set.upper_bound(last_) : range_.has_low ? set.lower_bound({range_.low, {}}) : set.begin();
        for (; it != set.end() && copies_.size() < max_entries && !above(it->first); ++it) {
          if (!below(it->first)) copies_.push_back(*it);
        }
      } else {
        auto it = started_ ? set.lower_bound(last_) : first_above(set);
        while (it != set.begin() && copies_.size() < max_entries) {
          --it;
          if (below(it->first)) break;
          if (!above(it->first)) copies_.push_back(*it);
        }
      }
    }
    if (!copies_.empty()) {
      started_ = true;
      last_ = copies_.back();
    }
    for (const auto& c : copies_) entries_.push_back({c.first, c.second});
    return entries_;
  }

 private:
  using Set = std::set<std::pair<std::string, std::string>>;
  bool below(Bytes key) const {
    return range_.has_low && (range_.low_inclusive ? key < range_.low : key <= range_.low);
  }
  bool above(Bytes key) const {
    return range_.has_high && (range_.high_inclusive ? key > range_.high : key >= range_.high);
  }
  Set::const_iterator first_above(const Set& set) const {
    if (!range_.has_high) return set.end();
    auto it = set.lower_bound({range_.high, {}});
    while (it != set.end() && !above(it->first)) ++it;
    return it;
  }

  OrderedSetIndex& index_;
  KeyRange range_;
  Direction direction_;
  bool started_ = false;
  std::pair<std::string, std::string> last_;
  std::vector<std::pair<std::string, std::string>> copies_;
  std::vector<IndexEntry> entries_;
};

std::unique_ptr<IndexScan> OrderedSetIndex::scan(const KeyRange& range, Direction direction, IndexFootprint*) {
  return std::make_unique<OrderedSetScan>(*this, range, direction);
}

}  // namespace indigo::storage
