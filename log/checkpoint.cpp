#include "log/checkpoint.h"

#include <cstdio>

#include "base/mutation.h"
#include "log/crc32c.h"
#include "log/file_error.h"
#include "log/record_stream.h"
#include "log/recovery.h"

namespace indigo::log {

namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;
constexpr const char* kTemporary = ".tmp";

template <class T>
Bytes bytes_of(const T& v) {
  return {reinterpret_cast<const char*>(&v), sizeof v};
}

uint32_t header_crc(const CheckpointHeader& h) {
  return crc32c(&h.number, sizeof h - offsetof(CheckpointHeader, number));
}

Error damaged(Directory& directory, const std::string& name, uint64_t offset, const std::string& what) {
  return Error(sqlstate::kDataCorrupted,
               "checkpoint \"" + directory.path(name) + "\", offset " + std::to_string(offset) + ": " + what)
      .with_hint("Restore the directory from a backup.");
}

}  // namespace

std::string CheckpointWriter::file_name(uint64_t number) {
  char name[40];
  std::snprintf(name, sizeof name, "checkpoint-%010llu", static_cast<unsigned long long>(number));
  return name;
}

Result<std::unique_ptr<CheckpointWriter>> CheckpointWriter::create(Directory& directory,
                                                                   const CheckpointHeader& header) {
  std::unique_ptr<CheckpointWriter> writer(new CheckpointWriter(directory, file_name(header.number)));
  INDIGO_ASSIGN(writer->file_, directory.create_file(writer->name_ + kTemporary));
  if (mutated(Mutation::kEarlyRemoval)) INDIGO_TRY(remove_before(directory, header.number, header.epoch));
  CheckpointHeader h = header;
  h.crc = header_crc(h);
  INDIGO_TRY(writer->file_->append(bytes_of(h)));
  writer->bytes_ = sizeof h;
  return writer;
}

CheckpointWriter::~CheckpointWriter() {
  if (file_ == nullptr) return;
  file_.reset();
  (void)directory_.remove(name_ + kTemporary);  // a leftover is removed at the next start, too
}

Status CheckpointWriter::put(DurableId table, Bytes key, Bytes row) {
  encode_put(table, key, row, chunk_);
  return chunk_.size() >= kChunkBytes ? write_chunk() : Status();
}

Status CheckpointWriter::sequence(DurableId sequence, int64_t last_value, bool is_called) {
  encode_sequence(sequence, last_value, is_called, chunk_);
  return {};
}

Status CheckpointWriter::oids(uint64_t below) {
  encode_oids(below, chunk_);
  return {};
}

Status CheckpointWriter::write_chunk() {
  ChunkHeader header;
  header.bytes = static_cast<uint32_t>(chunk_.size());
  header.crc = crc32c(chunk_.data(), chunk_.size());
  header.number = chunks_++;
  INDIGO_TRY(file_->append(bytes_of(header)));
  INDIGO_TRY(file_->append(chunk_));
  bytes_ += sizeof header + chunk_.size();
  chunk_.clear();
  return {};
}

Status CheckpointWriter::finish() {
  if (!chunk_.empty()) INDIGO_TRY(write_chunk());
  ChunkHeader end;
  end.magic = kEndMagic;
  end.number = chunks_;
  INDIGO_TRY(file_->append(bytes_of(end)));
  if (!mutated(Mutation::kUnsyncedCheckpoint)) INDIGO_TRY(file_->sync());
  INDIGO_TRY(verify_checkpoint(directory_, name_ + kTemporary));
  INDIGO_TRY(directory_.rename(name_ + kTemporary, name_));
  file_.reset();
  return mutated(Mutation::kUnsyncedNames) ? Status() : directory_.sync();
}

Result<CheckpointHeader> read_checkpoint_header(Directory& directory, const std::string& name) {
  INDIGO_ASSIGN(auto file, directory.open_file(name));
  CheckpointHeader h;
  if (file->size() < sizeof h) return damaged(directory, name, 0, "too short");
  INDIGO_TRY(file->read(0, reinterpret_cast<char*>(&h), sizeof h));
  if (h.magic != kCheckpointMagic) return damaged(directory, name, 0, "this is not a checkpoint");
  if (!readable(h.version)) {
    return Error(sqlstate::kFeatureNotSupported, "checkpoint \"" + directory.path(name) + "\" has format version " +
                                                     std::to_string(h.version) + ", this program reads version " +
                                                     std::to_string(kVersion));
  }
  if (h.crc != header_crc(h)) return damaged(directory, name, 0, "the header's checksum is wrong");
  return h;
}

Status read_checkpoint(Directory& directory, const std::string& name,
                       const std::function<bool(const std::shared_ptr<const std::string>& chunk)>& chunk) {
  INDIGO_ASSIGN(auto file, directory.open_file(name));
  uint64_t offset = sizeof(CheckpointHeader);
  for (uint32_t number = 0;; number++) {
    ChunkHeader h;
    if (offset + sizeof h > file->size()) return damaged(directory, name, offset, "the file ends early");
    INDIGO_TRY(file->read(offset, reinterpret_cast<char*>(&h), sizeof h));
    if (h.magic == kEndMagic && h.number == number && h.bytes == 0) return {};
    if (h.magic != kChunkMagic || h.number != number || h.bytes > file->size() - offset - sizeof h) {
      return damaged(directory, name, offset, "a chunk's header is damaged");
    }
    const auto payload = std::make_shared<std::string>(h.bytes, '\0');
    INDIGO_TRY(file->read(offset + sizeof h, payload->data(), payload->size()));
    if (h.crc != crc32c(payload->data(), payload->size())) {
      return damaged(directory, name, offset, "a chunk's checksum is wrong");
    }
    if (!chunk(payload)) return damaged(directory, name, offset, "a chunk's operations are malformed");
    offset += sizeof h + h.bytes;
  }
}

Status verify_checkpoint(Directory& directory, const std::string& name) {
  if (auto header = read_checkpoint_header(directory, name); !header.ok()) return header.take_error();
  return read_checkpoint(directory, name, [](const std::shared_ptr<const std::string>&) { return true; });
}

}  // namespace indigo::log
