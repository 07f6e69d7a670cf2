// Builds the direct serialization graph of a history and looks for what each isolation level forbids.
//
//   all levels        G1a, G1b (reads of what was rolled back or overwritten by its own transaction), G1c (cycles of ww and
//                     wr), lost updates, and stale reads: of a version that was overwritten by a commit acknowledged before
//                     the snapshot was taken
//   REPEATABLE READ   cycles without two consecutive rw edges: what snapshot isolation forbids, G-single among them
//   SERIALIZABLE      every cycle; the real-time order (acknowledged before the other began) counts as edges
//
// Of a history of mixed levels, what SERIALIZABLE promises is asked among its serializable transactions.
// Source: Adya, Weak consistency (1999); Kingsbury and Alvaro, Elle (VLDB 2020); Cerone and Gotsman, Analysing snapshot
// isolation (2016).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/history/history.h"

namespace indigo::history {

struct Verdict {
  std::vector<std::string> violations;  // empty: the history is what its levels promise
  uint64_t committed = 0, aborted = 0, versions = 0, edges = 0, predicate_edges = 0;
};

// `keys`: keys are 1 to this number; all are missing at the beginning. `locking`: serializable transactions have no snapshots,
// but locks on what they read.
Verdict check(const History& history, int64_t keys, bool locking = false);

}  // namespace indigo::history
