// How far a session's long command is: the rows of pg_stat_progress_*, as parameters with PostgreSQL's numbers
// (commands/progress.h there; pg_stat_get_progress_info hands them to the views).
// Thread safety: the session writes, anybody reads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "base/ids.h"

namespace indigo::engine {

enum class ProgressCommand : uint8_t { kNone, kVacuum, kAnalyze, kCluster, kCreateIndex, kBasebackup, kCopy };

namespace progress {

inline constexpr size_t kParameters = 20;

// The parameters of each command, by their places.
namespace analyze {
inline constexpr size_t kPhase = 0, kBlocksTotal = 1, kBlocksDone = 2, kExtendedTotal = 3, kExtendedDone = 4,
                        kChildrenTotal = 5, kChildrenDone = 6, kCurrentChild = 7;
inline constexpr int64_t kSampling = 1, kSamplingInherited = 2, kComputing = 3, kComputingExtended = 4, kFinalizing = 5;
}  // namespace analyze
namespace cluster {
inline constexpr size_t kCommand = 0, kPhase = 1, kIndex = 2, kScanned = 3, kWritten = 4, kBlocksTotal = 5,
                        kBlocksScanned = 6, kIndexesRebuilt = 7;
inline constexpr int64_t kOfCluster = 1, kScanning = 1, kRebuildingIndexes = 6, kCleaningUp = 7;
}  // namespace cluster
namespace index {
inline constexpr size_t kCommand = 0, kIndex = 6, kMethod = 8, kPhase = 9, kStep = 10, kTuplesTotal = 11,
                        kTuplesDone = 12, kPartitionsTotal = 13, kPartitionsDone = 14, kBlocksTotal = 15,
                        kBlocksDone = 16;
inline constexpr int64_t kCreate = 1, kCreateConcurrently = 2, kReindex = 3, kReindexConcurrently = 4;
inline constexpr int64_t kBuilding = 2;                    // a phase
inline constexpr int64_t kScan = 2, kSort = 3, kLoad = 5;  // its steps, of the access method
}  // namespace index
namespace copy {
inline constexpr size_t kBytesDone = 0, kBytesTotal = 1, kTuplesDone = 2, kTuplesExcluded = 3, kCommand = 4, kType = 5;
inline constexpr int64_t kFrom = 1, kTo = 2, kFile = 1, kProgram = 2, kPipe = 3;
}  // namespace copy

}  // namespace progress

class Progress {
 public:
  struct Report {
    Oid relation = kInvalidOid;
    std::array<int64_t, progress::kParameters> parameters{};
  };

  ProgressCommand command() const { return command_.load(std::memory_order_acquire); }
  void set(size_t parameter, int64_t value) { parameters_[parameter].store(value, std::memory_order_relaxed); }
  void add(size_t parameter, int64_t more) { set(parameter, get(parameter) + more); }
  int64_t get(size_t parameter) const { return parameters_[parameter].load(std::memory_order_relaxed); }

  // What the command has told; nothing when another one runs, or none, or one begins or ends just now.
  std::optional<Report> report(ProgressCommand wanted) const {
    Report out;
    for (;;) {
      const uint64_t before = changes_.load(std::memory_order_acquire);
      if (before % 2 != 0 || command() != wanted) return std::nullopt;
      out.relation = relation_.load(std::memory_order_relaxed);
      for (size_t i = 0; i < out.parameters.size(); i++) out.parameters[i] = get(i);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (changes_.load(std::memory_order_relaxed) == before) return out;
    }
  }

 private:
  friend class ProgressOf;
  void change(ProgressCommand command, Oid relation) {
    changes_.fetch_add(1, std::memory_order_acq_rel);
    std::atomic_thread_fence(
        std::memory_order_release);  // the odd number comes before the stores below: pairs with report()
    for (auto& parameter : parameters_) parameter.store(0, std::memory_order_relaxed);
    relation_.store(relation, std::memory_order_relaxed);
    command_.store(command, std::memory_order_release);
    changes_.fetch_add(1, std::memory_order_release);
  }

  std::atomic<ProgressCommand> command_{ProgressCommand::kNone};
  std::atomic<Oid> relation_{kInvalidOid};
  std::atomic<uint64_t> changes_{0};  // of command and relation; odd while one is under way
  std::array<std::atomic<int64_t>, progress::kParameters> parameters_{};
};

// While it lives its command runs. Within another command, or where nobody looks (`of` null), it does nothing: what is told is
// what the outermost one does.
class ProgressOf {
 public:
  ProgressOf(Progress* of, ProgressCommand command, Oid relation)
      : of_(of != nullptr && of->command() == ProgressCommand::kNone ? of : nullptr) {
    if (of_ != nullptr) of_->change(command, relation);
  }
  ~ProgressOf() {
    if (of_ != nullptr) of_->change(ProgressCommand::kNone, kInvalidOid);
  }
  ProgressOf(const ProgressOf&) = delete;
  ProgressOf& operator=(const ProgressOf&) = delete;

  void set(size_t parameter, int64_t value) {
    if (of_ != nullptr) of_->set(parameter, value);
  }
  void add(size_t parameter, int64_t more) {
    if (of_ != nullptr) of_->add(parameter, more);
  }

 private:
  Progress* const of_;
};

// That of a command which runs, for a part of its work that others do as well; null: another runs, or none.
inline Progress* running(Progress* of, ProgressCommand command) {
  return of != nullptr && of->command() == command ? of : nullptr;
}

}  // namespace indigo::engine
