#include "storage/okvl/key_space.h"

#include <memory>
#include <mutex>
#include <shared_mutex>

#include "storage/table/table_impl.h"

namespace indigo::storage {

namespace {

constexpr uint64_t kFirstGapBit = uint64_t{1} << 62;  // of the space's number: no id is that great
constexpr size_t kEntriesAtOnce = 128;

bool within(const KeyRange& range, Bytes key) {
  if (range.has_low && (range.low_inclusive ? key < range.low : key <= range.low)) return false;
  return !range.has_high || (range.high_inclusive ? key <= range.high : key < range.high);
}

// Appends the keys of a leaf that lie in the range; false when it changed meanwhile. `fence` is where the walk goes on.
bool keys_of_leaf(const Leaf* leaf, uint64_t version, const KeyRange& range, Direction direction,
                  std::vector<std::string>& keys, std::string& fence, bool& more) {
  const bool forward = direction == Direction::kForward;
  const size_t count = leaf->status().count;
  more = forward ? leaf->has_high_fence() : leaf->has_low_fence();
  if (forward) {
    leaf->high_fence(fence);
  } else {
    leaf->low_fence(fence);
  }
  std::string key;
  for (size_t n = 0; n < count; n++) {
    const RecordMeta m = leaf->meta(forward ? n : count - 1 - n);
    if (!leaf->sound(m)) return false;
    key.clear();
    leaf->append_key(m, key);
    if (within(range, key)) keys.push_back(key);
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
    if (!keys_of_leaf(leaf, version, range, direction, keys, next, more)) {
      more = true;
      continue;
    }
    fence.swap(next);
    // What was read before lies on the other side of the fence.
    for (std::string& key : keys) out.push_back(std::move(key));
    at_start = false;
    // A merge may bring keys of the other side into the next leaf.
    (forward ? range.low : range.high) = fence;
    (forward ? range.has_low : range.has_high) = true;
    (forward ? range.low_inclusive : range.high_inclusive) = forward;
    if (more && forward && whole.has_high) more = whole.high_inclusive ? fence <= whole.high : fence < whole.high;
    if (more && !forward && whole.has_low) more = fence > whole.low;
  } while (more && out.size() < most);
  if (out.size() > most) {
    out.resize(most);
    more = true;
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

bool KeySpace::has(Bytes key) const {
  std::vector<std::string> found;
  bool more;
  values(KeyRange::point(key), Direction::kForward, 1, found, more);
  return !found.empty();
}

KeySpace::GapName KeySpace::gap_below(Bytes key, bool or_equal) const {
  KeyRange below;
  below.has_high = true;
  below.high.assign(key);
  below.high_inclusive = or_equal;
  std::vector<std::string> found;
  bool more;
  values(below, Direction::kBackward, 1, found, more);
  return found.empty() ? first_gap() : GapName{id_, std::move(found.front())};
}

KeySpace::GapName KeySpace::first_gap() const { return {IndexId(id_.value | kFirstGapBit), {}}; }

void KeySpace::settle() const {
  // Removals of primary keys look for locks and remove under one latch, which readers of the leaf notice.
  if (index_ == nullptr) return;
  index_->removals.lock();
  index_->removals.unlock();
}

}  // namespace indigo::storage
