// An adaptive radix tree with optimistic lock coupling, to compare the structures of secondary indexes with.
//
// As in the papers it is a map: one primary key for each key, and no key is the beginning of another one. Scans go forward only;
// no clones.
// Thread safety: Index's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/art/art_node.h"
#include "storage/epoch.h"
#include "storage/index/index.h"

namespace indigo::bench {

class ArtIndex final : public storage::Index {
 public:
  explicit ArtIndex(storage::EpochManager& epochs) : epochs_(epochs) {}
  ~ArtIndex() override;

  storage::StorageStatus insert(Bytes key, Bytes primary_key) override;
  storage::StorageStatus insert_ascending(std::span<const storage::IndexEntry> entries) override;
  bool erase(Bytes key, Bytes primary_key, const std::function<bool()>& still_needed) override;
  size_t lookup(Bytes key, std::vector<std::string>& primary_keys) override;
  void lookup_many(std::span<const Bytes> keys, storage::IndexMatches& out) override;
  std::unique_ptr<storage::IndexScan> scan(const storage::KeyRange& range, storage::Direction direction) override;
  std::unique_ptr<storage::Index> clone(uint64_t, uint64_t) override { return nullptr; }
  void set_fill(uint8_t) override {}
  uint64_t entry_count() const override { return measure().entries; }
  uint64_t memory_bytes() const override { return measure().bytes; }
  std::string check() const override { return {}; }

 private:
  friend class ArtScan;
  enum class Attempt : uint8_t { kAgain, kDone, kNothing };
  struct Size {
    uint64_t entries = 0, bytes = 0;
  };
  // The way to a key's place: the node, and what leads to it.
  struct Way {
    art::Node* parent = nullptr;
    uint64_t parent_version = 0;
    uint8_t byte = 0;  // from the parent to the node
    art::Node* node = nullptr;
    uint64_t version = 0;
    size_t depth = 0;  // bytes of the key before the node's prefix
  };

  Attempt try_insert(Bytes key, art::Leaf* leaf);
  Attempt try_erase(Bytes key);
  // False: something changed.
  static bool step(Way& way, Bytes key, art::Node* next);
  static bool upgrade_both(const Way& way);
  // All of a node's prefix; false when something changed. `scratch` may hold it.
  static bool whole_prefix(const Way& way, std::string& scratch);
  void split_prefix(const Way& way, Bytes key, Bytes prefix, size_t common, art::Leaf* leaf);
  void exchange(const Way& way, art::Kind kind, uint8_t removed, uint8_t added, art::Leaf* leaf);
  void collapse(const Way& way, uint8_t removed);
  void retire(art::Node* node);
  Size measure() const;

  storage::EpochManager& epochs_;
  art::Node* const root_ = art::Node::create(art::Kind::k256);  // has no prefix, and stays
};

}  // namespace indigo::bench
