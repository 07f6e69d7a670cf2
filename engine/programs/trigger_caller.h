// Calls trigger functions for the executor, and knows the trigger whose function runs just now.
//
// Invariants:
// 1. A function sees its own trigger's transition tables by their names, and only in its own statements: a function that it
//    calls does not see them.
// 2. pg_trigger_depth() counts the trigger functions that run, and the actions of foreign keys.
// Thread safety: none; belongs to a session.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/exec/change/trigger_host.h"
#include "types/function/registry.h"

namespace indigo::engine {

class SessionParts;

namespace programs {

class EventStatement;

class TriggerCaller final : public exec::TriggerHost {
 public:
  explicit TriggerCaller(SessionParts& session) : session_(session) {}

  bool fires(char enabled) const override;
  std::unique_ptr<Place> enter(std::string line, Oid owner) override;
  bool allows_waiting() const override;
  Result<std::optional<std::string>> call(const exec::TriggerCall& call) override;

  int depth() const { return static_cast<int>(calls_.size()) + actions_; }
  // Whether a function runs for a trigger of this table.
  bool runs_on(Oid relation) const;

  std::shared_ptr<const catalog::RelationInfo> transition_table(std::string_view name) const;
  // The rows of the transition table of that name.
  Result<std::unique_ptr<types::SetProducer>> transition_rows(std::string_view name) const;

  // While another program runs, no trigger is the innermost one.
  class Hidden {
   public:
    explicit Hidden(TriggerCaller& caller) : caller_(caller), running_(caller.running_) { caller.running_ = nullptr; }
    ~Hidden() { caller_.running_ = running_; }
    Hidden(const Hidden&) = delete;
    Hidden& operator=(const Hidden&) = delete;

   private:
    TriggerCaller& caller_;
    const exec::TriggerCall* const running_;
  };

  // The statement whose event triggers run; null outside their functions.
  const EventStatement* event() const { return event_; }
  class OfEvent {
   public:
    OfEvent(TriggerCaller& caller, const EventStatement& event) : caller_(caller), outer_(caller.event_) {
      caller.event_ = &event;
    }
    ~OfEvent() { caller_.event_ = outer_; }
    OfEvent(const OfEvent&) = delete;
    OfEvent& operator=(const OfEvent&) = delete;

   private:
    TriggerCaller& caller_;
    const EventStatement* const outer_;
  };

 private:
  SessionParts& session_;
  const EventStatement* event_ = nullptr;
  const exec::TriggerCall* running_ = nullptr;   // when the innermost program is a trigger function
  std::vector<const exec::TriggerCall*> calls_;  // those that run, outermost first
  int actions_ = 0;                              // of foreign keys, that run
  Oid program_ = kInvalidOid;                    // a trigger function that is a program
  uint64_t program_version_ = 0;                 // in this state of the catalog
};

}  // namespace programs
}  // namespace indigo::engine
