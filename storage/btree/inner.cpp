#include "storage/btree/inner.h"

#include <new>

#include "storage/btree/prefix_search.h"
#include "storage/memory/valenblock.h"

namespace indigo::storage {

bool Inner::Parts::too_large() const {
  if (children.size() > kMaxChildren) return true;
  if (children.size() <= 4) return false;
  size_t bytes = 0;
  for (const auto& s : separators) bytes += s.size() > kPrefixBytes ? s.size() : 0;
  return bytes > kMaxKeyBytes;
}

Inner* Inner::create(Valenblock& memory, const Parts& parts, uint64_t generation) {
  size_t n = parts.children.size();
  size_t fixed = sizeof(Inner) + n * (sizeof(uint64_t) + sizeof(Separator) + sizeof(std::atomic<void*>));
  size_t bytes = fixed;
  for (const auto& s : parts.separators) bytes += s.size() > kPrefixBytes ? s.size() : 0;
  bytes = (bytes + 63) & ~size_t{63};  // as the allocator rounds
  auto* node = new (memory.allocate(bytes)) Inner();
  node->bytes_ = static_cast<uint32_t>(bytes);
  node->level_ = parts.level;
  node->generation_ = generation;
  node->child_count_ = static_cast<uint32_t>(n);
  auto* prefixes = const_cast<uint64_t*>(node->prefixes());
  auto* separators = const_cast<Separator*>(node->separators());
  size_t at = fixed;
  for (size_t i = 0; i + 1 < n; i++) {
    const std::string& s = parts.separators[i];
    prefixes[i] = key_prefix(s);
    separators[i] = {static_cast<uint32_t>(at), static_cast<uint32_t>(s.size())};
    if (s.size() > kPrefixBytes) {
      std::memcpy(reinterpret_cast<char*>(node) + at, s.data(), s.size());
      at += s.size();
    }
  }
  for (size_t i = 0; i < n; i++) new (node->children() + i) std::atomic<void*>(parts.children[i]);
  return node;
}

Inner::Parts Inner::parts() const {
  Parts p;
  p.level = level_;
  p.separators.reserve(child_count_);
  p.children.reserve(child_count_ + 1);
  char buffer[kPrefixBytes];
  for (size_t i = 0; i + 1 < child_count_; i++) p.separators.emplace_back(separator(i, buffer));
  for (size_t i = 0; i < child_count_; i++) p.children.push_back(child(i));
  return p;
}

Bytes Inner::separator(size_t i, char (&buffer)[kPrefixBytes]) const {
  const Separator& s = separators()[i];
  if (s.length > kPrefixBytes) return {reinterpret_cast<const char*>(this) + s.offset, s.length};
  prefix_to_bytes(prefixes()[i], s.length, buffer);
  return {buffer, s.length};
}

int Inner::compare(size_t i, const KeyView& key) const {
  uint64_t p = prefixes()[i];
  if (p != key.prefix) return p < key.prefix ? -1 : 1;
  size_t a = separators()[i].length;
  size_t b = key.bytes.size();
  if (a > kPrefixBytes && b > kPrefixBytes) {
    const char* bytes = reinterpret_cast<const char*>(this) + separators()[i].offset;
    int c = std::memcmp(bytes + kPrefixBytes, key.bytes.data() + kPrefixBytes, std::min(a, b) - kPrefixBytes);
    if (c != 0) return c;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

// How many separators are at or below (kInclusive) or below the key.
template <bool kInclusive>
size_t Inner::search(const KeyView& key) const {
  const uint64_t* p = prefixes();
  size_t n = child_count_ - 1;
  size_t low = first_not_below(0, n, key.prefix, [p](size_t i) { return p[i]; });
  if (low == n || p[low] != key.prefix) return low;
  // Equal prefixes: full comparison among them.
  size_t high = low + 1;
  for (size_t step = 1; high < n && p[high] == key.prefix; step *= 2) high = std::min(n, high + step);
  while (low < high) {
    size_t middle = (low + high) / 2;
    int c = compare(middle, key);
    if (kInclusive ? c <= 0 : c < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

size_t Inner::find(const KeyView& key) const { return search<true>(key); }
size_t Inner::find_before(const KeyView& key) const { return search<false>(key); }

}  // namespace indigo::storage
