// The one interface of every secondary index: an ordered set of entries (secondary key, primary key), both byte
// strings. An index holds no versions: whether an entry counts is decided at the primary record (docs/theory.md).
//
// Thread safety: all functions of Index are safe from any thread; an IndexScan belongs to one session.
// No function waits (Waiter), and none holds a latch or epoch guard after it returns.
//
// Invariants:
// 1. Entries are distinct and ordered by secondary key, then primary key, each by memcmp; any bytes are valid keys,
//    one secondary key may be a prefix of another.
// 2. insert is idempotent: two versions of one record with the same key share one entry.
// 3. erase asks `still_needed` under the latch that insert of the same entry needs. A writer makes its pending version
//    first and inserts after; so either still_needed sees the version, or the insert comes after and adds the entry
//    again (rules 2 and 3 of docs/theory.md).
// 4. A scan returns every entry that was there during the whole scan exactly once and in order; entries inserted or
//    erased meanwhile it may or may not return. The caller re-checks each one at the primary record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "storage/index/hnsw/graph_shape.h"
#include "storage/key_range.h"
#include "storage/status.h"

namespace indigo::storage {

struct IndexEntry {
  Bytes key;  // secondary key
  Bytes primary_key;
};

// Walks a range of secondary keys in batches. Holds nothing in the index between calls, so that the session may
// suspend; continues after the last entry that it returned.
class IndexScan {
 public:
  virtual ~IndexScan() = default;
  // The next entries in order, at most `max_entries` (at least 1); an empty span at the end of the range. The bytes
  // stay valid until the next call, rebind() or destruction. A batch may be short without being the last.
  virtual std::span<const IndexEntry> next(size_t max_entries) = 0;
  // Starts over with another range; keeps buffers.
  virtual void rebind(const KeyRange& range, Direction direction) = 0;
};

// What lookup_many found. Buffers are reused.
struct IndexMatches {
  std::vector<std::string> primary_keys;  // what lies beyond the last end has no meaning
  std::vector<uint32_t> ends;             // those of keys[i] end here, and begin where those of keys[i - 1] end

  uint32_t begin_of(size_t i) const { return i == 0 ? 0 : ends[i - 1]; }
  uint32_t count() const { return ends.empty() ? 0 : ends.back(); }
  std::string& at(size_t i) {
    if (i == primary_keys.size()) primary_keys.emplace_back();
    return primary_keys[i];
  }
};

// What an index does behind its users' backs (index_service.h).
struct IndexServiceStatistics {
  uint64_t backlog_entries = 0, backlog_bytes = 0;  // changes that its second structure has not had yet
  uint64_t age_us = 0;                              // of the oldest of them
  uint64_t batches = 0, merged_entries = 0;         // since the index was made, by all threads
  uint64_t stalls = 0;                              // batches by writers who found no room
  uint64_t repairs = 0;                             // batches by scans that needed what was waiting
};

class Index {
 public:
  virtual ~Index() = default;

  // kOk also when the entry is there already; kTooLarge when a key exceeds kMaxIndexKeyBytes.
  virtual StorageStatus insert(Bytes key, Bytes primary_key) = 0;
  // Inserts entries that ascend; quick where they follow everything that is there (CREATE INDEX).
  virtual StorageStatus insert_ascending(std::span<const IndexEntry> entries) = 0;
  // Removes the entry unless `still_needed` (empty: never) says that some version has this key. It is called under a
  // latch: it may enter an epoch and read primary records, but neither wait, compute keys, fail, nor call this index;
  // what takes more than a look is done before (storage/table/stale_entry.h). True when removed.
  virtual bool erase(Bytes key, Bytes primary_key, const std::function<bool()>& still_needed = {}) = 0;
  // The primary keys of all entries whose secondary key equals `key`, in order; strings of `primary_keys` are reused.
  // Answers how many there are; what lies beyond that in the vector has no meaning.
  virtual size_t lookup(Bytes key, std::vector<std::string>& primary_keys) = 0;
  // lookup of several keys, whose cache misses overlap.
  virtual void lookup_many(std::span<const Bytes> keys, IndexMatches& out) = 0;
  virtual std::unique_ptr<IndexScan> scan(const KeyRange& range, Direction direction) = 0;
  // The greatest secondary key below `key` (`or_equal`: at or below it); false when there is none.
  virtual bool greatest(Bytes key, bool or_equal, std::string& found);
  // Does a scan of a range read that range alone? False: every scan of more than one key reads all entries.
  virtual bool ordered() const { return true; }
  // Inverted: a row has any number of keys, and its extractor gives a list of them (storage/index/key_list.h). Not unique.
  virtual bool inverted() const { return false; }

  // Another index with these entries, in constant time: the two share what neither changes. Its memory is counted in both, but in
  // the store's account once. While writers are kept out (EpochManager::pause_writers), with generations for this one and
  // for the clone that are greater than all before.
  virtual std::unique_ptr<Index> clone(uint64_t generation, uint64_t clone_generation) = 0;

  // Empty: everything is done at once.
  virtual std::optional<IndexServiceStatistics> service_statistics() const { return std::nullopt; }

  // How full ascending inserts leave a leaf (IndexOptions::fill_percent), from now on.
  virtual void set_fill(uint8_t percent) = 0;
  // Of an index that has a graph (hnsw/hnsw_index.h): how it is made, from the first entry on.
  virtual void set_graph(const GraphShape&) {}
  // How many entries insert_ascending takes at a time, so that none of its calls is long.
  virtual size_t build_batch() const { return 1024; }

  // Entries and bytes of memory; exact without concurrent writers.
  virtual uint64_t entry_count() const = 0;
  // Whether entry_count() is, without concurrent writers, at no moment below what a scan may find while entries are erased.
  virtual bool counts_exactly() const { return false; }
  virtual uint64_t memory_bytes() const = 0;
  // Checks the structure's own invariants; empty when sound, else what is wrong. Only without concurrent writers.
  virtual std::string check() const = 0;

 protected:
  // greatest(), of an index whose scans cost more the longer their range is: no longer than from what `guess`, which lags behind
  // it, has there.
  bool greatest_near(Index& guess, Bytes key, bool or_equal, std::string& found);
};

inline constexpr size_t kMaxIndexKeyBytes = 32 * 1024;  // of each of the two keys

}  // namespace indigo::storage
