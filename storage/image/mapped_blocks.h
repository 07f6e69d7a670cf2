// The blocks of an image's file (storage/image/image_file.h) in memory: leaves of tables and of secondary indexes, which trees
// read where they lie. They are mapped without the right to write: a tree that wants to change one copies it, as it does with
// another tree's (storage/README.md, Cloning).
//
// A block is never given back to a pool and counts no references: who holds an address asks has() first. Whether a block is
// what was written is looked at before this process first reads it, by its checksum.
//
// Thread safety: map() before anything else; the rest from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"

namespace indigo::storage {

class MemoryAccount;

// Stands before each block.
struct BlockHead {
  uint32_t crc = 0;    // of the place in the file, of the head behind this field, and of the block
  uint32_t bytes = 0;  // of the block
  uint64_t reserved[7] = {};
};
static_assert(sizeof(BlockHead) == 64);
uint32_t crc_of_block(const BlockHead& head, const void* block, uint64_t place);

class MappedBlocks {
 public:
  // Two blocks do not begin in the same piece of so many bytes.
  static constexpr size_t kLeastBytes = 1024;

  MappedBlocks() = default;
  ~MappedBlocks();
  MappedBlocks(const MappedBlocks&) = delete;
  MappedBlocks& operator=(const MappedBlocks&) = delete;

  // The whole of a file. `account`: of the store that it is for.
  Status map(const std::string& path, MemoryAccount& account);
  // Blocks from here on are that table's or index', for messages; in ascending order.
  void name(uint64_t begin, std::string name) { names_.push_back({begin, std::move(name)}); }
  const std::string& path() const { return path_; }
  MemoryAccount* account() const { return account_; }

  const char* data() const { return reinterpret_cast<const char*>(base_); }
  size_t size() const { return bytes_; }
  bool has(const void* at) const { return reinterpret_cast<uintptr_t>(at) - base_ < bytes_; }
  // Before a block is read, if it is one. Raises XX001 (base/raised_error.h) when it is not what was written.
  void examine(const void* block) const {
    if (!has(block)) return;
    const size_t piece = (reinterpret_cast<uintptr_t>(block) - base_) / kLeastBytes;
    if ((examined_[piece / 64].load(std::memory_order_relaxed) >> piece % 64 & 1) == 0) look(block);
  }
  // Blocks that have been looked at.
  uint64_t examined() const;

  static const MappedBlocks& none();

 private:
  struct Name {
    uint64_t begin;
    std::string name;
  };
  void look(const void* block) const;

  uintptr_t base_ = 0;
  size_t bytes_ = 0;
  std::unique_ptr<std::atomic<uint64_t>[]> examined_;  // a bit for each piece; a block's is the one in which it begins
  MemoryAccount* account_ = nullptr;
  std::string path_;
  std::vector<Name> names_;
};

}  // namespace indigo::storage
