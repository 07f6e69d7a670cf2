// A phantomlet: how many unmerged entries each part of the key space has. A scan whose parts count none need not look for
// phantoms; it is the common answer, and costs a few loads.
//
// Parts are 1024 intervals of keys, chosen once, from the least and the greatest key of a tree: by the eight bytes that follow
// what these two have in common. Greater keys have the same part, as have all that come later.
//
// Thread safety: all functions.
// Invariants:
// 1. Parts ascend with keys.
// 2. An entry is counted before it can be seen, and no longer once it is in the tree (release; pairs with none_in()).
//
// Source: Mehdi et al., ScaleDB (OSDI 2023), 4.2.1, which counts by leaf and its version; README.md of storage/index says why
// this does not.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "storage/key_range.h"

namespace indigo::storage {

class Phantomlet {
 public:
  Phantomlet(Bytes least, Bytes greatest);
  Phantomlet(const Phantomlet& source);
  Phantomlet& operator=(const Phantomlet&) = delete;

  uint16_t partition(Bytes key) const;
  void add(uint16_t partition) { (*counts_)[partition].fetch_add(1, std::memory_order_relaxed); }
  void remove(uint16_t partition) { (*counts_)[partition].fetch_sub(1, std::memory_order_release); }
  // True: whatever was there in this range when it was asked is in the tree. False says nothing.
  bool none_in(const KeyRange& range) const;

  static constexpr size_t bytes() { return sizeof(Counts); }
  // for_each(visit) calls visit(partition) for each entry there is. Only without concurrent writers.
  template <class ForEach>
  std::string check(ForEach for_each) const;

 private:
  static constexpr uint16_t kParts = 1024;
  static constexpr int kMostLooks = 64;  // a range of more parts is not worth it
  using Counts = std::array<std::atomic<uint32_t>, kParts>;

  std::string prefix_;  // of the least and the greatest key
  uint64_t base_;       // the eight bytes behind it, of the least
  int shift_;
  std::unique_ptr<Counts> counts_;
};

template <class ForEach>
std::string Phantomlet::check(ForEach for_each) const {
  std::array<uint32_t, kParts> there{};
  for_each([&](uint16_t partition) { there[partition]++; });
  for (uint16_t i = 0; i < kParts; i++) {
    if ((*counts_)[i].load(std::memory_order_relaxed) != there[i]) return "a count of the phantomlet is wrong";
  }
  return {};
}

}  // namespace indigo::storage
