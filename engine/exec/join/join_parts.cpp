#include "engine/exec/join/join_parts.h"

namespace indigo::engine::exec {

std::unique_ptr<JoinParts> JoinParts::make(SpillSpace& space, const JoinOutput& output, const ExpressionSet& left_keys,
                                           std::vector<Phys> right, bool packed, bool in_order) {
  right.insert(right.end(), packed ? 2 : 1, Phys::kI64);
  std::vector<Phys> left;
  for (const size_t c : output.left_used()) left.push_back(output.left_phys()[c]);
  for (size_t i = 0; i < left_keys.size() && !packed; i++) left.push_back(left_keys.node(i).phys);
  left.insert(left.end(), (packed ? 2 : 1) + (in_order ? 1 : 0), Phys::kI64);
  return std::make_unique<JoinParts>(space, std::move(left), std::move(right));
}

void JoinParts::begin(uint32_t depth) {
  depth_ = depth;
  lefts_ = std::make_unique<PartitionedRows>(space_, left_, depth);
  rights_ = std::make_unique<PartitionedRows>(space_, right_, depth);
}

void JoinParts::end(bool keeps_left, bool keeps_right) {
  bytes_ += lefts_->bytes() + rights_->bytes();
  count_--;
  for (uint32_t i = PartitionedRows::kParts; i-- > 0;) {
    const bool left = lefts_->has(i), right = rights_->has(i);
    if (!(left && (right || keeps_left)) && !(right && keeps_right)) continue;
    waiting_.push_back({lefts_->take(i), rights_->take(i), depth_ + 1, right && !rights_->alike(i)});
    count_++;
  }
  lefts_ = nullptr;
  rights_ = nullptr;
}

bool JoinParts::take(Part& part) {
  if (waiting_.empty()) return false;
  part = std::move(waiting_.back());
  waiting_.pop_back();
  return true;
}

}  // namespace indigo::engine::exec
