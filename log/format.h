// What the log's files look like on the device: the one description that writer, reader and `indigo log dump` share.
//
// The log of one epoch (one life of the database) is a file `log-EPOCH` of equal blocks, block_bytes each:
//
//   block 0        file header (offset 0), two watermark slots (4096, 8192), segment tables from kFirstTable
//   data block     block header, then records, each beginning on a cacheline
//   table block    block header, then segment tables
//
// An LSN is a position in the one order of records: its high bits name a segment, its low `segment_bits` (16) an entry of
// that segment's table. The entry says where the record lies: block << 32 | cacheline within the block; zero: not written.
// A record that nothing points to does not exist, and one that does not carry the LSN of its entry is not that record.
//
// A transaction's operations are one byte stream, cut into the payloads of one or more records: `part` records first,
// and one `commit` record last, which has the stamp. All numbers are little-endian. Version: kVersion, in the file header.
// Source: Index-Organized 5.3 (blocks, segments, cacheline-aligned records).
#pragma once

#include <cstddef>
#include <cstdint>

namespace indigo::log {

inline constexpr uint64_t kFileMagic = 0x31474f4c4f474e49;  // "INGOLOG1"
inline constexpr uint32_t kRecordMagic = 0x43455247;        // "GREC"
inline constexpr uint32_t kBlockMagic = 0x4b4c4247;         // "GBLK"
inline constexpr uint32_t kTableMagic = 0x4c425447;         // "GTBL"
inline constexpr uint64_t kWatermarkMagic = 0x4b52414d52544157;
// 1 had no clones; 1 and 2 kept expressions of definitions as SQL text, which nothing reads any more; 3 has no prepared
// transactions.
inline constexpr uint32_t kVersion = 4;
constexpr bool readable(uint32_t version) { return version == 3 || version == kVersion; }
inline constexpr size_t kLine = 64;  // cacheline

struct Geometry {
  uint32_t block_bytes = 16u << 20;
  uint32_t segment_bits = 16;
  uint64_t segment_entries() const { return uint64_t{1} << segment_bits; }
  // A segment's table: one line of header, then its entries; whole pages.
  size_t table_bytes() const { return (kLine + segment_entries() * 8 + 4095) / 4096 * 4096; }
};

//   0 magic 8 | 8 version 4 | 12 block_bytes 4 | 16 epoch 8 | 24 first_lsn 8 | 32 previous_cut 8 | 40 segment_bits 4
//   44 level 4 | 48 reserved 8 | 56 crc 4 (of the bytes before) | 60 pad 4
struct FileHeader {
  uint64_t magic = kFileMagic;
  uint32_t version = kVersion;
  uint32_t block_bytes = 0;
  uint64_t epoch = 0;
  uint64_t first_lsn = 0;     // of this epoch
  uint64_t previous_cut = 0;  // records of the epoch before from this LSN on are void
  uint32_t segment_bits = 0;
  uint32_t level = 0;  // Durability, when it was made
  uint64_t reserved = 0;
  uint32_t crc = 0;
  uint32_t pad = 0;
};
static_assert(sizeof(FileHeader) == kLine && offsetof(FileHeader, crc) == 56 && offsetof(FileHeader, first_lsn) == 24);

//   0 magic 8 | 8 lsn 8 | 16 epoch 8 | 24 sequence 8 | 32 crc 4 | 36 pad
// Everything below `lsn` was durable when the slot was written. The two slots are written in turn.
struct Watermark {
  uint64_t magic = kWatermarkMagic;
  uint64_t lsn = 0;
  uint64_t epoch = 0;
  uint64_t sequence = 0;
  uint32_t crc = 0;
  uint32_t pad[7] = {};
};
static_assert(sizeof(Watermark) == kLine && offsetof(Watermark, crc) == 32);
inline constexpr size_t kWatermarkOffset[2] = {4096, 8192};
inline constexpr size_t kFirstTable = 16384;   // in block 0
inline constexpr size_t kTableInBlock = 4096;  // first table of a table block

enum class BlockKind : uint32_t { kData = 1, kTables = 2 };

//   0 magic 4 | 4 kind 4 | 8 epoch 8 | 16 number 4 | 20 crc 4 | 24 pad
struct BlockHeader {
  uint32_t magic = kBlockMagic;
  BlockKind kind = BlockKind::kData;
  uint64_t epoch = 0;
  uint32_t number = 0;
  uint32_t crc = 0;
  uint64_t pad[5] = {};
};
static_assert(sizeof(BlockHeader) == kLine && offsetof(BlockHeader, crc) == 20);

//   0 magic 4 | 4 crc 4 (of segment and epoch) | 8 segment 8 | 16 epoch 8 | 24 pad; entries from byte 64
struct TableHeader {
  uint32_t magic = kTableMagic;
  uint32_t crc = 0;
  uint64_t segment = 0;
  uint64_t epoch = 0;
  uint64_t pad[5] = {};
};
static_assert(sizeof(TableHeader) == kLine && offsetof(TableHeader, segment) == 8);

constexpr uint64_t table_entry(uint32_t block, uint32_t line) { return uint64_t{block} << 32 | line; }
constexpr uint32_t entry_block(uint64_t entry) { return static_cast<uint32_t>(entry >> 32); }
constexpr uint32_t entry_line(uint64_t entry) { return static_cast<uint32_t>(entry); }

enum class RecordKind : uint16_t {
  kCommit = 1,  // the last, mostly only, record of a transaction
  kPart = 2,    // the stream's bytes before it
  kNotes = 3,   // operations outside transactions: sequences, OIDs; in force as soon as written
  kClones =
      4,  // clones of one moment: after the transactions before it in the log, and before those that follow; `stamp`
          // is the newest that had been taken then
  kPrepare = 5,  // the last record of a transaction that is prepared: its operations take effect with the next
  kCommitPrepared =
      6,  // the payload is an operation kPrepared with the name of one that is prepared: it commits at `stamp`
  kAbortPrepared = 7,  // the same; it is rolled back, or had nothing to commit
};

//   0 magic 4 | 4 version 2 | 6 kind 2 | 8 lsn 8 | 16 stamp 8 | 24 epoch 8 | 32 first_part 8 | 40 watermark 8
//   48 payload_bytes 4 | 52 payload_crc 4 | 56 reserved 4 | 60 crc 4 (CRC-32C of bytes 0 to 59)
struct RecordHeader {
  uint32_t magic = kRecordMagic;
  uint16_t version = kVersion;
  RecordKind kind = RecordKind::kCommit;
  uint64_t lsn = 0;
  uint64_t stamp = 0;  // commit, commit prepared and clones records
  uint64_t epoch = 0;
  uint64_t first_part = 0;  // LSN of the transaction's first part; zero: this record is all of it, or the first part
  uint64_t watermark = 0;   // all below was durable when this was written
  uint32_t payload_bytes = 0;
  uint32_t payload_crc = 0;
  uint32_t reserved = 0;
  uint32_t crc = 0;
};
static_assert(sizeof(RecordHeader) == kLine && offsetof(RecordHeader, lsn) == 8 &&
              offsetof(RecordHeader, payload_bytes) == 48 && offsetof(RecordHeader, crc) == 60);

// Bytes that a record takes in its block.
constexpr size_t record_bytes(size_t payload) { return (sizeof(RecordHeader) + payload + kLine - 1) / kLine * kLine; }

// The operations within the stream, packed without alignment.
enum class OperationKind : uint8_t {
  kPut = 1,       // table 8, key length 4, row length 4, key, row
  kErase = 2,     // table 8, key length 4, key
  kSequence = 3,  // sequence 8, last value 8, is called 1
  kOids = 4,      // every OID and file number handed out later and not noted again is below this: 8
  kClone = 5,     // clone 8, source 8: the clone has the source's rows, in the place of any that it had
  // Of prepared transactions; they say nothing of what is committed.
  kPrepared = 6,  // begins one: prepared at 8, owner 4, database 4, serializable 1, name length 2, name
  kHold = 7,      // what it holds: kind 1, mode 1, object 8, key length 4, key
  kMoved = 8,     // a key update: table 8, key length 4, new key length 4, key, new key; behind the key's kErase
};
inline constexpr size_t kPutHeader = 17, kEraseHeader = 13, kSequenceBytes = 18, kOidsBytes = 9, kCloneBytes = 17;
inline constexpr size_t kPreparedHeader = 20, kHoldHeader = 15, kMovedHeader = 17;

// kHold's kinds.
enum class HoldKind : uint8_t {
  kClaim = 1,     // the record that the next operation changes was taken in this mode of rows; object: its table
  kRow = 2,       // a row lock; object: the table
  kTable = 3,     // a lock of a table or another object; object: its number in LockName
  kAdvisory = 4,  // mode: 1 when shared; object: the database
};

}  // namespace indigo::log
