#include "storage/btree/leaf.h"

#include <cstring>
#include <memory>
#include <new>

#include "base/check.h"
#include "storage/btree/prefix_search.h"

namespace indigo::storage {

void Leaf::store_status(const Status& s) {
  store_shared(&status_, uint64_t{s.count} | uint64_t{s.frozen} << kFrozenShift |
                             uint64_t{s.block_bytes} << kBlockShift | uint64_t{s.delete_bytes} << kDeleteShift);
}

Leaf* Leaf::create(void* memory, size_t node_bytes, uint64_t generation, Bytes low, bool has_high, Bytes high) {
  auto* leaf = new (memory) Leaf();
  leaf->node_bytes_ = static_cast<uint32_t>(node_bytes);
  leaf->generation_ = generation;
  leaf->low_prefix_ = key_prefix(low);
  leaf->low_length_ = static_cast<uint32_t>(low.size());
  if (low.size() > kPrefixBytes) {  // the low fence never moves: it takes the last bytes for good
    leaf->low_offset_ = static_cast<uint32_t>(node_bytes - low.size());
    copy_to_shared(leaf->bytes() + leaf->low_offset_, low.data(), low.size());
  }
  leaf->reset(has_high, high);
  return leaf;
}

void Leaf::reset(bool has_high, Bytes high) {
  Status s;
  s.block_bytes = low_length_ > kPrefixBytes ? low_length_ : 0;
  store_status(s);
  store_shared(&has_high_, uint32_t{0});
  store_shared(&high_length_, uint32_t{0});
  store_shared(&high_prefix_, UINT64_MAX);
  if (has_high) {
    bool fits = set_high_fence(high);
    INDIGO_CHECK(fits);
  }
}

bool Leaf::set_high_fence(Bytes high) {
  uint32_t old_length = load_shared(&high_length_);
  if (high.size() > kPrefixBytes) {
    if (high.size() > free_bytes()) return false;
    size_t offset = allocate_body(high.size());
    copy_to_shared(bytes() + offset, high.data(), high.size());
    store_shared(&high_offset_, static_cast<uint32_t>(offset));
  }
  if (old_length > kPrefixBytes) drop_body(old_length);
  store_shared(&high_prefix_, key_prefix(high));
  store_shared(&high_length_, static_cast<uint32_t>(high.size()));
  store_shared(&has_high_, uint32_t{1});
  return true;
}

void Leaf::freeze() {
  Status s = status();
  s.frozen = true;
  store_status(s);
}

void Leaf::set_meta(size_t i, const RecordMeta& m) {
  RecordMeta* to = metas() + i;
  if (m.overflow()) store_shared(&may_overflow_, uint32_t{1});
  store_shared(&to->control, m.control);
  store_shared(&to->prefix, m.prefix);
  store_shared(&to->stamp, m.stamp);
  store_shared(&to->predecessor, m.predecessor);
}

bool Leaf::beyond(const KeyView& key) const {
  uint64_t high = load_shared(&high_prefix_);
  if (key.prefix < high) return false;
  if (load_shared(&has_high_) == 0) return false;
  if (key.prefix > high) return true;
  size_t length = load_shared(&high_length_);
  if (length <= kPrefixBytes || key.bytes.size() <= kPrefixBytes) return key.bytes.size() >= length;
  size_t offset = load_shared(&high_offset_);
  if (offset + length > node_bytes_) return false;  // torn
  int c = compare_shared(bytes() + offset, key.bytes.data(), std::min(length, key.bytes.size()));
  return c != 0 ? c < 0 : key.bytes.size() >= length;
}

int Leaf::compare(size_t i, const KeyView& key) const {
  const RecordMeta* m = metas() + i;
  uint64_t prefix = load_shared(&m->prefix);
  if (prefix != key.prefix) return prefix < key.prefix ? -1 : 1;
  RecordMeta r;
  r.control = load_shared(&m->control);
  size_t a = r.key_length();
  size_t b = key.bytes.size();
  if (a > kPrefixBytes && b > kPrefixBytes && sound(r)) {
    int c = compare_shared(body(r) + kPrefixBytes, key.bytes.data() + kPrefixBytes, std::min(a, b) - kPrefixBytes);
    if (c != 0) return c;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

size_t Leaf::lower_bound_of_prefix(uint64_t prefix, size_t count, uint64_t high_prefix) const {
  // Branches here are worth their price: the processor continues along the likely way while memory is slow.
  const auto search = [this, prefix](size_t low, size_t high) {
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (prefix_at(middle) < prefix) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  // Keys are often spread evenly between the fences: most lie in a window around the place where they should be, whose
  // lines come from memory together.
  if (count <= kWindow || prefix <= low_prefix_ || prefix >= high_prefix) return search(0, count);
  const size_t probe = guess(prefix, count, high_prefix);
  const size_t first = probe - std::min(probe, kWindow / 2);
  const size_t last = std::min(count, first + kWindow);
  prefetch_around(probe);
  const size_t i = search(first, last);
  if (i == first && first > 0) return search(0, first);
  if (i == last && last < count) return search(last, count);
  return i;
}

size_t Leaf::lower_bound(const KeyView& key, size_t count, bool& equal) const {
  equal = false;
  count = std::min(count, (node_bytes_ - kHeaderBytes) / sizeof(RecordMeta));
  if (count == 0) return 0;
  size_t searched = count;
  uint64_t high_prefix = load_shared(&high_prefix_);
  if (load_shared(&has_high_) == 0) {
    // The last leaf: most often the key is new and above all.
    int c = compare(count - 1, key);
    if (c <= 0) {
      equal = c == 0;
      return equal ? count - 1 : count;
    }
    searched = count - 1;
    high_prefix = prefix_at(count - 1);
  }
  size_t low = lower_bound_of_prefix(key.prefix, searched, high_prefix);
  // Equal prefixes: full comparison among them.
  if (low == count || prefix_at(low) != key.prefix) return low;
  size_t high = low + 1;
  for (size_t step = 1; high < count && prefix_at(high) == key.prefix; step *= 2) high = std::min(count, high + step);
  while (low < high) {
    size_t middle = (low + high) / 2;
    int c = compare(middle, key);
    if (c == 0) {
      equal = true;
      return middle;
    }
    if (c < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool Leaf::begins_at(Bytes key) const {
  if (key.size() != low_length_ || key_prefix(key) != low_prefix_) return false;
  return low_length_ <= kPrefixBytes || compare_shared(bytes() + low_offset_, key.data(), key.size()) == 0;
}

void Leaf::append_key(const RecordMeta& m, std::string& to) const {
  size_t length = m.key_length();
  size_t at = to.size();
  to.resize(at + length);
  if (length <= kPrefixBytes) {
    prefix_to_bytes(m.prefix, length, to.data() + at);
  } else if (sound(m)) {
    copy_from_shared(to.data() + at, body(m), length);
  }
}

std::string Leaf::key(size_t i) const {
  std::string k;
  append_key(meta(i), k);
  return k;
}

void Leaf::fence(uint64_t prefix, uint32_t offset, uint32_t length, std::string& to) const {
  to.clear();
  if (size_t{offset} + length > node_bytes_ && length > kPrefixBytes) return;  // torn
  to.resize(length);
  if (length <= kPrefixBytes) {
    prefix_to_bytes(prefix, length, to.data());
  } else {
    copy_from_shared(to.data(), bytes() + offset, length);
  }
}

void Leaf::high_fence(std::string& to) const {
  fence(load_shared(&high_prefix_), load_shared(&high_offset_), load_shared(&high_length_), to);
}

size_t Leaf::free_bytes() const {
  Status s = status();
  return node_bytes_ - kHeaderBytes - s.count * sizeof(RecordMeta) - s.block_bytes;
}

size_t Leaf::used_bytes() const {
  Status s = status();
  return s.count * sizeof(RecordMeta) + s.block_bytes - s.delete_bytes;
}

size_t Leaf::allocate_body(size_t n) {
  Status s = status();
  s.block_bytes += static_cast<uint32_t>(n);
  store_status(s);
  return node_bytes_ - s.block_bytes;
}

void Leaf::drop_body(size_t n) {
  Status s = status();
  s.delete_bytes += static_cast<uint32_t>(n);
  store_status(s);
}

void Leaf::insert_meta(size_t i, const RecordMeta& m) {
  Status s = status();
  move_shared(metas() + i + 1, metas() + i, (s.count - i) * sizeof(RecordMeta));
  set_meta(i, m);
  s.count++;
  store_status(s);
}

void Leaf::remove_meta(size_t i) {
  Status s = status();
  s.delete_bytes += static_cast<uint32_t>(metas()[i].body_length());
  move_shared(metas() + i, metas() + i + 1, (s.count - i - 1) * sizeof(RecordMeta));
  s.count--;
  store_status(s);
}

void Leaf::write_body(size_t offset, Bytes key, Bytes payload) {
  copy_to_shared(bytes() + offset, key.data(), key.size());
  copy_to_shared(bytes() + offset + key.size(), payload.data(), payload.size());
}

bool Leaf::replace_payload(RecordMeta& m, Bytes payload) {
  size_t old_length = m.payload_length();
  if (payload.size() <= old_length) {
    copy_to_shared(bytes() + m.offset() + m.body_key_length(), payload.data(), payload.size());
    drop_body(old_length - payload.size());
    m.set_body(m.offset(), m.key_length(), payload.size());
    return true;
  }
  size_t key_length = m.body_key_length();
  if (key_length + payload.size() > free_bytes()) return false;
  size_t old_body = m.body_length();
  size_t offset = allocate_body(key_length + payload.size());
  move_shared(bytes() + offset, bytes() + m.offset(), key_length);
  copy_to_shared(bytes() + offset + key_length, payload.data(), payload.size());
  drop_body(old_body);
  m.set_body(offset, m.key_length(), payload.size());
  return true;
}

void Leaf::append_records(const Leaf& source, size_t from, size_t to) {
  for (size_t i = from; i < to; i++) append_record(source, source.metas()[i]);
}

void Leaf::append_record(const Leaf& source, RecordMeta m) {
  Status s = status();
  size_t n = m.body_length();
  s.block_bytes += static_cast<uint32_t>(n);
  size_t offset = node_bytes_ - s.block_bytes;
  copy_to_shared(bytes() + offset, source.bytes() + m.offset(), n);
  m.set_body(offset, m.key_length(), m.payload_length());
  set_meta(s.count++, m);
  store_status(s);
}

void Leaf::assign(const Leaf& source, size_t from, size_t to, Leaf* successor, bool has_high, Bytes high) {
  reset(has_high, high);
  set_successor(successor);
  append_records(source, from, to);
}

void Leaf::compact(void* scratch) {
  copy_from_shared(scratch, this, node_bytes_);
  const auto* source = static_cast<const Leaf*>(scratch);
  std::string high;
  source->high_fence(high);
  assign(*source, 0, source->status().count, source->successor_, source->has_high_ != 0, high);
}

void Leaf::copy_detached(void* to, uint64_t stamp) const {
  std::memcpy(to, this, node_bytes_);
  auto* copy = static_cast<Leaf*>(to);
  new (&copy->latch) OptimisticLatch();
  copy->successor_ = nullptr;
  copy->generation_ = 0;
  new (&copy->references_) std::atomic<uint32_t>(1);
  copy->queued = false;
  const size_t count = status().count;
  for (size_t i = 0; i < count; i++) {
    copy->metas()[i] = metas()[i].committed_only();
    copy->metas()[i].stamp = stamp;
  }
  std::memset(copy->bytes() + kHeaderBytes + count * sizeof(RecordMeta), 0, free_bytes());
}

}  // namespace indigo::storage
