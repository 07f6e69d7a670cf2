// One moment of everything that is kept, written as a checkpoint file: what checkpoints and backups have in common.
// Thread safety: several may be written at once, each by one thread, while transactions continue.
#pragma once

#include <atomic>
#include <cstdint>

#include "catalog/catalog.h"
#include "log/checkpoint.h"
#include "log/device.h"
#include "log/write_ahead_log.h"
#include "storage/store.h"

namespace indigo::engine {

struct SnapshotSource {
  log::WriteAheadLog& log;
  storage::Store& store;
  catalog::Catalog& catalog;
};

// A checkpoint of now under header's number, durable; the bytes written. header.horizon was read before. It ends early with
// 57014 when `cancelled` becomes true (null: never), and leaves no file then, as after every error.
Result<uint64_t> write_snapshot(const SnapshotSource& source, log::Directory& directory, log::CheckpointHeader header,
                                bool with_slots, const std::atomic<bool>* cancelled);

}  // namespace indigo::engine
