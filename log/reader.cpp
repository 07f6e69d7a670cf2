#include "log/reader.h"

#include <cstring>

#include "base/mutation.h"
#include "log/crc32c.h"
#include "log/file_error.h"
#include "log/record_stream.h"

namespace indigo::log {

namespace {

Error damaged(const std::string& path, const std::string& what) {
  return Error(sqlstate::kDataCorrupted, "log file \"" + path + "\": " + what);
}

bool sane(const FileHeader& h) {
  return h.block_bytes >= (1u << 15) && h.block_bytes <= (1u << 30) && h.block_bytes % 4096 == 0 &&
         h.segment_bits >= 6 && h.segment_bits <= 24 && h.first_lsn != 0 &&
         h.first_lsn % (uint64_t{1} << h.segment_bits) == 0;
}

}  // namespace

Result<std::unique_ptr<EpochReader>> EpochReader::open(Directory& directory, const std::string& name) {
  std::unique_ptr<EpochReader> reader(new EpochReader);
  reader->name_ = directory.path(name);
  FileHeader& header = reader->header_;
  {
    INDIGO_ASSIGN(auto file, directory.open_file(name));
    if (file->size() < sizeof header) return damaged(reader->name_, "too short for its header");
    INDIGO_TRY(file->read(0, reinterpret_cast<char*>(&header), sizeof header));
  }
  if (header.magic != kFileMagic) return damaged(reader->name_, "offset 0: this is not a log of Indigo");
  if (!readable(header.version)) {
    return Error(sqlstate::kFeatureNotSupported, "log file \"" + reader->name_ + "\" has format version " +
                                                     std::to_string(header.version) + ", this program reads version " +
                                                     std::to_string(kVersion));
  }
  if (header.crc != crc32c(&header, offsetof(FileHeader, crc)) || !sane(header)) {
    return damaged(reader->name_, "offset 0: the header's checksum is wrong");
  }
  reader->geometry_ = {header.block_bytes, header.segment_bits};
  reader->watermark_ = header.first_lsn;
  INDIGO_ASSIGN(reader->device_, directory.open_device(name, header.block_bytes));
  reader->find_tables();
  return reader;
}

void EpochReader::add_table(uint32_t block, size_t offset) {
  char* const at = device_->block(block) + offset;
  auto table = load_unaligned<TableHeader>(at);
  if (table.magic == kTableMagic && table.epoch == header_.epoch && table.crc == crc32c(at + 8, 16)) {
    tables_[table.segment] = {at, block};
  }
}

void EpochReader::find_tables() {
  for (uint32_t b = 0; b < device_->block_count(); b++) {
    size_t offset = kFirstTable;
    if (b == 0) {
      for (size_t slot : kWatermarkOffset) {
        auto mark = load_unaligned<Watermark>(device_->block(0) + slot);
        if (mark.magic == kWatermarkMagic && mark.epoch == header_.epoch &&
            mark.crc == crc32c(&mark, offsetof(Watermark, crc))) {
          watermark_ = std::max(watermark_, mark.lsn);
        }
      }
    } else {
      auto block = load_unaligned<BlockHeader>(device_->block(b));
      if (block.magic != kBlockMagic || block.kind != BlockKind::kTables || block.epoch != header_.epoch ||
          block.crc != crc32c(&block, offsetof(BlockHeader, crc))) {
        continue;
      }
      offset = kTableInBlock;
    }
    for (; offset + geometry_.table_bytes() <= geometry_.block_bytes; offset += geometry_.table_bytes()) {
      add_table(b, offset);
    }
  }
}

uint64_t EpochReader::entry(uint64_t lsn) const {
  auto table = tables_.find(lsn >> geometry_.segment_bits);
  if (table == tables_.end()) return 0;
  return load_unaligned<uint64_t>(table->second.address + kLine + (lsn & (geometry_.segment_entries() - 1)) * 8);
}

std::optional<Record> EpochReader::read(uint64_t lsn) {
  const uint64_t where = entry(lsn);
  Record r;
  r.block = entry_block(where);
  r.line = entry_line(where);
  const size_t offset = size_t{r.line} * kLine;
  if (where == 0 || r.block == 0 || r.block >= device_->block_count() || r.line == 0 ||
      offset + sizeof(RecordHeader) > geometry_.block_bytes) {
    return std::nullopt;
  }
  const char* at = device_->block(r.block) + offset;
  r.header = load_unaligned<RecordHeader>(at);
  const RecordHeader& h = r.header;
  if (h.magic != kRecordMagic || !readable(h.version) || h.lsn != lsn || h.epoch != header_.epoch ||
      (h.crc != crc32c(at, offsetof(RecordHeader, crc)) && !mutated(Mutation::kAcceptTornRecords)) ||
      h.payload_bytes > geometry_.block_bytes - offset - sizeof(RecordHeader)) {
    return std::nullopt;
  }
  r.payload = Bytes(at + sizeof(RecordHeader), h.payload_bytes);
  if (h.payload_crc != crc32c(r.payload.data(), r.payload.size()) && !mutated(Mutation::kAcceptTornRecords)) {
    return std::nullopt;
  }
  watermark_ = std::max(watermark_, h.watermark);
  return r;
}

Status EpochReader::make_durable(uint64_t from, uint64_t to) {
  const char* last = nullptr;
  for (uint64_t lsn = from; lsn < to; lsn++) {
    const auto record = read(lsn);
    if (!record) continue;
    char* const block = device_->block(record->block);
    device_->rewrite(block + size_t{record->line} * kLine, sizeof(RecordHeader) + record->payload.size());
    const Table& table = tables_.at(lsn >> geometry_.segment_bits);
    device_->rewrite(table.address + kLine + (lsn & (geometry_.segment_entries() - 1)) * 8, 8);
    if (table.address == last) continue;
    device_->rewrite(table.address, kLine);
    if (table.block != 0) device_->rewrite(device_->block(table.block), sizeof(BlockHeader));
    last = table.address;
  }
  return device_->sync_all();
}

std::string EpochReader::place_of(uint64_t lsn) const {
  const uint64_t where = entry(lsn);
  if (where == 0) return "nothing points to the record with LSN " + std::to_string(lsn);
  return "block " + std::to_string(entry_block(where)) + ", offset " +
         std::to_string(uint64_t{entry_block(where)} * geometry_.block_bytes + uint64_t{entry_line(where)} * kLine) +
         ": the record with LSN " + std::to_string(lsn) + " is damaged";
}

uint64_t EpochReader::last_segment_end() const {
  uint64_t last = 0;
  for (const auto& [segment, table] : tables_) last = std::max(last, segment + 1);
  return last << geometry_.segment_bits;
}

void EpochReader::learn_watermark(uint64_t from) {
  for (const auto& [segment, table] : tables_) {
    const uint64_t first = segment << geometry_.segment_bits;
    for (uint64_t i = 0; i < geometry_.segment_entries(); i++) {
      if (first + i >= from && load_unaligned<uint64_t>(table.address + kLine + i * 8) != 0) read(first + i);
    }
  }
}

bool decode_operations(Bytes s, OperationSink& sink) {
  const auto u32 = [&](size_t at) { return load_unaligned<uint32_t>(s.data() + at); };
  const auto u64 = [&](size_t at) { return load_unaligned<uint64_t>(s.data() + at); };
  while (!s.empty()) {
    size_t used = 0;
    switch (static_cast<OperationKind>(s[0])) {
      case OperationKind::kPut: {
        if (s.size() < kPutHeader) return false;
        const size_t key = u32(9), row = u32(13);
        used = kPutHeader + key + row;
        if (s.size() < used) return false;
        sink.put(DurableId(u64(1)), s.substr(kPutHeader, key), s.substr(kPutHeader + key, row));
        break;
      }
      case OperationKind::kErase: {
        if (s.size() < kEraseHeader) return false;
        used = kEraseHeader + u32(9);
        if (s.size() < used) return false;
        sink.erase(DurableId(u64(1)), s.substr(kEraseHeader, u32(9)));
        break;
      }
      case OperationKind::kSequence:
        used = kSequenceBytes;
        if (s.size() < used) return false;
        sink.sequence(DurableId(u64(1)), static_cast<int64_t>(u64(9)), s[17] != 0);
        break;
      case OperationKind::kOids:
        used = kOidsBytes;
        if (s.size() < used) return false;
        sink.oids(u64(1));
        break;
      case OperationKind::kClone:
        used = kCloneBytes;
        if (s.size() < used) return false;
        sink.clone(DurableId(u64(1)), DurableId(u64(9)));
        break;
      case OperationKind::kPrepared: {
        const auto head = prepared_head(s);
        if (!head) return false;
        used = kPreparedHeader + head->name.size();
        sink.prepared(*head);
        break;
      }
      case OperationKind::kHold: {
        if (s.size() < kHoldHeader) return false;
        used = kHoldHeader + u32(11);
        if (s.size() < used) return false;
        sink.held({HoldKind(s[1]), static_cast<uint8_t>(s[2]), u64(3), s.substr(kHoldHeader, u32(11))});
        break;
      }
      case OperationKind::kMoved: {
        if (s.size() < kMovedHeader) return false;
        const size_t key = u32(9), new_key = u32(13);
        used = kMovedHeader + key + new_key;
        if (s.size() < used) return false;
        sink.moved(DurableId(u64(1)), s.substr(kMovedHeader, key), s.substr(kMovedHeader + key, new_key));
        break;
      }
      default: return false;
    }
    s.remove_prefix(used);
  }
  return true;
}

std::optional<PreparedHead> prepared_head(Bytes s) {
  if (s.size() < kPreparedHeader || static_cast<OperationKind>(s[0]) != OperationKind::kPrepared) return std::nullopt;
  const auto length = load_unaligned<uint16_t>(s.data() + 18);
  if (s.size() < kPreparedHeader + length) return std::nullopt;
  return PreparedHead{s.substr(kPreparedHeader, length), load_unaligned<int64_t>(s.data() + 1),
                      load_unaligned<uint32_t>(s.data() + 9), load_unaligned<uint32_t>(s.data() + 13), s[17] != 0};
}

}  // namespace indigo::log
