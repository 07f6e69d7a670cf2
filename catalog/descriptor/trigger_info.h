// Triggers of a relation as the rest of the server uses them, built from pg_trigger's rows.
// Thread safety: immutable; part of a RelationInfo.
//
// Invariants:
// 1. Triggers stand in the order in which they fire: by name, in C order.
// 2. TriggerSet::fires has a bit for each kind of user trigger that is there, enabled or not: who changes rows asks one word.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"

namespace indigo::catalog {

// pg_trigger.tgtype.
enum TriggerType : int16_t {
  kTriggerRow = 1,
  kTriggerBefore = 2,
  kTriggerInsert = 4,
  kTriggerDelete = 8,
  kTriggerUpdate = 16,
  kTriggerTruncate = 32,
  kTriggerInstead = 64,
  kTriggerEvents = kTriggerInsert | kTriggerDelete | kTriggerUpdate | kTriggerTruncate,
  kTriggerTiming = kTriggerBefore | kTriggerInstead  // neither: AFTER
};

struct TriggerInfo {
  Oid oid = kInvalidOid;
  std::string name;
  Oid parent = kInvalidOid;  // the partitioned table's trigger that this one was made for
  Oid function = kInvalidOid;
  int16_t type = 0;  // TriggerType
  char enabled = 'O';
  bool internal = false;  // of a foreign key
  Oid constraint = kInvalidOid, constraint_relation = kInvalidOid;
  bool deferrable = false, deferred = false;
  std::vector<std::string> arguments;
  std::vector<int16_t> columns;  // UPDATE OF; empty: any
  std::string condition;         // WHEN, a stored tree over OLD (entry 0) and NEW (entry 1); empty: none
  std::string old_table, new_table;

  bool has_event(int16_t event) const { return (type & event) != 0; }
  bool for_row() const { return (type & kTriggerRow) != 0; }
  int16_t timing() const { return type & kTriggerTiming; }
  bool uses_transition_tables() const { return !old_table.empty() || !new_table.empty(); }
};

struct TriggerSet {
  std::vector<TriggerInfo> triggers;
  uint64_t fires = 0;             // bits of fire_bit()
  bool has_transitions = false;   // some trigger reads a transition table
  bool internal_changed = false;  // some foreign key's trigger is not as it was made

  // `row`: kTriggerRow or 0; `timing`: kTriggerBefore, kTriggerInstead or 0; one event.
  static constexpr uint64_t fire_bit(int16_t row, int16_t timing, int16_t event) {
    const int of_event = event == kTriggerInsert ? 0 : event == kTriggerDelete ? 1 : event == kTriggerUpdate ? 2 : 3;
    const int of_timing = timing == kTriggerBefore ? 1 : timing == kTriggerInstead ? 2 : 0;
    return uint64_t{1} << (of_event * 6 + of_timing * 2 + (row != 0 ? 1 : 0));
  }
  bool any(int16_t row, int16_t timing, int16_t event) const { return (fires & fire_bit(row, timing, event)) != 0; }
  void add(TriggerInfo trigger) {
    if (!trigger.internal) {
      for (const int16_t event : {kTriggerInsert, kTriggerDelete, kTriggerUpdate, kTriggerTruncate}) {
        if (trigger.has_event(event)) fires |= fire_bit(trigger.type & kTriggerRow, trigger.timing(), event);
      }
      has_transitions |= trigger.uses_transition_tables();
    } else {
      internal_changed |= trigger.enabled != 'O';
    }
    triggers.push_back(std::move(trigger));
  }
};

}  // namespace indigo::catalog
