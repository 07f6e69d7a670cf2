// Committed changes as bytes, for the journal: with the descriptors of their relations as they were, so that they can be read
// when the catalog has others. Numbers are little-endian, of fixed width; texts have their length in front.
//
//   head        database u32, transaction u64, committed_at i64, kind u8, then begin, commit, end and bytes, each u64; from
//               kPrepare on the name, prepared_at i64, and the places begin, prepare and end, each u64
//   relations   count u32, then each as one text: what output plugins ask of a descriptor, and its replica identity
//   changes     count u32, then kind u8 and, of rows: relation u32, old row, new row; of kTruncate: flags u8, count u32,
//               relations; of kMessage: prefix, content
// Row images are written again without what a layout knows of columns that were added later, so a decoded layout is a plain one.
// Thread safety: ChangeDecoder: any thread; the functions are pure.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/bytes.h"
#include "base/error.h"
#include "engine/replication/row_change.h"

namespace indigo::engine::replication {

// Appends.
void encode_changes(const CommittedChanges& changes, std::string& out);
// What encode_changes began with; `changes` stays empty.
Result<CommittedChanges> decode_changes_head(Bytes in);

// Relations that are alike become one descriptor, as they were before: output plugins tell by it whether a relation has changed.
class ChangeDecoder {
 public:
  // XX001 for bytes that encode_changes has not written.
  Result<std::shared_ptr<CommittedChanges>> decode(Bytes in);

 private:
  struct Described {
    RowChange::Relation relation;
    std::shared_ptr<const ReplicaIdentity> identity;
  };
  Result<Described> describe(Bytes text);

  std::mutex mutex_;
  std::unordered_map<std::string, Described> known_;  // guarded by mutex_
};

}  // namespace indigo::engine::replication
