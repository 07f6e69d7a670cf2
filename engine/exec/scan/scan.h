// What the table scan and the index scan share: bounds, cursor, decoding, filter.
//
// The filter's columns are decoded first; when few rows pass, the other columns are decoded for those rows only.
#pragma once

#include "engine/exec/builder.h"
#include "engine/exec/scan/bounds.h"
#include "engine/exec/scan/row_decoder.h"
#include "engine/exec/scan/scan_counts.h"

namespace indigo::engine::exec {

class ScanOperator : public Operator {
 public:
  ScanOperator(QueryState& state, const sql::ScanPlan& plan, KeyBoundsEvaluator bounds, Condition filter);

  Status open(Open mode) override;
  Result<Chunk*> next(uint32_t max_rows) override;
  void close() override;

 protected:
  // A new cursor over the range.
  virtual Result<std::unique_ptr<storage::Cursor>> make_cursor(const storage::KeyRange& range) = 0;
  // The table when it is read whole, else the index (ScanCounts).
  virtual Oid counted_as() const = 0;
  // Whether one key look-up answers a point.
  virtual bool has_look_up() const { return false; }
  // Whether a list of keys is looked up: rows[i] when found[i].
  virtual bool looks_up_lists() const { return has_look_up(); }
  virtual Status look_up_keys(std::span<const Bytes> keys, std::span<storage::RowRef> rows, std::span<bool> found);
  // The scan starts again for another statement.
  virtual void forget() {}

  RowDecoder& decoder() { return decoder_; }
  // For a cursor that ends (with no rows) because of an error: it is raised then.
  std::unique_ptr<Error>& cursor_error() { return error_; }

  QueryState& state_;
  const sql::ScanPlan& plan_;

 private:
  Status start();
  Result<bool> next_range();
  Result<bool> look_up_point();
  Result<uint32_t> look_up_list(uint32_t wanted);
  void count_scan();
  // Decodes refs_[0..count) and filters; the selection left is in left_.
  void take(uint32_t count);

  KeyBoundsEvaluator bounds_;
  Condition filter_;
  std::vector<bool> in_filter_;  // output columns that the filter reads
  RowDecoder decoder_;
  std::unique_ptr<storage::Cursor> cursor_;
  std::vector<storage::RowRef> refs_;
  std::vector<std::string> rows_;  // images of looked-up rows
  std::vector<Bytes> keys_;
  std::unique_ptr<bool[]> found_;
  Chunk chunk_;
  Arena arena_{256};
  Selection left_;
  std::unique_ptr<Error> error_;
  ScanCounts* counts_ = nullptr;  // whose count_ is; null: nobody counts
  ScanCounts::Count* count_ = nullptr;
  size_t list_at_ = 0;  // ranges (keys of a list) done
  uint32_t batch_ = 0;
  bool started_ = false, finished_ = false, cursor_ready_ = false;
};

}  // namespace indigo::engine::exec
