// Constraint checks that wait for the transaction's end, and what SET CONSTRAINTS has said about when they run.
//
// Only checks and constraint triggers are kept here (a referencing row's parent, NO ACTION's children, deferrable keys);
// actions of foreign keys run at their statement's end.
// Invariants:
// 1. Checks keep the order of their statements. One that has run stays until the transaction ends, with the run's number, so
//    that rolling back to a savepoint before that run makes it pending again.
// 2. While a table has pending checks no definition statement changes its rows' layout (55006). Pending are also those in queues
//    that run (RunningEvents), a statement's own ones among them: a trigger before them may want to define things.
// Thread safety: none; belongs to a session.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"
#include "catalog/descriptor/trigger_info.h"

namespace indigo::engine::exec {

class ForeignKeyQueue;
class QueryState;
struct TransitionTables;

// A change that some constraint has to look at.
struct ConstraintEvent {
  enum class Kind : uint8_t {
    kChild,          // a referencing row came or changed
    kParentUpdated,  // the key of a referenced row changed
    kParentErased,   // a referenced row went
    kKey,            // a row came under a deferrable PRIMARY KEY or UNIQUE
    kTrigger         // an AFTER trigger is due
  } kind;
  std::shared_ptr<const catalog::RelationInfo> relation;  // whose row was changed
  size_t constraint;  // index into its referenced_by (kParent...), triggers (kTrigger) or constraints (the others)
  std::string old_row, new_row;
  int16_t trigger_event = 0;                            // of kTrigger: catalog::TriggerType
  std::shared_ptr<const TransitionTables> transitions;  // the same; null: it reads none
  std::string old_key = {}, new_key = {};               // of kTrigger: where the rows lie
  bool old_own = false;                                 // the old one was this transaction's already

  const catalog::TriggerInfo& trigger() const { return relation->triggers->triggers[constraint]; }
  // Null: of a trigger that is no constraint.
  const catalog::ConstraintInfo* info() const;
  // Does it only look, so that it may wait for the transaction's end?
  bool may_wait() const;
  // Definitions may have changed since: goes on with the relation as it is now, null if it is gone. False: nothing is due any
  // more, as the relation, the constraint or the trigger was dropped.
  bool catch_up(const std::shared_ptr<const catalog::RelationInfo>& now);
};

class DeferredChecks {
 public:
  // Must this constraint's checks wait now?
  bool waits(const catalog::ConstraintInfo& constraint) const;
  void add(ConstraintEvent event) { events_.push_back({std::move(event), 0}); }

  // Whether any checks wait for the transaction's end.
  bool pending() const;
  // Whether any events of the table's rows have not been looked at.
  bool pending(Oid relation) const;

  // SET CONSTRAINTS. ALL forgets what was said about single ones.
  void set_all(bool deferred);
  void set(Oid constraint, bool deferred) { modes_.single[constraint] = deferred; }

  // Runs the pending checks that need not wait any more; all of them at COMMIT.
  Status run(QueryState& state, bool commit);

  struct Modes {
    std::optional<bool> all;
    std::map<Oid, bool> single;
  };
  struct Mark {
    size_t events = 0;
    uint64_t run = 0;
    Modes modes;
  };
  Mark mark() const { return {events_.size(), run_, modes_}; }
  void rollback_to(const Mark& mark);
  void clear();

  // While a queue of events runs. `checks` may be null.
  class RunningEvents {
   public:
    RunningEvents(DeferredChecks* checks, const ForeignKeyQueue& queue);
    ~RunningEvents();
    RunningEvents(const RunningEvents&) = delete;
    RunningEvents& operator=(const RunningEvents&) = delete;

   private:
    friend class DeferredChecks;
    DeferredChecks* const checks_;
    const ForeignKeyQueue& queue_;
    const RunningEvents* const outer_;
  };

 private:
  struct Waiting {
    ConstraintEvent event;
    uint64_t run;  // in which it was checked; 0: pending
  };
  std::vector<Waiting> events_;
  uint64_t run_ = 0;
  Modes modes_;
  const RunningEvents* running_ = nullptr;
};

}  // namespace indigo::engine::exec
