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

Status CheckpointWriter::prepared(Bytes stream) {
  if (!chunk_.empty()) INDIGO_TRY(write_chunk());
  chunk_.assign(stream);
  return write_chunk(kPreparedMagic);
}

Status CheckpointWriter::write_chunk(uint32_t magic) {
  ChunkHeader header;
  header.magic = magic;
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

namespace {

// A chunk that lies at `offset`; null: there is none, or it is damaged (`what` says how). `end`: it is the end instead.
Result<std::shared_ptr<const std::string>> chunk_at(InputFile& file, uint64_t offset, ChunkHeader& h, bool& end,
                                                    std::string& what) {
  using None = std::shared_ptr<const std::string>;
  if (offset + sizeof h > file.size()) {
    what = "the file ends early";
    return None();
  }
  INDIGO_TRY(file.read(offset, reinterpret_cast<char*>(&h), sizeof h));
  end = h.magic == kEndMagic && h.bytes == 0;
  if (end) return None();
  if ((h.magic != kChunkMagic && h.magic != kPreparedMagic) || h.bytes > file.size() - offset - sizeof h) {
    what = "a chunk's header is damaged";
    return None();
  }
  const auto payload = std::make_shared<std::string>(h.bytes, '\0');
  INDIGO_TRY(file.read(offset + sizeof h, payload->data(), payload->size()));
  if (h.crc != crc32c(payload->data(), payload->size())) {
    what = "a chunk's checksum is wrong";
    return None();
  }
  return None(payload);
}

// Where the next whole chunk or the end lies, from `offset` on; the file's size: nowhere.
Result<uint64_t> next_chunk(InputFile& file, uint64_t offset) {
  constexpr size_t kWindow = size_t{1} << 20;
  std::string window;
  for (uint64_t at = offset; at + sizeof(ChunkHeader) <= file.size(); at += kWindow) {
    window.resize(std::min<uint64_t>(kWindow + sizeof(uint32_t) - 1, file.size() - at));
    INDIGO_TRY(file.read(at, window.data(), window.size()));
    for (size_t i = 0; i + sizeof(uint32_t) <= window.size(); i++) {
      const uint32_t magic = load_unaligned<uint32_t>(window.data() + i);
      if ((magic != kChunkMagic && magic != kPreparedMagic && magic != kEndMagic) ||
          at + i + sizeof(ChunkHeader) > file.size())
        continue;
      ChunkHeader h;
      bool end = false;
      std::string what;
      INDIGO_ASSIGN(const auto payload, chunk_at(file, at + i, h, end, what));
      if (payload != nullptr || end) return at + i;
    }
  }
  return file.size();
}

}  // namespace

Status read_checkpoint(Directory& directory, const std::string& name,
                       const std::function<bool(const CheckpointChunk& chunk)>& chunk,
                       const std::function<void(std::string_view)>& lost,
                       const std::function<bool(const CheckpointChunk& stream)>& prepared) {
  INDIGO_ASSIGN(auto file, directory.open_file(name));
  uint64_t offset = sizeof(CheckpointHeader);
  for (uint32_t number = 0;; number++) {
    ChunkHeader h;
    bool end = false;
    std::string what;
    INDIGO_ASSIGN(const auto payload, chunk_at(*file, offset, h, end, what));
    if (what.empty() && h.number != number) what = "a chunk's header is damaged";
    if (what.empty() && end) return {};
    if (what.empty()) {
      const bool right = h.magic == kChunkMagic ? chunk(payload) : !prepared || prepared(payload);
      if (!right) what = "a chunk's operations are malformed";
    }
    if (what.empty()) {
      offset += sizeof h + h.bytes;
      continue;
    }
    Error error = damaged(directory, name, offset, what);
    if (!lost) return error;
    INDIGO_ASSIGN(const uint64_t next, next_chunk(*file, offset + 1));
    lost(error.message + "; " + std::to_string(next - offset) + " bytes of rows are lost");
    if (next == file->size()) return {};
    INDIGO_TRY(file->read(next, reinterpret_cast<char*>(&h), sizeof h));
    number = h.number - 1;
    offset = next;
  }
}

Status verify_checkpoint(Directory& directory, const std::string& name) {
  if (auto header = read_checkpoint_header(directory, name); !header.ok()) return header.take_error();
  return read_checkpoint(directory, name, [](const std::shared_ptr<const std::string>&) { return true; });
}

}  // namespace indigo::log
