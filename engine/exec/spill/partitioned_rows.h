// Rows divided by bits of their hashes, each part in a temporary file: what a hash join, DISTINCT or set operation cannot hold, and
// works off one part after the other. A part that is still too much is divided again by the next bits.
// Thread safety: none; belongs to an operator.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/exec/spill/spilled_rows.h"

namespace indigo::engine::exec {

class PartitionedRows {
 public:
  static constexpr uint32_t kBits = 4, kParts = 1 << kBits, kDepthMax = 8;

  // `depth`: how often these rows have been divided before, below kDepthMax.
  PartitionedRows(SpillSpace& space, std::vector<Phys> columns, uint32_t depth)
      : space_(space), columns_(std::move(columns)), depth_(depth) {}

  // The highest bit of a hash does not count.
  uint32_t part_of(uint64_t hash) const { return hash >> (63 - kBits * (depth_ + 1)) & (kParts - 1); }
  bool has(uint32_t part) const { return parts_[part].rows != nullptr; }

  Status add(uint64_t hash, std::span<const Vector* const> columns, uint32_t row) {
    Part& part = parts_[part_of(hash)];
    if (part.rows == nullptr) {
      INDIGO_ASSIGN(part.rows, SpilledRows::make(space_, columns_));
      part.hash = hash;
    }
    part.alike &= part.hash == hash;
    return part.rows->add(columns, row);
  }

  // To divide a part whose rows all have one hash is of no use.
  bool alike(uint32_t part) const { return parts_[part].alike; }
  // Null: no row.
  std::unique_ptr<SpilledRows> take(uint32_t part) { return std::move(parts_[part].rows); }
  uint64_t bytes() const {
    uint64_t bytes = 0;
    for (const Part& part : parts_) bytes += part.rows != nullptr ? part.rows->bytes() : 0;
    return bytes;
  }

 private:
  struct Part {
    std::unique_ptr<SpilledRows> rows;
    uint64_t hash = 0;  // of its first row
    bool alike = true;
  };
  SpillSpace& space_;
  const std::vector<Phys> columns_;
  const uint32_t depth_;
  std::array<Part, kParts> parts_;
};

}  // namespace indigo::engine::exec
