#include "log/salvage.h"

#include <map>
#include <unordered_map>

#include "base/entropy.h"
#include "base/sqlstate.h"
#include "log/checkpoint.h"
#include "log/data_format.h"
#include "log/recovery.h"
#include "log/write_ahead_log.h"

namespace indigo::log {

namespace {

// Everything that is kept, by table.
class Rows final : public OperationSink {
 public:
  void put(DurableId table, Bytes key, Bytes row) override { tables_[table.value][std::string(key)] = row; }
  void erase(DurableId table, Bytes key) override {
    const auto at = tables_.find(table.value);
    if (at != tables_.end()) at->second.erase(std::string(key));
  }
  void sequence(DurableId sequence, int64_t last_value, bool is_called) override {
    sequences_[sequence.value] = {last_value, is_called};
  }
  void oids(uint64_t below) override { oids_ = std::max(oids_, below); }
  void clone(DurableId clone, DurableId source) override {
    const auto at = tables_.find(source.value);
    if (at == tables_.end()) {
      tables_.erase(clone.value);
    } else {
      tables_[clone.value] = Table(at->second);
    }
  }

  Status write(CheckpointWriter& writer) const {
    for (const auto& [table, rows] : tables_) {
      for (const auto& [key, row] : rows) INDIGO_TRY(writer.put(DurableId{table}, key, row));
    }
    for (const auto& [id, state] : sequences_)
      INDIGO_TRY(writer.sequence(DurableId{id}, state.last_value, state.is_called));
    return writer.oids(oids_);
  }
  std::string text() const {
    size_t rows = 0;
    for (const auto& [table, content] : tables_) rows += content.size();
    return std::to_string(rows) + " rows in " + std::to_string(tables_.size()) + " tables, " +
           std::to_string(sequences_.size()) + " sequences";
  }

 private:
  using Table = std::map<std::string, std::string>;
  struct Sequence {
    int64_t last_value;
    bool is_called;
  };
  std::map<uint64_t, Table> tables_;
  std::map<uint64_t, Sequence> sequences_;
  uint64_t oids_ = 0;
};

}  // namespace

Status salvage_directory(Directory& from, Directory& to, const std::function<void(std::string_view)>& line,
                         const Geometry& geometry) {
  INDIGO_ASSIGN(const auto found, to.list());
  if (!found.empty())
    return Error(sqlstate::kObjectNotInPrerequisiteState, "directory \"" + to.path(".") + "\" is not empty");
  Rows rows;
  RecoverOptions options;
  options.lost = [&](std::string_view what) { line("lost: " + std::string(what)); };
  INDIGO_ASSIGN(const Recovered recovered, recover(from, rows, options));
  if (recovered.fresh) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 "directory \"" + from.path(".") + "\" is not a data directory of Indigo");
  }
  DataFormat format;
  if (auto known = read_data_format(from); known.ok() && *known) {
    format = **known;
  } else {
    line("lost: the file \"" + from.path(kFormatName) + "\": whose the directory is, and which program wrote it");
    if (!fill_random(&format.system_identifier, sizeof format.system_identifier))
      return Error(sqlstate::kIoError, "the kernel gives no random bytes");
    format.system_identifier = (format.system_identifier >> 1) | 1;
  }
  INDIGO_TRY(mark_unfinished(to));
  CheckpointHeader header;
  header.number = 1;
  header.epoch = 1;
  header.stamp = recovered.stamp;
  INDIGO_ASSIGN(const auto writer, CheckpointWriter::create(to, header));
  INDIGO_TRY(rows.write(*writer));
  for (const auto& stream : recovered.prepared) INDIGO_TRY(writer->prepared(*stream));
  INDIGO_TRY(writer->finish());
  WriteAheadLog empty(to, Durability::kPower, geometry);
  INDIGO_TRY(empty.start({}));
  empty.stop();
  INDIGO_TRY(to.remove(kUnfinishedBackup));
  INDIGO_TRY(write_data_format(to, format));  // last: without it this is no data directory
  line("saved: " + rows.text());
  return {};
}

}  // namespace indigo::log
