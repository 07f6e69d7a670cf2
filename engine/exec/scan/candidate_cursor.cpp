#include "engine/exec/scan/candidate_cursor.h"

namespace indigo::engine::exec {

storage::StorageStatus CandidateCursor::next(std::span<storage::RowRef> out, size_t& count) {
  count = 0;
  while (count == 0 && at_ < keys_.size()) {
    const size_t n = std::min({kBatch, out.size(), keys_.size() - at_});
    batch_.assign(keys_.begin() + static_cast<std::ptrdiff_t>(at_),
                  keys_.begin() + static_cast<std::ptrdiff_t>(at_ + n));
    at_ += n;
    const storage::StorageStatus status =
        table_.get_many(transaction_, view_, batch_, std::span(rows_).first(n), std::span(found_.get(), n));
    if (status != storage::StorageStatus::kOk) return status;
    for (size_t i = 0; i < n; i++) {
      if (found_[i]) out[count++] = {batch_[i], rows_[i]};
    }
  }
  return storage::StorageStatus::kOk;
}

}  // namespace indigo::engine::exec
