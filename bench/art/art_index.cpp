#include "bench/art/art_index.h"

#include <utility>

namespace indigo::bench {

using art::Child;
using art::Kind;
using art::Leaf;
using art::load_shared;
using art::Node;
using storage::StorageStatus;

namespace {
template <class F>
void for_all(Node* node, F f) {
  node->for_each(0, [&](uint8_t, Child child) {
    if (!child.is_leaf()) for_all(child.node(), f);
    if (child.is_leaf()) f(nullptr, child.leaf());
    return true;
  });
  f(node, nullptr);
}

size_t common_length(Bytes a, Bytes b) {
  const size_t n = std::min(a.size(), b.size());
  return static_cast<size_t>(std::mismatch(a.begin(), a.begin() + static_cast<ptrdiff_t>(n), b.begin()).first -
                             a.begin());
}

uint8_t byte_of(Bytes key, size_t at) { return static_cast<uint8_t>(key[at]); }

Kind smaller(Kind kind) { return static_cast<Kind>(static_cast<int>(kind) - 1); }
Kind larger(Kind kind) { return static_cast<Kind>(static_cast<int>(kind) + 1); }
// With so few children it becomes the smaller kind.
bool too_large(const Node& node) {
  constexpr uint32_t kLeast[] = {0, 4, 13, 38};
  return load_shared(&node.count) <= kLeast[static_cast<size_t>(node.kind)];
}
}  // namespace

ArtIndex::~ArtIndex() {
  for_all(root_, [](Node* node, Leaf* leaf) {
    if (leaf != nullptr) std::free(leaf);
    if (node != nullptr) Node::destroy(node);
  });
}

ArtIndex::Size ArtIndex::measure() const {
  Size size;
  for_all(root_, [&](Node* node, Leaf* leaf) {
    if (node != nullptr) size.bytes += (Node::size(node->kind) + 63) / 64 * 64;
    if (leaf == nullptr) return;
    size.entries++;
    size.bytes += (sizeof(Leaf) + leaf->key_length + leaf->primary_length + 15) / 16 * 16 + 16;  // as malloc counts
  });
  return size;
}

void ArtIndex::retire(Node* node) {
  epochs_.retire(
      node, [](void*, void* object) { Node::destroy(static_cast<Node*>(object)); }, nullptr);
}

bool ArtIndex::step(Way& way, Bytes key, Node* next) {
  const uint64_t version = next->latch.read_begin();
  if (!way.node->latch.validate(way.version)) return false;
  way = {way.node, way.version, byte_of(key, way.depth), next, version, way.depth + 1};
  return true;
}

bool ArtIndex::upgrade_both(const Way& way) {
  if (!way.parent->latch.try_upgrade(way.parent_version)) return false;
  if (way.node->latch.try_upgrade(way.version)) return true;
  way.parent->latch.unlock_unchanged();
  return false;
}

bool ArtIndex::whole_prefix(const Way& way, std::string& scratch) {
  const size_t length = load_shared(&way.node->prefix_length);
  if (length <= Node::kStored) {
    scratch.resize(length);
    storage::copy_from_shared(scratch.data(), way.node->prefix, length);
    return true;
  }
  const Node* node = way.node;
  uint64_t version = way.version;
  for (;;) {
    Child first;
    node->for_each(0, [&](uint8_t, Child child) {
      first = child;
      return false;
    });
    if (!node->latch.validate(version) || !first) return false;
    if (first.is_leaf()) {
      scratch.assign(first.leaf()->key().substr(way.depth, length));
      return way.node->latch.validate(way.version);
    }
    const Node* next = first.node();
    const uint64_t next_version = next->latch.read_begin();
    if (!node->latch.validate(version)) return false;
    node = next;
    version = next_version;
  }
}

// ---- writing

StorageStatus ArtIndex::insert(Bytes key, Bytes primary_key) {
  storage::EpochManager::WriteGuard guard(epochs_);
  Leaf* leaf = Leaf::create(key, primary_key);
  Attempt a = Attempt::kAgain;
  while (a == Attempt::kAgain) a = try_insert(key, leaf);
  if (a == Attempt::kNothing) std::free(leaf);
  return StorageStatus::kOk;
}

StorageStatus ArtIndex::insert_ascending(std::span<const storage::IndexEntry> entries) {
  for (const storage::IndexEntry& e : entries) (void)insert(e.key, e.primary_key);
  return StorageStatus::kOk;
}

void ArtIndex::split_prefix(const Way& way, Bytes key, Bytes prefix, size_t common, Leaf* leaf) {
  Node* above = Node::create(Kind::k4);
  above->set_prefix(prefix.substr(0, common));
  above->add(byte_of(prefix, common), Child(way.node));
  above->add(byte_of(key, way.depth + common), Child(leaf));
  way.node->set_prefix(prefix.substr(common + 1));
  way.parent->replace(way.byte, Child(above));
}

// Another node in place of this one, without one child or with one more.
void ArtIndex::exchange(const Way& way, Kind kind, uint8_t removed, uint8_t added, Leaf* leaf) {
  Node* other = Node::create(kind);
  other->prefix_length = way.node->prefix_length;
  std::copy(std::begin(way.node->prefix), std::end(way.node->prefix), other->prefix);
  way.node->for_each(0, [&](uint8_t byte, Child child) {
    if (leaf != nullptr || byte != removed) other->add(byte, child);
    return true;
  });
  if (leaf != nullptr) other->add(added, Child(leaf));
  way.parent->replace(way.byte, Child(other));
  retire(way.node);
}

ArtIndex::Attempt ArtIndex::try_insert(Bytes key, Leaf* leaf) {
  Way way;
  way.node = root_;
  way.version = root_->latch.read_begin();
  std::string prefix;
  for (;;) {
    Node& node = *way.node;
    if (load_shared(&node.prefix_length) > 0) {
      if (!whole_prefix(way, prefix)) return Attempt::kAgain;
      const size_t common = common_length(prefix, key.substr(std::min(way.depth, key.size())));
      if (common < prefix.size()) {
        if (!upgrade_both(way)) return Attempt::kAgain;
        split_prefix(way, key, prefix, common, leaf);
        node.latch.unlock();
        way.parent->latch.unlock();
        return Attempt::kDone;
      }
      way.depth += prefix.size();
    }
    if (way.depth >= key.size()) return Attempt::kAgain;  // no key is the beginning of another: something changed
    const uint8_t byte = byte_of(key, way.depth);
    const Child child = node.find(byte);
    if (!node.latch.validate(way.version)) return Attempt::kAgain;
    if (!child && node.full()) {
      if (!upgrade_both(way)) return Attempt::kAgain;
      exchange(way, larger(node.kind), 0, byte, leaf);
      node.latch.unlock();
      way.parent->latch.unlock();
      return Attempt::kDone;
    }
    if (!child || child.is_leaf()) {
      if (child && child.leaf()->key() == key) return Attempt::kNothing;
      if (!node.latch.try_upgrade(way.version)) return Attempt::kAgain;
      if (!child) {
        node.add(byte, Child(leaf));
      } else {
        const Bytes rest = key.substr(way.depth + 1), its = child.leaf()->key().substr(way.depth + 1);
        const size_t common = common_length(rest, its);
        Node* both = Node::create(Kind::k4);
        both->set_prefix(rest.substr(0, common));
        both->add(byte_of(its, common), child);
        both->add(byte_of(rest, common), Child(leaf));
        node.replace(byte, Child(both));
      }
      node.latch.unlock();
      return Attempt::kDone;
    }
    if (!step(way, key, child.node())) return Attempt::kAgain;
  }
}

bool ArtIndex::erase(Bytes key, Bytes, const std::function<bool()>&) {
  storage::EpochManager::WriteGuard guard(epochs_);
  Attempt a = Attempt::kAgain;
  while (a == Attempt::kAgain) a = try_erase(key);
  return a == Attempt::kDone;
}

// The other one of two children takes the node's place.
void ArtIndex::collapse(const Way& way, uint8_t removed) {
  uint8_t byte = 0;
  Child other;
  way.node->for_each(0, [&](uint8_t b, Child child) {
    if (b != removed) byte = b, other = child;
    return true;
  });
  if (!other.is_leaf()) {
    Node& below = *other.node();
    below.latch.lock();
    std::string stored(way.node->prefix, std::min<size_t>(way.node->prefix_length, Node::kStored));
    stored.push_back(static_cast<char>(byte));
    stored.append(below.prefix, std::min<size_t>(below.prefix_length, Node::kStored));
    const uint32_t length = way.node->prefix_length + 1 + below.prefix_length;
    stored.resize(std::max<size_t>(length, Node::kStored));
    below.set_prefix(Bytes(stored).substr(0, length));
    below.latch.unlock();
  }
  way.parent->replace(way.byte, other);
  retire(way.node);
}

ArtIndex::Attempt ArtIndex::try_erase(Bytes key) {
  Way way;
  way.node = root_;
  way.version = root_->latch.read_begin();
  for (;;) {
    Node& node = *way.node;
    way.depth += load_shared(&node.prefix_length);  // the leaf tells whether it was the key's
    const Child child = way.depth < key.size() ? node.find(byte_of(key, way.depth)) : Child();
    if (!node.latch.validate(way.version)) return Attempt::kAgain;
    if (!child) return Attempt::kNothing;
    if (!child.is_leaf()) {
      if (!step(way, key, child.node())) return Attempt::kAgain;
      continue;
    }
    if (child.leaf()->key() != key) return Attempt::kNothing;
    const uint8_t byte = byte_of(key, way.depth);
    const bool alone = &node != root_ && node.kind == Kind::k4 && load_shared(&node.count) == 2;
    const bool shrinks = &node != root_ && node.kind != Kind::k4 && too_large(node);
    if (alone || shrinks) {
      if (!upgrade_both(way)) return Attempt::kAgain;
      if (alone) collapse(way, byte);
      if (shrinks) exchange(way, smaller(node.kind), byte, 0, nullptr);
      node.latch.unlock();
      way.parent->latch.unlock();
    } else {
      if (!node.latch.try_upgrade(way.version)) return Attempt::kAgain;
      node.remove(byte);
      node.latch.unlock();
    }
    epochs_.retire(
        child.leaf(), [](void*, void* object) { std::free(object); }, nullptr);
    return Attempt::kDone;
  }
}

// ---- reading

size_t ArtIndex::lookup(Bytes key, std::vector<std::string>& primary_keys) {
  storage::EpochManager::Guard guard(epochs_);
  for (;;) {
    const Node* node = root_;
    uint64_t version = node->latch.read_begin();
    size_t depth = 0;
    for (;;) {
      depth += load_shared(&node->prefix_length);
      const Child child = depth < key.size() ? node->find(byte_of(key, depth)) : Child();
      if (!node->latch.validate(version)) break;
      if (!child) return 0;
      if (child.is_leaf()) {
        if (child.leaf()->key() != key) return 0;
        if (primary_keys.empty()) primary_keys.emplace_back();
        primary_keys[0].assign(child.leaf()->primary_key());
        return 1;
      }
      const Node* next = child.node();
      const uint64_t next_version = next->latch.read_begin();
      if (!node->latch.validate(version)) break;
      node = next;
      version = next_version;
      depth++;
    }
  }
}

void ArtIndex::lookup_many(std::span<const Bytes> keys, storage::IndexMatches& out) {
  out.ends.clear();
  std::vector<std::string> found;
  for (const Bytes key : keys) {
    const uint32_t begin = out.count();
    const auto n = static_cast<uint32_t>(lookup(key, found));
    if (n > 0) out.at(begin) = found[0];
    out.ends.push_back(begin + n);
  }
}

class ArtScan final : public storage::IndexScan {
 public:
  ArtScan(const ArtIndex& index, const storage::KeyRange& range) : index_(index) { rebind(range, {}); }

  void rebind(const storage::KeyRange& range, storage::Direction) override {
    range_ = range;
    if (!range_.has_low) range_.low.clear();
    after_ = range_.has_low && !range_.low_inclusive;
  }

  std::span<const storage::IndexEntry> next(size_t max_entries) override {
    storage::EpochManager::Guard guard(index_.epochs_);
    do {
      leaves_.clear();
      done_ = false;
    } while (!collect(index_.root_, index_.root_->latch.read_begin(), 0, true, max_entries));
    bytes_.clear();
    for (const Leaf* leaf : leaves_) bytes_.append(leaf->key()).append(leaf->primary_key());
    entries_.clear();
    size_t at = 0;
    for (const Leaf* leaf : leaves_) {
      const Bytes all(bytes_);
      entries_.push_back({all.substr(at, leaf->key_length), all.substr(at + leaf->key_length, leaf->primary_length)});
      at += size_t{leaf->key_length} + leaf->primary_length;
    }
    if (!entries_.empty()) {
      range_.low.assign(entries_.back().key);
      after_ = true;
    }
    return entries_;
  }

 private:
  // False: something changed. `tight`: the keys here begin as the lower end does.
  bool collect(Node* node, uint64_t version, size_t depth, bool tight, size_t max) {
    ArtIndex::Way way;
    way.node = node;
    way.version = version;
    way.depth = depth;
    const Bytes low(range_.low);
    if (load_shared(&node->prefix_length) > 0) {
      std::string prefix;
      if (tight && !ArtIndex::whole_prefix(way, prefix)) return false;
      if (tight) {
        const int c = Bytes(prefix).compare(low.substr(std::min(depth, low.size()), prefix.size()));
        if (c < 0) return node->latch.validate(version);
        tight = c == 0;
      }
      depth += load_shared(&node->prefix_length);
    }
    tight = tight && depth < low.size();
    const uint8_t first = tight ? byte_of(low, depth) : 0;
    std::pair<uint8_t, Child> children[256];
    size_t n = 0;
    node->for_each(first, [&](uint8_t byte, Child child) {
      children[n++] = {byte, child};
      return n < 256;
    });
    if (!node->latch.validate(version)) return false;
    for (size_t i = 0; i < n && !done_; i++) {
      const auto& [byte, child] = children[i];
      if (child.is_leaf()) {
        const Bytes key = child.leaf()->key();
        const int c = key.compare(low);
        if (range_.has_low || after_ ? c < 0 || (c == 0 && after_) : false) continue;
        const int end = range_.has_high ? key.compare(range_.high) : -1;
        done_ = end > 0 || (end == 0 && !range_.high_inclusive) || leaves_.size() == max;
        if (!done_) leaves_.push_back(child.leaf());
        continue;
      }
      const uint64_t next_version = child.node()->latch.read_begin();
      if (!node->latch.validate(version)) return false;
      if (!collect(child.node(), next_version, depth + 1, tight && byte == first, max)) return false;
    }
    return true;
  }

  const ArtIndex& index_;
  storage::KeyRange range_;
  bool after_ = false;
  bool done_ = false;
  std::vector<const Leaf*> leaves_;
  std::string bytes_;
  std::vector<storage::IndexEntry> entries_;
};

std::unique_ptr<storage::IndexScan> ArtIndex::scan(const storage::KeyRange& range, storage::Direction) {
  return std::make_unique<ArtScan>(*this, range);
}

}  // namespace indigo::bench
