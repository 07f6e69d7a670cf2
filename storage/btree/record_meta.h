// The 32 bytes that a leaf keeps for each record, sorted by key.
//
// Byte table:
//   0  control word: state 2 bits, locked 1, visible 1, offset 28 (of which 3 are flags), key length 16, payload length 16
//   8  key prefix, big-endian number
//  16  commit stamp of the index version (or tombstone); 0 while the record is in-inserting for the first time
//  24  predecessor: the newest SnapshotVersion, or the PendingVersion while the record is in process
//
// The PendingVersion is the record's slot in the mapping table: the record names it directly instead of by a hash of its
// key, and it remembers the predecessor that it displaced.
// Source: Index-Organized 4.3, figure 6.
#pragma once

#include <cstddef>
#include <cstdint>

namespace indigo::storage {

enum class RecordState : uint8_t {
  kClear = 0,      // no transaction works on it
  kUpdating = 1,   // claimed; body and stamp are those of the newest committed version
  kInserting = 2,  // physically new: no committed version exists, the body is the first pending image
};

struct RecordMeta {
  static constexpr uint64_t kStateMask = 3;
  static constexpr uint64_t kLockedBit = 1u << 2;   // someone may hold an explicit row lock: ask the lock manager
  static constexpr uint64_t kVisibleBit = 1u << 3;  // clear: a tombstone, or in-inserting
  static constexpr int kOffsetShift = 4;
  static constexpr uint64_t kOffsetMask = (uint64_t{1} << 24) - 1;
  static constexpr uint64_t kOverflowBit = uint64_t{1} << 31;  // the payload is the address of an OverflowBody
  static constexpr uint64_t kMovedBit = uint64_t{1} << 30;     // a tombstone whose payload is the record's new key
  static constexpr int kKeyLengthShift = 32;
  static constexpr int kPayloadLengthShift = 48;

  uint64_t control = 0;
  uint64_t prefix = 0;
  uint64_t stamp = 0;
  uint64_t predecessor = 0;

  RecordState state() const { return static_cast<RecordState>(control & kStateMask); }
  bool locked() const { return (control & kLockedBit) != 0; }
  bool visible() const { return (control & kVisibleBit) != 0; }
  bool overflow() const { return (control & kOverflowBit) != 0; }
  bool moved() const { return (control & kMovedBit) != 0; }
  size_t offset() const { return (control >> kOffsetShift) & kOffsetMask; }
  size_t key_length() const { return (control >> kKeyLengthShift) & 0xffff; }
  size_t payload_length() const { return control >> kPayloadLengthShift; }
  // Bytes of the key that lie in the body: the full key if it is longer than the prefix, else none.
  size_t body_key_length() const { return key_length() > 8 ? key_length() : 0; }
  size_t body_length() const { return body_key_length() + payload_length(); }

  // As a tree sees it that shares the leaf with the one that it belongs to: the version that was committed when they
  // were parted. What was in-inserting then is invisible, and has no stamp.
  RecordMeta committed_only() const {
    RecordMeta m = *this;
    m.control &= ~(kStateMask | kLockedBit);
    m.predecessor = 0;
    return m;
  }

  void set_state(RecordState s) { control = (control & ~kStateMask) | static_cast<uint64_t>(s); }
  void set_flag(uint64_t bit, bool on) { control = on ? control | bit : control & ~bit; }
  void set_body(size_t offset, size_t key_length, size_t payload_length) {
    control = (control & (kStateMask | kLockedBit | kVisibleBit | kOverflowBit | kMovedBit)) |
              (static_cast<uint64_t>(offset) << kOffsetShift) | (static_cast<uint64_t>(key_length) << kKeyLengthShift) |
              (static_cast<uint64_t>(payload_length) << kPayloadLengthShift);
  }
};

static_assert(sizeof(RecordMeta) == 32);
static_assert(offsetof(RecordMeta, prefix) == 8 && offsetof(RecordMeta, stamp) == 16 &&
              offsetof(RecordMeta, predecessor) == 24);

}  // namespace indigo::storage
