// Does a row belong into the partition that it is written to? Asked where a row has not been routed there.
// Thread safety: none; belongs to one execution.
#pragma once

#include "engine/exec/partition/partition_key_reader.h"

namespace indigo::engine::exec {

class PartitionCheck {
 public:
  // Of a partition; its ancestors' keys are looked at, too. Null for other tables.
  static Result<std::unique_ptr<PartitionCheck>> make(QueryState& state, const catalog::RelationInfo& partition);
  // Is one of these columns of the partition part of some ancestor's key?
  bool reads(const std::vector<size_t>& columns) const;
  // `rows`: by the partition's columns.
  Result<bool> holds(const Chunk& rows, uint32_t row);

 private:
  struct Ancestor {
    PartitionKeyReader key;
    int partition;  // that the row must belong to
  };
  std::vector<Ancestor> ancestors_;
  std::vector<bool> read_;  // columns of the partition that keys read
};

}  // namespace indigo::engine::exec
