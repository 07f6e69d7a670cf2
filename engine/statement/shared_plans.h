// Statements that sessions have prepared by name or with Parse, for all sessions of an instance: the same one is parsed, analyzed
// and planned once, and its tree, plan and columns are there once. Each session has a head of its own (Prepared).
//
// Nothing lives because it is here: heads hold what they come from, and an entry whose last head has gone is empty.
//
// Invariants:
//  1. A key has all that preparing depends on beside the catalog: database, role, settings, types of parameters, text.
//  2. Only statements are here that every session with that key would prepare alike: Preparation::shares.
//  3. Who takes one has checked that its tables are as they were (catalog), and about as large (SharedPlan::sizes).
//  4. `prepared` is nobody's head: its notes are never written.
// Thread safety: all functions are safe from any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/string_map.h"
#include "engine/statement/prepared.h"

namespace indigo::engine {

struct SharedPlan {
  Prepared prepared;
  std::vector<std::pair<Oid, double>> sizes;  // rows of its tables when it was planned
};
using SharedPlanPtr = std::shared_ptr<const SharedPlan>;

class SharedPlans {
 public:
  // Null when there is none.
  SharedPlanPtr find(const std::string& key);
  // In the place of one that is there.
  void add(const std::string& key, const SharedPlanPtr& plan);
  size_t size();

 private:
  static constexpr size_t kFirstSweep = 256;

  std::mutex mutex_;  // guards the members below
  StringMap<std::weak_ptr<const SharedPlan>> plans_;
  size_t sweep_at_ = kFirstSweep;  // entries; then the empty ones go
};

}  // namespace indigo::engine
