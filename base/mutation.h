// Rules that a build for tests can switch off, to prove that the tests see it (tests/history, tests/crash).
//
// Ordinary builds have none of it: mutated() is false at compile time. A build with INDIGO_MUTATIONS reads the name of one
// rule from the environment variable INDIGO_MUTATION when it is first asked.
#pragma once

#include <cstdint>

namespace indigo {

enum class Mutation : uint8_t {
  kNone,
  kNoExclusionTest,    // exclusion: a transaction commits whatever its window says
  kNoGapCheck,         // gaps: ranges are not read
  kNoCommitSection,    // section: others come between a commit's test and its stamps
  kReadersLookFirst,   // post: who only reads looks for writers before it leaves its stamps
  kForgetFences,       // fences: ranges get new partitions without what the old ones had
  kMapFirst,           // map: the way to the new partitions is open before they have that
  kOverwriteInPlace,   // R1: old images are not kept
  kForgetNothingRead,  // R3: a read that met a tombstone or nothing is forgotten
  kEarlyAcknowledge,   // R5: a commit is acknowledged before it is stable
  kForgetRolledBack,   // R6: rolling back to a savepoint takes reads back
  kNoHighStart,        // R7: eta starts at 0
  kAdvanceAnyway,      // R8: a serializable snapshot moves on whatever has become of what was read
  kCertifiedOnly,      // weaker: it does though weaker levels have committed
  kForgetStatements,   // again: a statement that begins again takes all its transaction's reads back
  kLateRegistration,   // R4: a snapshot is registered only after it was loaded
  kStayAtOldKey,       // follow: who waited for a key update does not go on to the new key
  kCloneAtOnce,        // clone: neither commits nor writers are waited for
  kWriteShared,        // copy: a leaf is written though another tree has it, too
  kIndexForAll,        // index: snapshots from before an index use it
  kNoRepair,           // repair: scans of a buffered index do not look for what is not merged
  kPointsOfTheTree,    // points: look-ups in a buffered index do not look for it
  kMergeUnlocked,      // merge: a buffered entry is gone before its tree has it
  kNoWalk,             // walk: the data node that the search layer knows is taken for the right one
  kReadDeleted,        // deleted: data nodes that were merged into others are read
  kReadUnlocked,       // readlock: serializable transactions that lock do not lock what they read
  kNoGapLock,          // gaplock: nor the gaps between it
  kNoGapInherited,     // inherit: a value that comes into a gap takes none of its locks over
  kNoGhosts,           // ghosts: a value that is locked is removed
  kIgnorePrepared,     // beside: serializable transactions do not look at those that are prepared

  // ---- of the log
  kOmitFences,          // fence: a record is stored and not made durable (persistent memory)
  kOmitSyncs,           // sync: the flusher does not flush
  kAcknowledgeAtOnce,   // acknowledge: a commit does not wait for its record
  kAcknowledgeAlone,    // prefix: a commit waits for its own record only, not for those before it
  kAcceptTornRecords,   // torn: checksums are not looked at
  kIgnoreWatermark,     // watermark: what ends below the durable prefix passes for a torn tail
  kSameEpoch,           // epoch: a start goes on in the epoch before
  kWrongCut,            // cut: the next epoch's header says that this one ended a record earlier
  kForgetParts,         // parts: a checkpoint lets go of the parts of open transactions
  kHighHorizon,         // horizon: a checkpoint claims what was appended while it was written
  kEarlyRemoval,        // removal: older files go before the new checkpoint is durable
  kUnsyncedCheckpoint,  // checkpoint: it gets its name before its bytes are durable
  kUnsyncedNames,       // names: a rename is not made durable
  kBelieveTheCache,     // cache: recovery does not make durable what it has read of a process that died
  kForgetClones,        // clones: the moment of a clone is not logged
  kReplayKeepsOld,      // replay: a row that is there already is not replaced
  kForgetShown,         // shown: who only reads is acknowledged before what it was shown is durable
  kForgetPrepared,      // prepared: a checkpoint does not have the transactions that are prepared
  kForgetGone,          // gone: a reader that finds nothing does not ask what has gone
};

#ifdef INDIGO_MUTATIONS
inline constexpr bool kMutations = true;
bool mutated(Mutation m);
#else
inline constexpr bool kMutations = false;
constexpr bool mutated(Mutation) { return false; }
#endif

}  // namespace indigo
