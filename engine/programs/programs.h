// The programs of one session: routines by function and argument types, made when they are first called; calls with what
// belongs to them: whom they act as, their settings, the depth.
// Thread safety: none; belongs to a session.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "catalog/descriptor/session_context.h"
#include "engine/exec/change/trigger_host.h"
#include "engine/programs/plpgsql/extra_checks.h"
#include "engine/programs/routine.h"
#include "types/function/registry.h"

namespace indigo::sql {
struct Query;
}

namespace indigo::engine::programs {

class CallContext;

class Programs {
 public:
  explicit Programs(SessionParts& session) : session_(session) {}

  // catalog::SessionContext's.
  Result<OwnedDatum> call(const types::CallInfo& call, std::span<const Datum> arguments);
  // types::RoutineKernels'.
  std::shared_ptr<const types::RoutineKernel> kernel_of(const types::CallInfo& call);
  Result<std::unique_ptr<types::SetProducer>> open(const types::CallInfo& call, std::span<const Datum> arguments);

  // CALL. `may_commit`: COMMIT and ROLLBACK in the procedure end the session's transaction.
  Result<OwnedDatum> call_procedure(const types::CallInfo& call, std::span<const Datum> arguments, bool may_commit);
  // Whether the program that runs now may end the transaction.
  bool may_commit() const { return may_commit_; }

  // A trigger's function; what it answers as exec::TriggerHost says.
  Result<std::optional<std::string>> call_trigger(const exec::TriggerCall& call);

  Status call_event_trigger(Oid function, std::string_view event, std::string_view tag);

  // CREATE FUNCTION: what its language says of the body.
  Status validate(Oid function);

  ExtraChecks& extra_checks() { return extra_checks_; }

  // Of what runs now.
  const CallContext*& innermost_context() { return innermost_context_; }

  // Everything that was made; what runs just now stays until it has ended.
  void forget() {
    routines_.clear();
    trigger_routines_.clear();
  }

 private:
  struct Key {
    Oid function;
    std::vector<Oid> types;       // of the result and the arguments
    Oid collation = kInvalidOid;  // that the call gives its arguments; kInvalidOid: none, or several
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Entry {
    uint64_t catalog_version = 0;
    std::shared_ptr<Routine> routine;
  };
  Result<std::shared_ptr<Routine>> find(const types::CallInfo& call);
  // Of a trigger, as its last call found it.
  struct TriggerEntry {
    Oid function = kInvalidOid, relation = kInvalidOid;
    uint64_t catalog_version = 0;
    std::shared_ptr<Routine> routine;
  };
  // The function of a trigger, compiled for what `key` says beside it.
  Result<std::shared_ptr<Routine>> trigger_routine(const Key& key, Oid result);
  Result<std::shared_ptr<Routine>> make(std::shared_ptr<const types::FunctionInfo> info, const TypeRef& result,
                                        std::span<const TypeRef> arguments, Oid collation);

  SessionParts& session_;
  std::map<Key, Entry> routines_;
  std::unordered_map<Oid, TriggerEntry> trigger_routines_;  // by trigger
  Key scratch_;
  ExtraChecks extra_checks_;
  bool may_commit_ = false;
  const CallContext* innermost_context_ = nullptr;
};

}  // namespace indigo::engine::programs
