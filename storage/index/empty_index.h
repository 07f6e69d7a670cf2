// An index that keeps nothing: of methods that have a name and definitions, but no structure yet. Its keys are computed, so
// that a row whose key cannot be computed is refused as it would be; no plan may ask it (catalog/access_method.h).
// Thread safety: Index's; there is no state.
#pragma once

#include "storage/index/index.h"
#include "storage/index/index_factory.h"

namespace indigo::storage {

class EmptyIndex final : public Index {
 public:
  StorageStatus insert(Bytes, Bytes) override { return StorageStatus::kOk; }
  StorageStatus insert_ascending(std::span<const IndexEntry>) override { return StorageStatus::kOk; }
  bool erase(Bytes, Bytes, const std::function<bool()>&) override { return false; }
  size_t lookup(Bytes, std::vector<std::string>&) override { return 0; }
  void lookup_many(std::span<const Bytes> keys, IndexMatches& out) override { out.ends.assign(keys.size(), 0); }
  std::unique_ptr<IndexScan> scan(const KeyRange&, Direction) override { return std::make_unique<NoEntries>(); }
  std::unique_ptr<Index> clone(uint64_t, uint64_t) override { return std::make_unique<EmptyIndex>(); }
  void set_fill(uint8_t) override {}
  uint64_t entry_count() const override { return 0; }
  uint64_t memory_bytes() const override { return 0; }
  std::string check() const override { return {}; }

 private:
  class NoEntries final : public IndexScan {
   public:
    std::span<const IndexEntry> next(size_t) override { return {}; }
    void rebind(const KeyRange&, Direction) override {}
  };
};

inline std::unique_ptr<Index> create_empty_index(const IndexEnvironment&) { return std::make_unique<EmptyIndex>(); }

}  // namespace indigo::storage
