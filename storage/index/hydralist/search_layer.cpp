#include "storage/index/hydralist/search_layer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <vector>

#include "base/check.h"
#include "storage/index/hydralist/anchor_key.h"

namespace indigo::storage {

namespace {
// Where the compiler may not use the instruction for it, std::popcount is a call.
uint32_t bit_count(uint64_t word) {
  word -= word >> 1 & 0x5555555555555555;
  word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<uint32_t>(word * 0x0101010101010101 >> 56);
}
}  // namespace

// Children by their byte, ascending; behind them the prefix.
struct SearchLayer::Node {
  std::array<uint64_t, 4> bits{};    // which bytes have a child
  std::array<uint16_t, 4> before{};  // children of lesser words
  uint32_t prefix_length;
  uint32_t children = 0;    // filled in ascending order while the node is made
  DataNode* own = nullptr;  // whose anchor ends here

  explicit Node(uint32_t length) : prefix_length(length) {}

  Place* places() { return reinterpret_cast<Place*>(this + 1); }
  const Place* places() const { return reinterpret_cast<const Place*>(this + 1); }
  char* prefix_bytes(uint32_t most) { return reinterpret_cast<char*>(places() + most); }
  // The prefix stands behind the children that there are.
  Bytes prefix() const { return {reinterpret_cast<const char*>(places() + children), prefix_length}; }
  size_t bytes() const { return sizeof(Node) + children * sizeof(Place) + prefix_length; }

  bool has(uint8_t byte) const { return (bits[byte / 64] >> (byte % 64) & 1) != 0; }
  // How many children have a lesser byte.
  uint32_t rank(uint8_t byte) const {
    return before[byte / 64] + bit_count(bits[byte / 64] & ((uint64_t{1} << (byte % 64)) - 1));
  }
  void append(uint8_t byte, Child child) {
    bits[byte / 64] |= uint64_t{1} << (byte % 64);
    for (size_t word = byte / 64 + 1; word < 4; word++) before[word]++;
    new (places() + children) Place(child);
    children++;
  }
  template <class Visit>
  void for_each(Visit visit) const {  // visit(byte, child)
    uint32_t i = 0;
    for (uint32_t word = 0; word < 4; word++) {
      for (uint64_t left = bits[word]; left != 0; left &= left - 1) {
        visit(static_cast<uint8_t>(word * 64 + static_cast<uint32_t>(std::countr_zero(left))),
              places()[i++].load(std::memory_order_relaxed));
      }
    }
  }
};

SearchLayer::Node* SearchLayer::create(Bytes prefix, uint32_t children) {
  const size_t bytes = sizeof(Node) + children * sizeof(Place) + prefix.size();
  Node* const made = new (::operator new(bytes)) Node(static_cast<uint32_t>(prefix.size()));
  if (!prefix.empty()) std::memcpy(made->prefix_bytes(children), prefix.data(), prefix.size());
  memory_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  return made;
}

void SearchLayer::retire(Node* node) {
  memory_bytes_.fetch_sub(node->bytes(), std::memory_order_relaxed);
  epochs_.retire(
      node, [](void*, void* object) { ::operator delete(object); }, nullptr);
}

SearchLayer::~SearchLayer() {
  std::vector<Child> left{root_.load(std::memory_order_relaxed)};
  while (!left.empty()) {
    const Child c = left.back();
    left.pop_back();
    if (c == 0 || is_leaf(c)) continue;
    node(c)->for_each([&](uint8_t, Child child) { left.push_back(child); });
    ::operator delete(node(c));
  }
}

// ---- searching

DataNode* SearchLayer::rightmost(Child c) {
  while (!is_leaf(c)) {
    const Node& n = *node(c);
    c = n.places()[n.children - 1].load(std::memory_order_acquire);  // pairs with insert() and remove()
  }
  return leaf(c);
}

DataNode* SearchLayer::floor(const EntryKey& place, Bytes key) const {
  // The last node with something less than the place: `lesser` children, or an anchor that ends there.
  const Node* passed = nullptr;
  uint32_t lesser = 0;
  const char* at = key.data();
  const char* const end = at + key.size();
  Child c = root_.load(std::memory_order_acquire);  // pairs with insert() and remove()
  while (c != 0) {
    if (is_leaf(c)) {
      if ((c & kEnds) != 0 || compare_places(place, leaf(c)->anchor()) >= 0) return leaf(c);
      break;
    }
    const Node& n = *node(c);
    if (n.prefix_length != 0) {
      const Bytes prefix = n.prefix();
      const int compared = Bytes(at, std::min(prefix.size(), static_cast<size_t>(end - at))).compare(prefix);
      if (compared > 0) return rightmost(c);
      if (compared < 0) break;
      at += prefix.size();
    }
    if (at == end) {
      if (n.own != nullptr) return n.own;
      break;
    }
    const auto byte = static_cast<uint8_t>(*at++);
    const uint32_t rank = n.rank(byte);
    if (rank > 0 || n.own != nullptr) {
      passed = &n;
      lesser = rank;
    }
    c = n.has(byte) ? n.places()[rank].load(std::memory_order_acquire) : 0;  // pairs with insert() and remove()
  }
  if (passed == nullptr) return nullptr;
  if (lesser == 0) return passed->own;
  return rightmost(passed->places()[lesser - 1].load(std::memory_order_acquire));  // the same
}

// ---- changing

// A child of a node that is being made; of two, the lesser comes first, and one that ends here before both.
void SearchLayer::add(Node& node, Bytes rest, Child child) {
  if (rest.empty()) {
    node.own = leaf(child);
  } else {
    node.append(static_cast<uint8_t>(rest.front()), is_leaf(child) ? child_of(leaf(child), rest.size() - 1) : child);
  }
}

void SearchLayer::branch(Place& place, Bytes prefix, Bytes a, Child a_child, Bytes b, DataNode* b_node) {
  Node* const made = create(prefix, (a.empty() ? 0 : 1) + (b.empty() ? 0 : 1));
  if (a < b) {
    add(*made, a, a_child);
    add(*made, b, child_of(b_node, b.size()));
  } else {
    add(*made, b, child_of(b_node, b.size()));
    add(*made, a, a_child);
  }
  place.store(child_of(made), std::memory_order_release);  // pairs with floor()
}

SearchLayer::Node* SearchLayer::with(const Node& from, uint8_t byte, Child child) {
  Node* const made = create(from.prefix(), from.children + 1);
  made->own = from.own;
  bool done = false;
  from.for_each([&](uint8_t b, Child c) {
    if (!done && b > byte) {
      made->append(byte, child);
      done = true;
    }
    made->append(b, c);
  });
  if (!done) made->append(byte, child);
  return made;
}

void SearchLayer::insert(DataNode* added) {
  const AnchorKey anchor(added->anchor());
  Bytes rest = anchor.bytes();
  Place* place = &root_;
  for (;;) {
    const Child c = place->load(std::memory_order_relaxed);
    if (c == 0) {
      place->store(child_of(added, rest.size()), std::memory_order_release);  // pairs with floor()
      return;
    }
    if (is_leaf(c)) {
      const AnchorKey other(leaf(c)->anchor());
      const Bytes there = other.bytes().substr(anchor.bytes().size() - rest.size());
      const auto end = std::mismatch(there.begin(), there.end(), rest.begin(), rest.end());
      const auto common = static_cast<size_t>(end.first - there.begin());
      INDIGO_CHECK(common < std::max(there.size(), rest.size()));  // no anchor is here twice
      branch(*place, rest.substr(0, common), there.substr(common), c, rest.substr(common), added);
      return;
    }
    Node& n = *node(c);
    const Bytes prefix = n.prefix();
    const auto end = std::mismatch(prefix.begin(), prefix.end(), rest.begin(), rest.end());
    const auto common = static_cast<size_t>(end.first - prefix.begin());
    if (common < prefix.size()) {
      // The node continues below a new one, with the rest of its prefix.
      Node* const below = create(prefix.substr(common + 1), n.children);
      below->own = n.own;
      n.for_each([&](uint8_t b, Child child) { below->append(b, child); });
      branch(*place, prefix.substr(0, common), prefix.substr(common), child_of(below), rest.substr(common), added);
      retire(&n);
      return;
    }
    rest.remove_prefix(prefix.size());
    if (rest.empty()) {
      Node* const made = create(prefix, n.children);
      made->own = added;
      n.for_each([&](uint8_t b, Child child) { made->append(b, child); });
      place->store(child_of(made), std::memory_order_release);  // pairs with floor()
      retire(&n);
      return;
    }
    const auto byte = static_cast<uint8_t>(rest.front());
    if (!n.has(byte)) {
      Node* const made = with(n, byte, child_of(added, rest.size() - 1));
      place->store(child_of(made), std::memory_order_release);  // pairs with floor()
      retire(&n);
      return;
    }
    place = &n.places()[n.rank(byte)];
    rest.remove_prefix(1);
  }
}

// Without one child, or the anchor that ends there (byte < 0).
void SearchLayer::drop(Place& place, Node& from, int byte) {
  DataNode* const own = byte < 0 ? nullptr : from.own;
  const uint32_t children = from.children - (byte < 0 ? 0 : 1);
  if (children == 0) {
    place.store(child_of(own, from.prefix_length), std::memory_order_release);  // pairs with floor()
  } else if (children == 1 && own == nullptr) {
    // What is left takes its place; a node's prefix gets longer.
    uint8_t left_byte = 0;
    Child left = 0;
    from.for_each([&](uint8_t b, Child c) {
      if (b != byte) {
        left_byte = b;
        left = c;
      }
    });
    if (!is_leaf(left)) {
      Node& below = *node(left);
      std::string prefix(from.prefix());
      prefix.push_back(static_cast<char>(left_byte));
      prefix.append(below.prefix());
      Node* const made = create(prefix, below.children);
      made->own = below.own;
      below.for_each([&](uint8_t b, Child c) { made->append(b, c); });
      place.store(child_of(made), std::memory_order_release);  // pairs with floor()
      retire(&below);
    } else {
      place.store(left & ~kEnds, std::memory_order_release);  // pairs with floor(); it ends further below, if at all
    }
  } else {
    Node* const made = create(from.prefix(), children);
    made->own = own;
    from.for_each([&](uint8_t b, Child c) {
      if (b != byte) made->append(b, c);
    });
    place.store(child_of(made), std::memory_order_release);  // pairs with floor()
  }
  retire(&from);
}

void SearchLayer::remove(DataNode* removed) {
  const AnchorKey anchor(removed->anchor());
  Bytes rest = anchor.bytes();
  Place* place = &root_;
  if (is_leaf_of(root_.load(std::memory_order_relaxed), removed)) {
    root_.store(0, std::memory_order_release);  // pairs with floor()
    return;
  }
  for (;;) {
    const Child c = place->load(std::memory_order_relaxed);
    INDIGO_CHECK(c != 0 && !is_leaf(c));  // it is here
    Node& n = *node(c);
    rest.remove_prefix(n.prefix_length);
    if (rest.empty()) {
      INDIGO_CHECK(n.own == removed);
      drop(*place, n, -1);
      return;
    }
    const auto byte = static_cast<uint8_t>(rest.front());
    INDIGO_CHECK(n.has(byte));
    Place& child = n.places()[n.rank(byte)];
    if (is_leaf_of(child.load(std::memory_order_relaxed), removed)) {
      drop(*place, n, byte);
      return;
    }
    rest.remove_prefix(1);
    place = &child;
  }
}

std::string SearchLayer::check(uint64_t count) const {
  uint64_t found = 0, bytes = 0;
  std::vector<Child> left{root_.load(std::memory_order_acquire)};
  while (!left.empty()) {
    const Child c = left.back();
    left.pop_back();
    if (c == 0) continue;
    if (is_leaf(c)) {
      found++;
      const AnchorKey key(leaf(c)->anchor());
      if (leaf(c)->deleted()) return "the search layer has a deleted node";
      if (floor(leaf(c)->anchor(), key.bytes()) != leaf(c))
        return "the search layer does not find an anchor that it has";
      continue;
    }
    const Node& n = *node(c);
    bytes += n.bytes();
    if (n.children + (n.own == nullptr ? 0 : 1) < 2) return "a node of the search layer has fewer than two children";
    if (n.own != nullptr) left.push_back(child_of(n.own, 0));
    n.for_each([&](uint8_t, Child child) { left.push_back(child); });
  }
  if (found != count) return "the search layer has not the nodes that there are";
  if (bytes != memory_bytes()) return "the memory of the search layer is miscounted";
  return {};
}

}  // namespace indigo::storage
