// The records of a list of primary keys (storage/index_candidates.h) that a view sees, in the list's order.
// Thread safety: one session's.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "storage/table.h"

namespace indigo::engine::exec {

class CandidateCursor final : public storage::Cursor {
 public:
  CandidateCursor(storage::Table& table, storage::Transaction& transaction, const storage::ReadView& view,
                  std::vector<std::string> keys)
      : table_(table),
        transaction_(transaction),
        view_(view),
        keys_(std::move(keys)),
        found_(std::make_unique<bool[]>(kBatch)) {
    rows_.resize(std::min(kBatch, keys_.size()));
  }

  storage::StorageStatus next(std::span<storage::RowRef> out, size_t& count) override;
  // A list has no range: it begins again.
  void rebind(const storage::KeyRange&, const storage::ReadView& view, storage::Direction) override {
    view_ = view;
    at_ = 0;
  }

 private:
  static constexpr size_t kBatch = 128;

  storage::Table& table_;
  storage::Transaction& transaction_;
  storage::ReadView view_;
  const std::vector<std::string> keys_;
  std::vector<Bytes> batch_;
  std::vector<std::string> rows_;
  std::unique_ptr<bool[]> found_;
  size_t at_ = 0;
};

}  // namespace indigo::engine::exec
