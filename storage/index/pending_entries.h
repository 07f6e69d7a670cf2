// Entries that wait for a batch: those whose place in a tree may not be what the structure before it says (griffin/, indexlet/).
// Names only, no operations. A name may be here more than once.
//
// Thread safety: none; the index guards it with a lock of its own.
// Invariant: entries stay in the order in which they came, so the first n of now are the first n until some are removed.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "storage/index/btree_node.h"
#include "storage/key_range.h"

namespace indigo::storage {

class PendingEntries {
 public:
  // Copies of some entries, in key order, each name once.
  class Batch {
   public:
    size_t size() const { return entries_.size(); }
    EntryKey at(size_t i) const { return name(entries_[i]); }
    // Calls merge(entry, i) for each, after ahead() was called with the keys of it and others, of which it is the ith: so the
    // misses of several changes overlap.
    template <size_t kMost, class Ahead, class Merge>
    void for_each_ahead(Ahead ahead, Merge merge) const {
      std::array<Bytes, kMost> keys;
      for (size_t begin = 0; begin < size(); begin += kMost) {
        const size_t n = std::min(kMost, size() - begin);
        for (size_t i = 0; i < n; i++) keys[i] = at(begin + i).key;
        ahead(std::span<const Bytes>(keys.data(), n));
        for (size_t i = 0; i < n; i++) merge(at(begin + i), i);
      }
    }
    void clear();

   private:
    friend class PendingEntries;
    struct Copy {
      uint64_t head;
      size_t offset;
      uint32_t key_length, primary_length;
    };
    EntryKey name(const Copy& c) const {
      const Bytes all(bytes_);
      return {all.substr(c.offset, c.key_length), all.substr(c.offset + c.key_length, c.primary_length)};
    }
    std::string bytes_;
    std::vector<Copy> entries_;
    std::vector<uint32_t> positions_;  // in the list, ascending
  };

  // Answers the bytes that it takes.
  size_t add(const EntryKey& entry);
  size_t size() const { return heads_.size(); }
  size_t bytes() const { return live_bytes_ + size() * kBytesEach; }
  bool overlaps(const KeyRange& range) const;
  void collect(const KeyRange& range, Batch& out) const;
  // Removes what was collected; nothing else has been removed since. Answers the bytes that it took.
  size_t remove(const Batch& batch);

 private:
  struct Place {
    size_t offset;
    uint32_t key_length, primary_length;
  };
  static constexpr size_t kBytesEach = sizeof(uint64_t) + sizeof(Place);

  // The first 8 bytes of a key, padded with zeros: a lesser key has no greater head.
  static uint64_t head_of(Bytes key);
  template <class Visit>
  void for_each(const KeyRange& range, Visit visit) const;
  Bytes key(const Place& p) const { return Bytes(bytes_).substr(p.offset, p.key_length); }

  std::vector<uint64_t> heads_;  // apart from places_: what a scan looks through
  std::vector<Place> places_;
  std::string bytes_;  // keys and primary keys, some of them gone
  size_t live_bytes_ = 0;
};

}  // namespace indigo::storage
