#include "storage/index/hydralist/data_node.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "base/bytes.h"
#include "storage/index/hash_index.h"

namespace indigo::storage {

namespace {

constexpr uint32_t kLeastBlockBytes = 512;
constexpr uint32_t kBlockStep = 256;

std::string joined(const EntryKey& anchor) {
  std::string bytes(anchor.key);
  bytes.append(anchor.primary_key);
  return bytes;
}

}  // namespace

DataNode::Block* DataNode::Block::create(uint32_t capacity) {
  return new (::operator new(sizeof(Block) + capacity)) Block{capacity};
}
void DataNode::Block::destroy(Block* block) { ::operator delete(block); }

DataNode::DataNode(const EntryKey& anchor, uint32_t block_bytes)
    : anchor_key_length_(static_cast<uint32_t>(anchor.key.size())),
      anchor_(joined(anchor)),
      block_(Block::create(block_bytes)) {
  std::memset(slots_, 0, sizeof slots_);
}

DataNode::~DataNode() { Block::destroy(block_); }

uint32_t DataNode::block_bytes_for(size_t live) {
  const size_t wanted = std::max<size_t>(kLeastBlockBytes, live);
  return static_cast<uint32_t>((wanted + kBlockStep - 1) / kBlockStep * kBlockStep);
}

// ---- optimistic reading

bool DataNode::equals(uint32_t slot, const EntryKey& entry) const {
  const Slot s{load_shared(&slots_[slot].offset), load_shared(&slots_[slot].key_length),
               load_shared(&slots_[slot].primary_length)};
  if (s.key_length != entry.key.size() || s.primary_length != entry.primary_key.size()) return false;
  const Block* const block = this->block();
  if (s.offset + s.bytes() > block->capacity) return false;  // garbage
  const char* const bytes = block->bytes() + s.offset;
  return compare_shared(bytes, entry.key.data(), s.key_length) == 0 &&
         compare_shared(bytes + s.key_length, entry.primary_key.data(), s.primary_length) == 0;
}

uint32_t DataNode::find(const EntryKey& entry, uint64_t hash) const {
  uint64_t candidates = fingerprints_.match(fingerprint(hash)) & load_shared(&used_);
  for (; candidates != 0; candidates &= candidates - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(candidates));
    if (equals(slot, entry)) return slot;
  }
  return kSlots;
}

size_t DataNode::read_key(Bytes key, uint64_t hash, std::vector<std::string>& primary_keys, size_t count) const {
  uint64_t candidates = fingerprints_.match(fingerprint(hash)) & load_shared(&used_);
  for (; candidates != 0; candidates &= candidates - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(candidates));
    const Slot s{load_shared(&slots_[slot].offset), load_shared(&slots_[slot].key_length),
                 load_shared(&slots_[slot].primary_length)};
    const Block* const block = this->block();
    if (s.key_length != key.size() || s.offset + s.bytes() > block->capacity) continue;
    const char* const bytes = block->bytes() + s.offset;
    if (compare_shared(bytes, key.data(), s.key_length) != 0) continue;
    if (count == primary_keys.size()) primary_keys.emplace_back();
    primary_keys[count].resize(s.primary_length);
    copy_from_shared(primary_keys[count].data(), bytes + s.key_length, s.primary_length);
    count++;
  }
  return count;
}

bool DataNode::copy(uint64_t version, Copy& out) const {
  out.used_ = load_shared(&used_);
  out.count_ = static_cast<uint32_t>(std::popcount(out.used_));
  copy_from_shared(out.slots_, slots_, sizeof slots_);
  const Block* const block = this->block();
  const uint32_t used = std::min(load_shared(&used_bytes_), block->capacity);
  out.bytes_.resize(used);
  copy_from_shared(out.bytes_.data(), block->bytes(), used);
  const bool ordered = order_.read(version, out.order_);
  if (!latch.validate(version)) return false;
  if (!ordered) {
    out.sort();
    order_.publish(version, out.order_);
  }
  return true;
}

void DataNode::copy_latched(Copy& out) const {
  out.used_ = used_;
  out.count_ = count();
  std::memcpy(out.slots_, slots_, sizeof slots_);
  out.bytes_.assign(block_->bytes(), used_bytes_);
  out.sort();
}

bool DataNode::Order::read(uint64_t wanted, uint8_t* out) const {
  const uint64_t before = sequence.load(std::memory_order_acquire);  // pairs with publish()
  if ((before & 1) != 0 || load_shared(&version) != wanted) return false;
  copy_from_shared(out, slots, sizeof slots);
  std::atomic_thread_fence(std::memory_order_acquire);  // the reads above stay before the load below
  return sequence.load(std::memory_order_relaxed) == before;
}

void DataNode::Order::publish(uint64_t of, const uint8_t* from) {
  uint64_t before = sequence.load(std::memory_order_relaxed);
  if ((before & 1) != 0 || !sequence.compare_exchange_strong(before, before + 1, std::memory_order_acquire)) return;
  std::atomic_thread_fence(std::memory_order_release);  // the odd number comes before the stores below
  store_shared(&version, of);
  copy_to_shared(slots, from, sizeof slots);
  sequence.store(before + 2, std::memory_order_release);  // pairs with read()
}

// By the eight bytes behind what all keys have in common, and where these are equal by everything.
void DataNode::Copy::sort() {
  struct Head {
    uint64_t bytes;
    uint8_t slot;
  };
  std::array<Head, kSlots> heads;
  uint32_t n = 0;
  size_t common = SIZE_MAX;
  Bytes first;
  for (uint64_t left = used_; left != 0; left &= left - 1) {
    const auto s = static_cast<uint8_t>(std::countr_zero(left));
    const Bytes key = slot(slots_[s]).key;
    if (n == 0) first = key;
    const size_t most = std::min({common, key.size(), first.size()});
    common = static_cast<size_t>(
        std::mismatch(first.begin(), first.begin() + static_cast<ptrdiff_t>(most), key.begin()).first - first.begin());
    heads[n++].slot = s;
  }
  for (uint32_t i = 0; i < n; i++) {
    char bytes[8] = {};
    const Bytes rest = slot(slots_[heads[i].slot]).key.substr(common);
    std::memcpy(bytes, rest.data(), std::min(rest.size(), sizeof bytes));
    heads[i].bytes = big_endian(load_unaligned<uint64_t>(bytes));
  }
  std::sort(heads.begin(), heads.begin() + n, [this](const Head& a, const Head& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : slot(slots_[a.slot]) < slot(slots_[b.slot]);
  });
  for (uint32_t i = 0; i < n; i++) order_[i] = heads[i].slot;
}

uint32_t DataNode::Copy::lower_bound(const EntryKey& place) const {
  uint32_t low = 0, high = count_;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (at(middle) < place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// ---- latched

EntryKey DataNode::entry(uint32_t slot) const {
  const Slot& s = slots_[slot];
  const char* const bytes = block_->bytes() + s.offset;
  return {{bytes, s.key_length}, {bytes + s.key_length, s.primary_length}};
}

DataNode::Block* DataNode::replace_block(size_t bytes) {
  Block* const old = block_;
  // Growth leaves room for a few more, so that a node does not grow with each entry.
  const size_t wanted = live_bytes_ + bytes;
  Block* const fresh = Block::create(block_bytes_for(wanted + (wanted > old->capacity ? wanted / 4 : 0)));
  uint32_t at = 0;
  for (uint64_t left = used_; left != 0; left &= left - 1) {
    Slot& s = slots_[std::countr_zero(left)];
    std::memcpy(fresh->bytes() + at, old->bytes() + s.offset, s.bytes());
    store_shared(&s.offset, at);
    at += static_cast<uint32_t>(s.bytes());
  }
  store_shared(&used_bytes_, at);
  __atomic_store_n(&block_, fresh, __ATOMIC_RELEASE);
  return old;
}

void DataNode::put(uint32_t slot, const EntryKey& entry, uint8_t fingerprint) {
  Slot& s = slots_[slot];
  char* const bytes = block_->bytes() + used_bytes_;
  copy_to_shared(bytes, entry.key.data(), entry.key.size());
  copy_to_shared(bytes + entry.key.size(), entry.primary_key.data(), entry.primary_key.size());
  store_shared(&s.offset, used_bytes_);
  store_shared(&s.key_length, static_cast<uint16_t>(entry.key.size()));
  store_shared(&s.primary_length, static_cast<uint16_t>(entry.primary_key.size()));
  const auto size = static_cast<uint32_t>(entry.key.size() + entry.primary_key.size());
  store_shared(&used_bytes_, used_bytes_ + size);
  live_bytes_ += size;
  store_shared(&fingerprints_.bytes[slot], fingerprint);
  store_shared(&used_, used_ | uint64_t{1} << slot);
}

void DataNode::insert(const EntryKey& entry, uint64_t hash) {
  put(static_cast<uint32_t>(std::countr_one(used_)), entry, fingerprint(hash));
}

void DataNode::remove(uint32_t slot) {
  live_bytes_ -= static_cast<uint32_t>(slots_[slot].bytes());
  store_shared(&used_, used_ & ~(uint64_t{1} << slot));
  if (used_ == 0) store_shared(&used_bytes_, uint32_t{0});
}

bool DataNode::all_before(const EntryKey& place) const {
  for (uint64_t left = used_; left != 0; left &= left - 1) {
    if (!(entry(static_cast<uint32_t>(std::countr_zero(left))) < place)) return false;
  }
  return true;
}

void DataNode::copy_to(DataNode& to) const {
  for (uint64_t left = used_; left != 0; left &= left - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(left));
    to.put(static_cast<uint32_t>(std::countr_one(to.used_)), entry(slot), fingerprints_.bytes[slot]);
  }
}

std::string DataNode::check_latched() const {
  size_t live = 0;
  for (uint64_t left = used_; left != 0; left &= left - 1) {
    const auto slot = static_cast<uint32_t>(std::countr_zero(left));
    live += slots_[slot].bytes();
    if (slots_[slot].offset + slots_[slot].bytes() > used_bytes_) return "an entry lies outside its node's block";
    if (fingerprints_.bytes[slot] != fingerprint(HashIndex::hash_of(entry(slot).key))) return "a fingerprint is wrong";
  }
  if (live != live_bytes_ || used_bytes_ > block()->capacity) return "the bytes of a node are miscounted";
  return {};
}

void DataNode::move_to(DataNode& to, const Copy& copy, uint32_t from, uint32_t end) {
  for (uint32_t i = from; i < end; i++) {
    const uint32_t slot = copy.order_[i];
    to.put(static_cast<uint32_t>(std::countr_one(to.used_)), entry(slot), fingerprints_.bytes[slot]);
  }
  for (uint32_t i = from; i < end; i++) remove(copy.order_[i]);
}

}  // namespace indigo::storage
