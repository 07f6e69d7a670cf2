#include "base/mutation.h"

#ifdef INDIGO_MUTATIONS
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace indigo {

namespace {

Mutation chosen() {
  const char* name = std::getenv("INDIGO_MUTATION");
  std::string_view n = name == nullptr ? "" : name;
  if (n.empty()) return Mutation::kNone;
  constexpr struct {
    std::string_view name;
    Mutation mutation;
  } kNames[] = {
      {"exclusion", Mutation::kNoExclusionTest},
      {"gaps", Mutation::kNoGapCheck},
      {"section", Mutation::kNoCommitSection},
      {"post", Mutation::kReadersLookFirst},
      {"fences", Mutation::kForgetFences},
      {"map", Mutation::kMapFirst},
      {"R1", Mutation::kOverwriteInPlace},
      {"R3", Mutation::kForgetNothingRead},
      {"R5", Mutation::kEarlyAcknowledge},
      {"R6", Mutation::kForgetRolledBack},
      {"R7", Mutation::kNoHighStart},
      {"R4", Mutation::kLateRegistration},
      {"R8", Mutation::kAdvanceAnyway},
      {"weaker", Mutation::kCertifiedOnly},
      {"again", Mutation::kForgetStatements},
      {"follow", Mutation::kStayAtOldKey},
      {"clone", Mutation::kCloneAtOnce},
      {"copy", Mutation::kWriteShared},
      {"index", Mutation::kIndexForAll},
      {"repair", Mutation::kNoRepair},
      {"points", Mutation::kPointsOfTheTree},
      {"merge", Mutation::kMergeUnlocked},
      {"walk", Mutation::kNoWalk},
      {"deleted", Mutation::kReadDeleted},
      {"readlock", Mutation::kReadUnlocked},
      {"gaplock", Mutation::kNoGapLock},
      {"inherit", Mutation::kNoGapInherited},
      {"ghosts", Mutation::kNoGhosts},
      {"fence", Mutation::kOmitFences},
      {"sync", Mutation::kOmitSyncs},
      {"acknowledge", Mutation::kAcknowledgeAtOnce},
      {"prefix", Mutation::kAcknowledgeAlone},
      {"torn", Mutation::kAcceptTornRecords},
      {"watermark", Mutation::kIgnoreWatermark},
      {"epoch", Mutation::kSameEpoch},
      {"cut", Mutation::kWrongCut},
      {"parts", Mutation::kForgetParts},
      {"horizon", Mutation::kHighHorizon},
      {"removal", Mutation::kEarlyRemoval},
      {"checkpoint", Mutation::kUnsyncedCheckpoint},
      {"names", Mutation::kUnsyncedNames},
      {"clones", Mutation::kForgetClones},
      {"replay", Mutation::kReplayKeepsOld},
      {"shown", Mutation::kForgetShown},
      {"gone", Mutation::kForgetGone},
      {"prepared", Mutation::kForgetPrepared},
      {"beside", Mutation::kIgnorePrepared},
      {"cache", Mutation::kBelieveTheCache},
  };
  for (const auto& known : kNames) {
    if (n == known.name) return known.mutation;
  }
  std::fprintf(stderr, "INDIGO_MUTATION=%s is not known\n", name);
  std::abort();
}

}  // namespace

bool mutated(Mutation m) {
  static const Mutation mutation = chosen();
  return m == mutation;
}

}  // namespace indigo
#endif
