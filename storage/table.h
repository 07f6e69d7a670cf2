// One index-organized table: a primary-key B+-tree whose leaves hold the rows, with its secondary indexes.
// Keys are order-preserving byte strings (memcmp order) and unique; rows are byte images that storage never interprets.
//
// Thread safety: every member function is safe from any thread. A Cursor belongs to one session.
// Users of a Table or its cursors hold a shared_ptr to it.
// All functions that take a Transaction may wait (Waiter::current()); none holds a latch or epoch guard while waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "storage/index/hnsw/graph_shape.h"
#include "storage/key_range.h"
#include "storage/lock/lock_mode.h"
#include "storage/status.h"
#include "storage/thresholds.h"
#include "storage/transaction.h"

namespace indigo::storage {

struct LeafThresholds;

// Computes a secondary index's key from a row: storage owns the interface, catalog implements it.
// Called under no latch; must be pure and thread-safe.
class KeyExtractor {
 public:
  virtual ~KeyExtractor() = default;
  enum class [[nodiscard]] Outcome : uint8_t;
  enum class Outcome : uint8_t {
    kKey,         // `key` has the entry's secondary key
    kNotIndexed,  // the row is outside a partial index
    kError,       // evaluating an expression failed
  };
  // Writes the order-preserving secondary key (without the primary key) to `key` (cleared first).
  // `has_null` is set when some key column is null: such keys never conflict in a unique index (unless NULLS NOT DISTINCT).
  virtual Outcome extract(Bytes primary_key, Bytes row, std::string& key, bool& has_null) const = 0;
};

struct IndexOptions {
  bool unique = false;
  bool nulls_not_distinct = false;
  uint8_t fill_percent = 100;  // how full ascending inserts leave a leaf of the index (LeafThresholds::kFill)
  GraphShape graph;            // of an index that has one
  uint32_t file = 0;           // the index' file number, if an image may have it (storage/image/table_image.h)
};

struct RowRef {
  Bytes key;  // primary key
  Bytes row;  // row image
};

// Walks a range in key order under one view. Images stay valid until the next call of next() or destruction.
// Holds no latch or guard between calls, so the session may suspend between them.
class Cursor {
 public:
  virtual ~Cursor() = default;
  // Up to out.size() rows; 0 at the end. An index cursor yields rows in index order, each re-checked against the
  // full entry key computed from the visible version (docs/theory.md rule 1).
  virtual StorageStatus next(std::span<RowRef> out, size_t& count) = 0;
  // Starts again over another range with the same transaction and a new view; keeps buffers (point and
  // nested-loop look-ups allocate nothing).
  virtual void rebind(const KeyRange& range, const ReadView& view, Direction direction = Direction::kForward) = 0;
};

// What a unique violation ran into.
struct Duplicate {
  IndexId index;            // zero: the primary key
  std::string primary_key;  // of the record that is in the way
};

// What lock_row or claim found.
struct Claimed {
  std::string
      key;  // of the newest version (lock_row's kNotFound: to where this transaction has moved the row, or empty)
  std::string row;       // newest version's image, own pending changes of earlier commands included
  bool changed = false;  // newer than the caller's view: READ COMMITTED must re-check its condition
  bool own = false;      // the newest version is this transaction's
  // With kNotFound from claim: this very command has changed the row already (UPDATE skips it; ON CONFLICT says 21000). From
  // lock_row: the transaction has since the view.
  bool self_modified = false;
};

class Table {
 public:
  virtual ~Table() = default;
  virtual TableId id() const = 0;

  // ---- reading
  // The version of `key` visible to `view`, copied to `row`; kNotFound when none.
  virtual StorageStatus get(Transaction& txn, const ReadView& view, Bytes key, std::string& row) = 0;
  // Several keys at once, interleaved with prefetch; rows[i] empty and found[i] false when not visible.
  virtual StorageStatus get_many(Transaction& txn, const ReadView& view, std::span<const Bytes> keys,
                                 std::span<std::string> rows, std::span<bool> found) = 0;
  virtual std::unique_ptr<Cursor> scan(Transaction& txn, const ReadView& view, const KeyRange& range,
                                       Direction direction = Direction::kForward) = 0;
  // Ranges of secondary keys; `index` as returned by create_index.
  virtual std::unique_ptr<Cursor> scan_index(Transaction& txn, const ReadView& view, IndexId index,
                                             const KeyRange& range, Direction direction = Direction::kForward) = 0;

  // ---- writing; all maintain the secondary indexes
  // kDuplicateKey fills *duplicate. Waits for an in-process insert or delete of an equal key.
  virtual StorageStatus insert(Transaction& txn, Bytes key, Bytes row, Duplicate* duplicate) = 0;
  // A hidden ascending row id for tables without a primary key, 8 bytes big-endian, unique in this table.
  virtual uint64_t next_row_id() = 0;

  // First updater wins: takes the record for `txn` to update (mode kNoKeyUpdate) or delete / change its key
  // (kUpdate), waiting for its owner. kNotFound: deleted meanwhile (or never visible). REPEATABLE READ and above:
  // kConflict / kConflictDelete when the newest version is younger than `view`. On kOk the caller re-checks when
  // out.changed, then calls update, erase, or unclaim (changed its mind; keeps nothing).
  virtual StorageStatus claim(Transaction& txn, const ReadView& view, Bytes key, RowLockMode mode, LockWait wait,
                              Claimed& out) = 0;
  virtual void unclaim(Transaction& txn, Bytes key) = 0;
  // Needs a claim. The new image becomes the pending version; unique indexes are checked (kDuplicateKey).
  virtual StorageStatus update(Transaction& txn, Bytes key, Bytes row, Duplicate* duplicate) = 0;
  // A key update: erases `key` (the tombstone carries new_key) and inserts `row` under new_key.
  virtual StorageStatus update_key(Transaction& txn, Bytes key, Bytes new_key, Bytes row, Duplicate* duplicate) = 0;
  virtual StorageStatus erase(Transaction& txn, Bytes key) = 0;

  // FOR UPDATE ... FOR KEY SHARE: an explicit row lock to the transaction's end, with claim's semantics otherwise.
  virtual StorageStatus lock_row(Transaction& txn, const ReadView& view, Bytes key, RowLockMode mode, LockWait wait,
                                 Claimed& out) = 0;

  // ---- definition: the caller holds a table lock that excludes writers
  // Builds the index from the newest versions (own changes included). It serves views at or above valid_from.
  // kDuplicateKey when unique and violated.
  virtual StorageStatus create_index(Transaction& txn, IndexId id, const IndexOptions& options,
                                     std::shared_ptr<const KeyExtractor> extractor, Duplicate* duplicate) = 0;
  virtual void drop_index(IndexId id) = 0;
  // For what is done from now on; what is there stays as it is. They need no lock. Tables that are made up of others (those
  // of the catalog) have no thresholds of their own.
  virtual void set_thresholds(const LeafThresholds&) {}
  virtual void set_index_fill(IndexId, uint8_t) {}
  // Can a reader with this view use the index (its valid_from is not younger)?
  virtual bool index_usable(IndexId index, const ReadView& view) const = 0;

  // ---- statistics (approximate, cheap)
  struct Statistics {
    uint64_t rows = 0;  // live records, approximately
    uint64_t leaf_count = 0;
    uint64_t bytes = 0;  // all memory of the tree and its versions
  };
  virtual Statistics statistics() const = 0;
  // The same with those that open transactions have inserted: what a scan may meet.
  virtual uint64_t rows() const { return statistics().rows; }
};

}  // namespace indigo::storage
