#include "log/dump.h"

#include <algorithm>
#include <iterator>

#include <absl/strings/escaping.h>

#include "log/checkpoint.h"
#include "log/reader.h"
#include "log/record_stream.h"

namespace indigo::log {

namespace {

using Line = std::function<void(std::string_view)>;

std::string table_name(DurableId id) {
  return std::to_string(id.value >> 32) + "/" + std::to_string(id.value & UINT32_MAX);
}

std::string hex(Bytes bytes) {
  constexpr size_t kMost = 32;
  const std::string out = absl::BytesToHexString(absl::string_view(bytes.data(), std::min(bytes.size(), kMost)));
  return bytes.size() > kMost ? out + "..." : out;
}

class Printer final : public OperationSink {
 public:
  explicit Printer(const Line& line) : line_(line) {}
  void put(DurableId table, Bytes key, Bytes row) override {
    line_("    put " + table_name(table) + " key " + hex(key) + ", row of " + std::to_string(row.size()) + " bytes");
  }
  void erase(DurableId table, Bytes key) override { line_("    erase " + table_name(table) + " key " + hex(key)); }
  void sequence(DurableId sequence, int64_t last_value, bool is_called) override {
    line_("    sequence " + table_name(sequence) + " at " + std::to_string(last_value) + (is_called ? "" : ", unused"));
  }
  void oids(uint64_t below) override { line_("    OIDs below " + std::to_string(below) + " are taken"); }
  void clone(DurableId clone, DurableId source) override {
    line_("    clone " + table_name(source) + " as " + table_name(clone));
  }
  void prepared(const PreparedHead& head) override {
    line_("    prepared transaction " + hex(head.name) + " of role " + std::to_string(head.owner) + " in database " +
          std::to_string(head.database) + (head.serializable ? ", serializable" : ""));
  }
  void held(const Hold& hold) override {
    constexpr const char* kKinds[] = {"", "claim", "row", "table", "advisory"};
    const auto kind = static_cast<size_t>(hold.kind);
    line_(std::string("    holds ") + (kind < std::size(kKinds) ? kKinds[kind] : "unknown") + " " +
          table_name(DurableId(hold.object)) + " in mode " + std::to_string(hold.mode) + " key " + hex(hold.key));
  }
  void moved(DurableId table, Bytes key, Bytes new_key) override {
    line_("    moved in " + table_name(table) + " key " + hex(key) + " to " + hex(new_key));
  }

 private:
  const Line& line_;
};

const char* kind_name(RecordKind kind) {
  switch (kind) {
    case RecordKind::kCommit: return "commit";
    case RecordKind::kPart: return "part";
    case RecordKind::kNotes: return "notes";
    case RecordKind::kClones: return "clones";
    case RecordKind::kPrepare: return "prepare";
    case RecordKind::kCommitPrepared: return "commit prepared";
    case RecordKind::kAbortPrepared: return "abort prepared";
  }
  return "unknown";
}

Status dump_log(Directory& directory, const std::string& name, const Line& line) {
  INDIGO_ASSIGN(auto reader, EpochReader::open(directory, name));
  const FileHeader& header = reader->header();
  line(name + ": epoch " + std::to_string(header.epoch) + ", blocks of " + std::to_string(header.block_bytes) +
       " bytes, first LSN " + std::to_string(header.first_lsn) + ", the epoch before ends at LSN " +
       std::to_string(header.previous_cut) + ", durable up to LSN " + std::to_string(reader->watermark()));
  const uint64_t last = reader->last_segment_end();
  uint64_t missing = 0;
  for (uint64_t lsn = header.first_lsn; lsn < last; lsn++) {
    const auto record = reader->read(lsn);
    if (!record) {
      missing++;
      continue;
    }
    if (missing > 0) line("  (" + std::to_string(missing) + " LSNs without a whole record)");
    missing = 0;
    const RecordHeader& h = record->header;
    line("  LSN " + std::to_string(lsn) + " " + kind_name(h.kind) +
         (h.stamp != 0 ? ", stamp " + std::to_string(h.stamp) : "") +
         (h.first_part != 0 ? ", first part " + std::to_string(h.first_part) : "") + ", " +
         std::to_string(h.payload_bytes) + " bytes, block " + std::to_string(record->block) + ", offset " +
         std::to_string(uint64_t{record->line} * kLine));
    Printer printer(line);
    if (h.kind != RecordKind::kPart && h.first_part == 0 && !decode_operations(record->payload, printer)) {
      line("    malformed operations");
    }
  }
  return {};
}

}  // namespace

Status dump(Directory& directory, const Line& line) {
  INDIGO_ASSIGN(const auto names, directory.list());
  for (const std::string& name : names) {
    Status status;
    if (name.starts_with("log-")) {
      status = dump_log(directory, name, line);
    } else if (name.starts_with("checkpoint-")) {
      auto header = read_checkpoint_header(directory, name);
      status = header.ok() ? Status() : Status(header.take_error());
      if (header.ok()) {
        line(name + ": stamp " + std::to_string(header->stamp) + ", goes on in epoch " + std::to_string(header->epoch) +
             " at LSN " + std::to_string(header->horizon));
      }
    } else {
      line(name);
    }
    if (!status.ok()) line(name + ": " + status.error().message);
  }
  return {};
}

}  // namespace indigo::log
