#include "storage/okvl/key_space.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "storage/table/table_impl.h"

namespace indigo::storage {

namespace {

constexpr uint64_t kFirstGapBit = uint64_t{1} << 62;  // of the space's number: no id is that great
constexpr size_t kEntriesAtOnce = 128;

// Appends up to `most` keys of a leaf that lie in the range, `left`: there are more of them; false when the leaf changed
// meanwhile. `fence` is where the walk goes on.
bool keys_of_leaf(const Leaf* leaf, uint64_t version, const KeyRange& range, Direction direction, size_t most,
                  std::vector<std::string>& keys, std::string& fence, bool& more, bool& left) {
  const bool forward = direction == Direction::kForward;
  const size_t count = leaf->status().count;
  more = forward ? leaf->has_high_fence() : leaf->has_low_fence();
  if (forward) {
    leaf->high_fence(fence);
  } else {
    leaf->low_fence(fence);
  }
  const auto position = [&](const std::string& key, bool behind) {
    bool equal;
    const size_t i = leaf->lower_bound(KeyView(key), count, equal);
    return equal && behind ? i + 1 : i;
  };
  const size_t first = range.has_low ? position(range.low, !range.low_inclusive) : 0;
  const size_t end = std::max(first, range.has_high ? position(range.high, range.high_inclusive) : count);
  const size_t taken = std::min(most, end - first);
  left = taken < end - first;
  for (size_t n = 0; n < taken; n++) {
    const RecordMeta m = leaf->meta(forward ? first + n : end - 1 - n);
    if (!leaf->sound(m)) return false;
    leaf->append_key(m, keys.emplace_back());
  }
  return leaf->latch.validate(version);
}

void primary_values(const TableImpl& table, const KeyRange& whole, Direction direction, size_t most,
                    std::vector<std::string>& out, bool& more) {
  const bool forward = direction == Direction::kForward;
  const Tree& tree = table.tree();
  KeyRange range = whole;
  EpochManager::Guard guard(table.epochs());
  std::vector<std::string> keys;
  std::string fence;
  bool at_start = true;
  do {
    uint64_t version;
    keys.clear();
    const Leaf* leaf;
    if (forward) {
      leaf = tree.find_leaf(KeyView(at_start ? Bytes(range.low) : Bytes(fence)), version);
    } else if (!at_start) {
      leaf = tree.find_leaf_before(KeyView(fence), version);
    } else if (!range.has_high) {
      leaf = tree.last_leaf(version);
    } else {
      leaf = range.high_inclusive ? tree.find_leaf(KeyView(range.high), version)
                                  : tree.find_leaf_before(KeyView(range.high), version);
    }
    std::string next;
    bool left;
    if (!keys_of_leaf(leaf, version, range, direction, most - out.size(), keys, next, more, left)) {
      more = true;
      continue;
    }
    fence.swap(next);
    // What was read before lies on the other side of the fence.
    for (std::string& key : keys) out.push_back(std::move(key));
    at_start = false;
    if (left) {
      more = true;
      return;
    }
    // A merge may bring keys of the other side into the next leaf.
    (forward ? range.low : range.high) = fence;
    (forward ? range.has_low : range.has_high) = true;
    (forward ? range.low_inclusive : range.high_inclusive) = forward;
    if (more && forward && whole.has_high) more = whole.high_inclusive ? fence <= whole.high : fence < whole.high;
    if (more && !forward && whole.has_low) more = fence > whole.low;
  } while (more && out.size() < most);
}

bool greatest_primary(const TableImpl& table, Bytes key, bool or_equal, std::string& found) {
  const Tree& tree = table.tree();
  const KeyView view(key);
  EpochManager::Guard guard(table.epochs());
  std::string fence;  // of a leaf that has nothing below the key
  bool at_key = true;
  for (;;) {
    uint64_t version;
    const Leaf* leaf = at_key ? tree.find_leaf(view, version) : tree.find_leaf_before(KeyView(fence), version);
    bool equal;
    const size_t i = leaf->lower_bound(view, leaf->status().count, equal);
    const bool here = i > 0 || (equal && or_equal), more = leaf->has_low_fence();
    if (here) {
      const RecordMeta m = leaf->meta(equal && or_equal ? i : i - 1);
      found.clear();
      if (!leaf->sound(m)) continue;
      leaf->append_key(m, found);
    }
    std::string next;
    if (!here) leaf->low_fence(next);
    if (!leaf->latch.validate(version)) continue;
    if (here || !more) return here;
    fence.swap(next);
    at_key = false;
  }
}

void index_values(const Index& index, const KeyRange& range, Direction direction, size_t most,
                  std::vector<std::string>& out, bool& more) {
  const std::unique_ptr<IndexScan> scan = const_cast<Index&>(index).scan(range, direction);
  more = false;
  for (;;) {
    const auto entries = scan->next(std::min(kEntriesAtOnce, most - out.size() + 1));
    if (entries.empty()) return;
    for (const IndexEntry& e : entries) {
      if (!out.empty() && out.back() == e.key) continue;
      if (out.size() == most) {
        more = true;
        return;
      }
      out.emplace_back(e.key);
    }
  }
}

}  // namespace

KeySpace::KeySpace(const TableImpl& table) : table_(table), index_(nullptr), id_(table.id().value) {}

KeySpace::KeySpace(const TableImpl& table, const TableIndex& index) : table_(table), index_(&index), id_(index.id) {}

TableId KeySpace::table() const { return table_.id(); }

void KeySpace::values(const KeyRange& range, Direction direction, size_t most, std::vector<std::string>& out,
                      bool& more) const {
  out.clear();
  if (index_ == nullptr) {
    primary_values(table_, range, direction, most, out, more);
  } else {
    index_values(*index_->index, range, direction, most, out, more);
  }
}

bool KeySpace::greatest(Bytes key, bool or_equal, std::string& found) const {
  return index_ == nullptr ? greatest_primary(table_, key, or_equal, found)
                           : index_->index->greatest(key, or_equal, found);
}

KeySpace::GapName KeySpace::gap_below(Bytes key, bool or_equal) const {
  std::string found;
  return greatest(key, or_equal, found) ? GapName{id_, std::move(found)} : first_gap();
}

std::optional<KeySpace::GapName> KeySpace::gap_around(Bytes key) const {
  if (index_ != nullptr && !index_->index->ordered()) return std::nullopt;
  std::string found;
  if (!greatest(key, true, found)) return first_gap();
  if (found == key) return std::nullopt;
  return GapName{id_, std::move(found)};
}

KeySpace::GapName KeySpace::first_gap() const { return {IndexId(id_.value | kFirstGapBit), {}}; }

void KeySpace::settle() const {
  // Removals of primary keys look for locks and remove under one latch, which readers of the leaf notice.
  if (index_ == nullptr) return;
  index_->removals.lock();
  index_->removals.unlock();
}

}  // namespace indigo::storage
