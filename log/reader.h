// Reads a log back: one file by LSN, and the chain of files by transaction.
//
// Nothing that lies on the device is believed before its checksum, its LSN and its bounds have been: a file of random bytes
// gives an error or an end, never a crash.
// Thread safety: one user at a time. The files must not change during that time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "log/device.h"
#include "log/format.h"
#include "log/log.h"

namespace indigo::log {

struct Record {
  RecordHeader header;
  Bytes payload;  // in the device's memory
  uint32_t block = 0, line = 0;
};

// One file.
class EpochReader {
 public:
  // 0A000 when the version is unknown, XX001 when the header is damaged.
  static Result<std::unique_ptr<EpochReader>> open(Directory& directory, const std::string& name);

  // 58030 when something that was read could not be: what was found then means nothing.
  Status fault() const { return device_->faulted() ? device_->sync_all() : Status(); }
  const FileHeader& header() const { return header_; }
  const Geometry& geometry() const { return geometry_; }
  // The newest durable prefix that the file tells of: below this every record must be whole. Learns from records too.
  uint64_t watermark() const { return watermark_; }
  // The record with that LSN, if it is there and whole.
  std::optional<Record> read(uint64_t lsn);
  // Where a record with that LSN should lie, for messages: "block 3, offset 1024", or that nothing points to it.
  std::string place_of(uint64_t lsn) const;
  // Above every LSN that has a table.
  uint64_t last_segment_end() const;
  // Looks at every LSN that has a table, from `lsn` on, for the watermarks in records beyond a gap.
  void learn_watermark(uint64_t from);
  // The records from LSN `from` to before `to`, with what leads to them. They are written once more: a flush that failed in
  // another life of the server may have left them in the kernel's memory alone, where no flush finds them.
  Status make_durable(uint64_t from, uint64_t to);

 private:
  EpochReader() = default;
  void find_tables();
  void add_table(uint32_t block, size_t offset);
  uint64_t entry(uint64_t lsn) const;

  std::string name_;
  std::unique_ptr<Device> device_;
  FileHeader header_;
  Geometry geometry_;
  uint64_t watermark_ = 0;
  struct Table {
    char* address;
    uint32_t block;
  };
  std::unordered_map<uint64_t, Table> tables_;  // by segment
};

class OperationSink;
struct Hold;
struct PreparedHead;
// Walks the operations of a stream. False: the stream is malformed.
bool decode_operations(Bytes stream, OperationSink& sink);

// Takes operations one after the other. Keys and rows are views, valid during the call, and as long as what `keep` gave is held.
class OperationSink {
 public:
  virtual ~OperationSink() = default;
  // What the operations from here on lie in.
  virtual void keep(const std::shared_ptr<const void>&) {}
  // A transaction's operations, or those of a record outside transactions. False: they are malformed.
  virtual bool stream(Bytes stream, RecordKind) { return decode_operations(stream, *this); }
  // A part of a checkpoint: no other part has its keys, so all of them may take effect in any order, before whatever is not
  // such a part. False: it is malformed.
  virtual bool chunk(const std::shared_ptr<const std::string>& chunk) { return decode_operations(*chunk, *this); }
  virtual void put(DurableId table, Bytes key, Bytes row) = 0;
  virtual void erase(DurableId table, Bytes key) = 0;
  virtual void sequence(DurableId sequence, int64_t last_value, bool is_called) = 0;
  virtual void oids(uint64_t below) = 0;
  virtual void clone(DurableId clone, DurableId source) = 0;
  // Of prepared transactions: once they are committed it means nothing any more.
  virtual void prepared(const PreparedHead&) {}
  virtual void held(const Hold&) {}
  virtual void moved(DurableId /*table*/, Bytes /*key*/, Bytes /*new_key*/) {}
};

// How the stream of a prepared transaction begins; nullopt: it is none.
std::optional<PreparedHead> prepared_head(Bytes stream);

}  // namespace indigo::log
