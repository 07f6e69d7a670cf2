// The rows of both sides of a hash join that outgrew its memory: in temporary files, by parts whose hashes are alike, so that rows
// which match are in one part. The parts are joined one after the other; one that is still too much is divided again.
// Thread safety: none; belongs to the join.
#pragma once

#include <memory>
#include <vector>

#include "engine/exec/join/join_output.h"
#include "engine/exec/spill/partitioned_rows.h"

namespace indigo::engine::exec {

class JoinParts {
 public:
  struct Part {
    std::unique_ptr<SpilledRows> left, right;  // null: no rows
    uint32_t depth = 0;                        // how often its rows have been divided
    bool divisible = false;                    // there is more than one hash among the right rows
  };

  // A right row: what the table has (`right`), its hash, and its tag when that is another (`packed`); a left row: the columns that
  // are read, its keys unless they are packed, its hash (JoinTable::kNoMatch: a null key) and the same tag, and its number
  // when the order is needed.
  static std::unique_ptr<JoinParts> make(SpillSpace& space, const JoinOutput& output, const ExpressionSet& left_keys,
                                         std::vector<Phys> right, bool packed, bool in_order);
  // The columns of each side's rows.
  JoinParts(SpillSpace& space, std::vector<Phys> left, std::vector<Phys> right)
      : space_(space), left_(std::move(left)), right_(std::move(right)) {}

  // Rows that are added from now on have been divided `depth` times before, below PartitionedRows::kDepthMax. First the right
  // ones, then the left ones.
  void begin(uint32_t depth);
  Status add_right(uint64_t hash, std::span<const Vector* const> columns, uint32_t row) {
    return rights_->add(hash, columns, row);
  }
  Status add_left(uint64_t hash, std::span<const Vector* const> columns, uint32_t row) {
    return lefts_->add(hash, columns, row);
  }
  // Whether a right row may match.
  bool may_match(uint64_t hash) const { return rights_->has(rights_->part_of(hash)); }
  // The parts wait for their turn, but those that give no row: where left or right rows without a partner are not answered.
  void end(bool keeps_left, bool keeps_right);

  // The next part; false: none is left.
  bool take(Part& part);

  // Of all parts so far that were not divided again; bytes that were written.
  uint64_t count() const { return count_; }
  uint64_t bytes() const { return bytes_; }

 private:
  SpillSpace& space_;
  const std::vector<Phys> left_, right_;
  uint32_t depth_ = 0;
  std::unique_ptr<PartitionedRows> lefts_, rights_;  // that are being divided
  std::vector<Part> waiting_;                        // the last is next, so that few are there
  uint64_t count_ = 1, bytes_ = 0;
};

}  // namespace indigo::engine::exec
