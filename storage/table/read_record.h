// Which image of a record does a view see? The one place where visibility is decided.
//
// Thread safety: the caller has been under an epoch guard since before it read the meta.
// The answer's bytes are either outside the leaf (immutable, valid under the guard) or inside it (to be copied and then
// validated, unless they were copied before).
// Source: docs/theory.md, Where versions live; Index-Organized 4.2.
#pragma once

#include <string>

#include "base/bytes.h"
#include "storage/btree/tree.h"
#include "storage/transaction.h"
#include "storage/version/pending.h"
#include "storage/version/snapshot_version.h"

namespace indigo::storage {

enum class [[nodiscard]] ReadOutcome : uint8_t;
enum class ReadOutcome : uint8_t {
  kNone,     // no visible version; counts only if the leaf validates
  kInLeaf,   // the leaf's payload
  kOutside,  // `image`
  kRetry,    // the leaf changed meanwhile
};

// Where a meta and its payload were read from: a leaf that is being read optimistically, or a validated copy of one.
struct RecordSource {
  const Leaf* leaf;
  const Tree& tree;
  uint64_t version;
  bool copied = false;
  const char* copied_payload = nullptr;  // may be null when it is empty

  bool validate() const { return copied || leaf->latch.validate(version); }
  const char* payload(const RecordMeta& m) const { return copied ? copied_payload : leaf->payload(m); }
};

// What was found in a chain; null: nothing.
inline ReadOutcome read_version(const SnapshotVersion* v, Bytes& image) {
  if (v == nullptr || v->tombstone) return ReadOutcome::kNone;
  image = v->image();
  return ReadOutcome::kOutside;
}

ReadOutcome read_in_process_or_older(const RecordSource& source, const RecordMeta& meta, const Descriptor* self,
                                     const ReadView& view, Bytes& image);

// `self` is the reader's own descriptor, null when it has none.
inline ReadOutcome read_record(const RecordSource& source, const RecordMeta& m, const Descriptor* self,
                               const ReadView& view, Bytes& image) {
  // What is clear reads the same in a foreign leaf.
  if (m.state() == RecordState::kClear && m.stamp <= view.stamp.value && !m.overflow()) {
    return m.visible() ? ReadOutcome::kInLeaf : ReadOutcome::kNone;
  }
  return read_in_process_or_older(source, m, self, view, image);
}

// The stamp of the committed version that a newest view reads in this record, zero when there is none or it is the reader's
// own: R5 wants the session's next snapshot to cover it. The meta is whole, and its leaf not foreign.
uint64_t newest_stamp(const RecordMeta& m, const Descriptor* self);

// The stamp of what read_record has shown of this record, or a later one below the view's: what has to be durable before anyone
// is told. The reader's own changes do not count. The meta is whole; afterwards, so that it misses no commit that was seen.
uint64_t stamp_in_process_or_older(const RecordMeta& m, const Descriptor* self, const ReadView& view);
inline uint64_t shown_stamp(const RecordMeta& m, const Descriptor* self, const ReadView& view) {
  if (m.state() == RecordState::kClear && m.stamp <= view.stamp.value) return m.stamp;
  return stamp_in_process_or_older(m, self, view);
}

// Copies the leaf's payload; false when the meta was torn.
inline bool copy_payload(const Leaf* leaf, const RecordMeta& m, std::string& to) {
  if (!leaf->sound(m)) return false;
  if constexpr (kThreadSanitizer) {
    to.resize(m.payload_length());
    copy_from_shared(to.data(), leaf->payload(m), m.payload_length());
  } else {
    to.assign(leaf->payload(m), m.payload_length());
  }
  return true;
}

}  // namespace indigo::storage
