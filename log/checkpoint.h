// A checkpoint: everything that is kept, as of one snapshot, in one file `checkpoint-NUMBER`.
//
//   header (64 bytes) | chunks: chunk header (16 bytes), operations (format.h) | end: chunk header with kEndMagic
//
// It is written under a temporary name, flushed, read back, renamed, and the directory flushed: under its own name it is
// complete, and was readable.
// Thread safety: one user at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "log/device.h"
#include "log/reader.h"

namespace indigo::log {

inline constexpr uint64_t kCheckpointMagic = 0x31504b434f474e49;  // "INGOCKP1"
inline constexpr uint32_t kChunkMagic = 0x4b4e4843;
inline constexpr uint32_t kPreparedMagic = 0x50504b43;  // a chunk that is the stream of one prepared transaction
inline constexpr uint32_t kEndMagic = 0x21444e45;

//   0 magic 8 | 8 version 4 | 12 crc 4 (of the rest) | 16 number 8 | 24 epoch 8 | 32 horizon 8 | 40 stamp 8 | 48 reserved
struct CheckpointHeader {
  uint64_t magic = kCheckpointMagic;
  uint32_t version = kVersion;
  uint32_t crc = 0;
  uint64_t number = 0;
  uint64_t epoch = 0;    // of the log that continues from here
  uint64_t horizon = 0;  // LSN in that epoch: nothing below is needed
  uint64_t stamp = 0;    // transactions with greater stamps are not in it
  uint64_t reserved[2] = {};
};
static_assert(sizeof(CheckpointHeader) == 64 && offsetof(CheckpointHeader, stamp) == 40);

//   0 magic 4 | 4 bytes 4 (of the payload; of an end: zero) | 8 crc 4 (of the payload) | 12 number 4 (from 0; of an end: how many)
struct ChunkHeader {
  uint32_t magic = kChunkMagic;
  uint32_t bytes = 0;
  uint32_t crc = 0;
  uint32_t number = 0;
};
static_assert(sizeof(ChunkHeader) == 16);

class CheckpointWriter {
 public:
  static std::string file_name(uint64_t number);
  static Result<std::unique_ptr<CheckpointWriter>> create(Directory& directory, const CheckpointHeader& header);
  ~CheckpointWriter();  // without finish: nothing remains

  Status put(DurableId table, Bytes key, Bytes row);
  Status sequence(DurableId sequence, int64_t last_value, bool is_called);
  Status oids(uint64_t below);
  // The stream of a transaction that was prepared, and not decided.
  Status prepared(Bytes stream);
  // Makes what was written so far durable.
  Status sync() { return file_->sync(); }
  // Complete and durable.
  Status finish();
  uint64_t bytes() const { return bytes_; }

 private:
  CheckpointWriter(Directory& directory, std::string name) : directory_(directory), name_(std::move(name)) {}
  Status write_chunk(uint32_t magic = kChunkMagic);

  Directory& directory_;
  const std::string name_;
  std::unique_ptr<OutputFile> file_;
  std::string chunk_;
  uint64_t bytes_ = 0;
  uint32_t chunks_ = 0;
};

// The header, checked. Errors as EpochReader::open.
Result<CheckpointHeader> read_checkpoint_header(Directory& directory, const std::string& name);
using CheckpointChunk = std::shared_ptr<const std::string>;
// Every chunk's operations in turn; XX001 with the offset when the file is damaged. `chunk` answers false: malformed.
// `lost`: is told of damage instead, and what follows is read. `prepared` is given prepared transactions, in the same way.
Status read_checkpoint(Directory& directory, const std::string& name,
                       const std::function<bool(const CheckpointChunk& chunk)>& chunk,
                       const std::function<void(std::string_view)>& lost = {},
                       const std::function<bool(const CheckpointChunk& stream)>& prepared = {});

// Header and checksums of all of it, without its operations.
Status verify_checkpoint(Directory& directory, const std::string& name);

}  // namespace indigo::log
