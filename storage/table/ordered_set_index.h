// The plainest Index: an ordered set under one mutex. It serves until the `btree` method of storage/index/ does.
//
// Thread safety: as index.h says; every call takes the mutex. `still_needed` is called under it.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "storage/index/index.h"

namespace indigo::storage {

class OrderedSetIndex final : public Index {
 public:
  StorageStatus insert(Bytes key, Bytes primary_key) override;
  bool erase(Bytes key, Bytes primary_key, const std::function<bool()>& still_needed) override;
  size_t lookup(Bytes key, std::vector<std::string>& primary_keys, IndexFootprint* footprint) override;
  std::unique_ptr<IndexScan> scan(const KeyRange& range, Direction direction, IndexFootprint* footprint) override;
  bool validate(const IndexFootprint&) const override { return false; }
  uint64_t entry_count() const override;
  uint64_t memory_bytes() const override;
  std::string check() const override { return {}; }

 private:
  friend class OrderedSetScan;
  using Entry = std::pair<std::string, std::string>;
  mutable std::mutex mutex_;  // guards entries_ and bytes_
  std::set<Entry> entries_;
  uint64_t bytes_ = 0;
};

}  // namespace indigo::storage
