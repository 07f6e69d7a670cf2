#include "log/check.h"

#include <set>
#include <string>

#include "base/sqlstate.h"
#include "log/checkpoint.h"
#include "log/data_format.h"
#include "log/reader.h"
#include "log/recovery.h"

namespace indigo::log {

namespace {

class Counter final : public OperationSink {
 public:
  void put(DurableId table, Bytes, Bytes) override {
    rows_++;
    tables_.insert(table.value);
  }
  void erase(DurableId, Bytes) override { erased_++; }
  void sequence(DurableId, int64_t, bool) override { sequences_++; }
  void oids(uint64_t) override {}
  void clone(DurableId, DurableId) override { clones_++; }

  std::string text() const {
    return std::to_string(rows_) + " rows written, " + std::to_string(erased_) + " erased, " +
           std::to_string(sequences_) + " states of sequences, " + std::to_string(clones_) + " clones, in " +
           std::to_string(tables_.size()) + " tables";
  }

 private:
  uint64_t rows_ = 0, erased_ = 0, sequences_ = 0, clones_ = 0;
  std::set<uint64_t> tables_;
};

}  // namespace

Status check_directory(Directory& directory, const std::function<void(std::string_view)>& line) {
  INDIGO_ASSIGN(const auto format, read_data_format(directory));
  if (!format) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 "directory \"" + directory.path(".") + "\" is not a data directory of Indigo");
  }
  line("format: system identifier " + std::to_string(format->system_identifier) + ", catalog layout " +
       (format->catalog_layout.empty() ? "unknown" : format->catalog_layout) + ", collations " +
       (format->collations.empty() ? "unknown" : format->collations));
  Status damage;
  INDIGO_ASSIGN(const auto names, directory.list());
  for (const std::string& name : names) {
    if (!name.starts_with("checkpoint-") || name.ends_with(".tmp")) continue;
    Status whole = verify_checkpoint(directory, name);
    line(name + ": " + (whole.ok() ? "whole" : whole.error().message));
    if (!whole.ok() && damage.ok()) damage = std::move(whole);
  }
  Counter counter;
  INDIGO_ASSIGN(const Recovered recovered, recover(directory, counter));
  line("checkpoint " + std::to_string(recovered.checkpoint.number) +
       " and the logs after it: " + std::to_string(recovered.records) + " records, " +
       std::to_string(recovered.transactions) + " transactions, " + std::to_string(recovered.bytes) + " bytes; " +
       counter.text() + "; " + std::to_string(recovered.prepared.size()) + " prepared transactions are not decided");
  return damage;
}

}  // namespace indigo::log
