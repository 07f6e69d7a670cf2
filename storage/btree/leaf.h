// A leaf of the primary tree: the records themselves.
//
// Layout of a block of node_bytes (16 KB by default), 64-byte aligned:
//   0    header (this struct, 128 bytes)
//   128  RecordMeta[count], sorted by key
//        free space
//   end  bodies in arrival order ("nearly sorted"), growing downward; a body is the full key (when longer than the
//        prefix) and the payload. Fence keys longer than the prefix lie here too.
//
// Thread safety: writers hold `latch`; readers work optimistically (functions marked "optimistic" may meet torn bytes:
// they stay within the block, and their answers count only after latch.validate()). The low fence and node_bytes never
// change.
//
// A leaf that trees share (node_memory.h) belongs to the tree of its generation: control bits, predecessors and the
// successor are that tree's, and are all that it may still change; the others see committed_only() metas.
//
// Invariants:
// 1. All keys k satisfy low fence <= k < high fence; the successor's low fence is this leaf's high fence.
// 2. A frozen leaf is out of the tree for good (merged away): start again at the root.
// 3. block_bytes counts everything from the end to the lowest body; delete_bytes what of it is unused.
// Source: Index-Organized 4.3, figure 6.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "storage/btree/key_view.h"
#include "storage/btree/latch.h"
#include "storage/btree/record_meta.h"

namespace indigo::storage {

class Leaf {
 public:
  static constexpr size_t kHeaderBytes = 128;
  static constexpr size_t kMinBytes = 1024;
  static constexpr size_t kPrefetchedBytes = 512;

  // The status word, loaded at once.
  struct Status {
    uint32_t count = 0;
    bool frozen = false;
    uint32_t block_bytes = 0;
    uint32_t delete_bytes = 0;
  };

  // Makes an empty leaf of `memory`. Only what fits is checked: fences must be shorter than a quarter of the block.
  // It has one reference.
  static Leaf* create(void* memory, size_t node_bytes, uint64_t generation, Bytes low, bool has_high, Bytes high);

  OptimisticLatch latch;

  // ---- optimistic, or under the latch
  Status status() const { return unpack(load_shared(&status_)); }
  Leaf* successor() const { return load_shared(&successor_); }
  RecordMeta meta(size_t i) const {
    const RecordMeta* m = metas() + i;
    RecordMeta r;
    r.control = load_shared(&m->control);
    r.prefix = load_shared(&m->prefix);
    r.stamp = load_shared(&m->stamp);
    r.predecessor = load_shared(&m->predecessor);
    return r;
  }
  uint64_t prefix_at(size_t i) const { return load_shared(&metas()[i].prefix); }
  // Is `key` at or above the high fence? Then it belongs to a successor.
  bool beyond(const KeyView& key) const;
  const char* meta_bytes(size_t i) const { return reinterpret_cast<const char*>(metas() + i); }
  void successor_prefetch() const {
    if (Leaf* s = successor(); s != nullptr) s->prefetch();
  }
  void prefetch_metas(size_t from, size_t to) const {
    const char* end = meta_bytes(to);
    for (const char* p = meta_bytes(from); p < end; p += 64) __builtin_prefetch(p);
  }
  // Prefetches record i's body, as far as a short one goes; a long one's next lines the processor foresees.
  void prefetch_body(size_t i) const {
    RecordMeta m;
    m.control = load_shared(&metas()[i].control);
    const char* p = body(m);
    const size_t length = std::min(m.body_length(), kPrefetchedBytes);
    if (m.offset() + length > node_bytes_) return;  // torn
    for (size_t at = 0; at < length; at += 64) __builtin_prefetch(p + at);
    if (length > 0) __builtin_prefetch(p + length - 1);
  }
  // Index of the first record whose key is >= `key`; `equal` tells whether it is equal.
  size_t lower_bound(const KeyView& key, size_t count, bool& equal) const;
  // Negative, zero or positive as record i's key is below, equal to or above `key`.
  int compare(size_t i, const KeyView& key) const;
  const char* body(const RecordMeta& m) const { return bytes() + m.offset(); }
  const char* payload(const RecordMeta& m) const { return body(m) + m.body_key_length(); }
  // Does the body lie within the block? False for torn metas.
  bool sound(const RecordMeta& m) const { return m.offset() + m.body_length() <= node_bytes_; }
  void append_key(const RecordMeta& m, std::string& to) const;
  std::string key(size_t i) const;
  void low_fence(std::string& to) const { fence(low_prefix_, low_offset_, low_length_, to); }
  // Is the low fence this key?
  bool begins_at(Bytes key) const;
  bool has_low_fence() const { return low_length_ > 0; }
  bool has_high_fence() const { return load_shared(&has_high_) != 0; }
  void high_fence(std::string& to) const;
  size_t node_bytes() const { return node_bytes_; }
  uint64_t generation() const { return load_shared(&generation_); }
  // By the only tree that has the leaf, and made it.
  void set_generation(uint64_t g) { store_shared(&generation_, g); }
  std::atomic<uint32_t>& references() { return references_; }
  // May some record have an OverflowBody?
  bool may_overflow() const { return load_shared(&may_overflow_) != 0; }
  // Prefetches what a look-up reads of the header.
  void prefetch() const { __builtin_prefetch(this); }

  // Prefetches the metas where the key is likely to be.
  void prefetch_record(const KeyView& key) const {
    prefetch_around(guess(key.prefix, status().count, load_shared(&high_prefix_)));
  }

  // ---- under the latch
  size_t free_bytes() const;           // between metas and bodies
  size_t used_bytes() const;           // metas and living bodies
  size_t allocate_body(size_t bytes);  // offset; the caller has checked free_bytes()
  void drop_body(size_t bytes);        // counts bytes as deleted
  char* body_at(size_t offset) { return bytes() + offset; }
  void insert_meta(size_t i, const RecordMeta& m);  // moves the ones behind
  void remove_meta(size_t i);                       // its body is dropped too
  void set_meta(size_t i, const RecordMeta& m);
  void write_body(size_t offset, Bytes key, Bytes payload);
  // Changes the payload of record i in m (flags are the caller's): in place if it fits there, else in a new body.
  // False when the leaf has no room: compact() or split first. set_meta() is the caller's.
  bool replace_payload(RecordMeta& m, Bytes payload);
  // Rewrites the leaf to records [from, to) of `source` (a private copy of a leaf of this size) between these fences.
  void assign(const Leaf& source, size_t from, size_t to, Leaf* successor, bool has_high, Bytes high);
  void append_records(const Leaf& source, size_t from, size_t to);
  // One of them, as `m` describes it.
  void append_record(const Leaf& source, RecordMeta m);
  void compact(void* scratch);  // of this leaf's size
  // As it is for a tree that it is foreign to, with all versions of this stamp, and naming nothing outside itself: for an image
  // (storage/image/). `to` has this leaf's size. No record may have an OverflowBody.
  void copy_detached(void* to, uint64_t stamp) const;
  void set_successor(Leaf* s) { store_shared(&successor_, s); }
  // False when a long fence finds no room.
  bool set_high_fence(Bytes high);
  void freeze();

  // Guarded by the latch: is the leaf in its table's list of leaves to clean?
  bool queued = false;

 private:
  Leaf() = default;
  // Records around the place where a key should be that are searched first, and those that are prefetched to each side.
  static constexpr size_t kWindow = 16;
  static constexpr size_t kPrefetchedAround = 4;
  // Where a key would be if keys were spread evenly between the fences; below `count` (or 0).
  size_t guess(uint64_t prefix, size_t count, uint64_t high_prefix) const {
    if (prefix <= low_prefix_ || prefix >= high_prefix || count == 0) return 0;
    double part = static_cast<double>(prefix - low_prefix_) / static_cast<double>(high_prefix - low_prefix_);
    return std::min(static_cast<size_t>(part * static_cast<double>(count)), count - 1);
  }
  void prefetch_around(size_t i) const {
    const char* p = meta_bytes(i - std::min(i, kPrefetchedAround));
    for (size_t line = 0; line <= 2 * kPrefetchedAround * sizeof(RecordMeta); line += 64) __builtin_prefetch(p + line);
  }
  size_t lower_bound_of_prefix(uint64_t prefix, size_t count, uint64_t high_prefix) const;
  static constexpr int kFrozenShift = 19;
  static constexpr int kBlockShift = 20;
  static constexpr int kDeleteShift = 42;
  static constexpr uint64_t kSizeMask = (1u << 22) - 1;
  static Status unpack(uint64_t word) {
    return {static_cast<uint32_t>(word & 0xffff), ((word >> kFrozenShift) & 1) != 0,
            static_cast<uint32_t>((word >> kBlockShift) & kSizeMask), static_cast<uint32_t>(word >> kDeleteShift)};
  }
  void store_status(const Status& s);
  void fence(uint64_t prefix, uint32_t offset, uint32_t length, std::string& to) const;
  void reset(bool has_high, Bytes high);
  const char* bytes() const { return reinterpret_cast<const char*>(this); }
  char* bytes() { return reinterpret_cast<char*>(this); }
  const RecordMeta* metas() const { return reinterpret_cast<const RecordMeta*>(bytes() + kHeaderBytes); }
  RecordMeta* metas() { return reinterpret_cast<RecordMeta*>(bytes() + kHeaderBytes); }

  uint64_t status_ = 0;  // count 16, control 3 (unused), frozen 1, block size 22, delete size 22
  Leaf* successor_ = nullptr;
  uint32_t node_bytes_ = 0;
  uint32_t has_high_ = 0;
  uint64_t low_prefix_ = 0;
  uint64_t high_prefix_ = 0;
  uint64_t generation_ = 0;
  // So far the first cacheline, with all that looking up a short key reads.
  uint32_t low_offset_ = 0;
  uint32_t high_offset_ = 0;
  uint32_t low_length_ = 0;
  uint32_t high_length_ = 0;
  uint32_t may_overflow_ = 0;
  std::atomic<uint32_t> references_{1};
};

static_assert(sizeof(Leaf) <= Leaf::kHeaderBytes);

}  // namespace indigo::storage
