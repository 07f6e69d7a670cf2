#include "engine/programs/trigger_caller.h"

#include <algorithm>

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/trigger_info.h"
#include "engine/exec/gone.h"
#include "engine/programs/call_context.h"
#include "engine/programs/programs.h"
#include "engine/session/session_parts.h"
#include "engine/session/session_roles.h"
#include "engine/settings/applied_settings.h"
#include "engine/text_search/update_trigger.h"
#include "types/io/record.h"

namespace indigo::engine::programs {

namespace {

// Rows of a transition table as composite values, one column.
class TransitionProducer final : public types::SetProducer {
 public:
  TransitionProducer(std::shared_ptr<const exec::TransitionTables> tables, bool new_rows)
      : tables_(std::move(tables)), rows_(new_rows ? tables_->new_rows : tables_->old_rows) {
    for (const auto& c : tables_->relation->columns) {
      types_.push_back(c.dropped ? types::TypeRef{} : c.type);
    }
  }

  uint32_t next(types::FuncContext& context, std::span<Vector> columns, uint32_t capacity) override {
    uint32_t n = 0;
    std::vector<Datum> values(types_.size());
    for (; n < capacity && at_ < rows_.rows(); n++, at_++) {
      for (size_t c = 0; c < values.size(); c++) values[c] = rows_.datum(at_, c);
      const std::string image = types::make_record(tables_->relation->row_type, types_, values);
      columns[0].set_datum(n, Datum::of(context.arena().copy(Str(image))));
    }
    return n;
  }

 private:
  const std::shared_ptr<const exec::TransitionTables> tables_;
  const exec::RowStore& rows_;
  std::vector<types::TypeRef> types_;
  uint32_t at_ = 0;
};

// suppress_redundant_updates_trigger(): a row that would stay as it is stays.
Result<std::optional<std::string>> suppress_redundant_update(const exec::TriggerCall& call) {
  const auto refuse = [](const char* when) {
    return Error(SqlState("39P01"), std::string("suppress_redundant_updates_trigger: must be called ") + when);
  };
  if (call.event != catalog::kTriggerUpdate) return refuse("on update");
  if (call.trigger->timing() != catalog::kTriggerBefore) return refuse("before update");
  if (!call.trigger->for_row()) return refuse("for each row");
  if (call.old_row == call.new_row) return std::optional<std::string>();
  return std::optional<std::string>(std::string(call.new_row));
}

}  // namespace

bool TriggerCaller::fires(char enabled) const {
  if (session_.applied_settings().replica) return enabled == 'R' || enabled == 'A';
  return enabled == 'O' || enabled == 'A';
}

bool TriggerCaller::allows_waiting() const { return !session_.roles().is_restricted(); }

std::unique_ptr<exec::TriggerHost::Place> TriggerCaller::enter(std::string line, Oid owner) {
  struct Entered final : Place {
    Entered(int& count, SessionParts& session, std::string line, Oid owner)
        : acting(session.roles(), owner, SessionRoles::Bound::kIdentity),
          actions(count),
          context(session.routines().innermost_context(), [line = std::move(line)] { return line; }) {
      actions++;
    }
    ~Entered() override { actions--; }
    const SessionRoles::Acting acting;
    int& actions;
    const CallContext context;
  };
  return std::make_unique<Entered>(actions_, session_, std::move(line), owner);
}

Result<std::optional<std::string>> TriggerCaller::call(const exec::TriggerCall& call) {
  INDIGO_TRY(check_stack_depth());
  struct Running {
    Running(TriggerCaller& c, const exec::TriggerCall& call) : caller(c), outer(c.running_) {
      c.running_ = &call;
      c.calls_.push_back(&call);
    }
    ~Running() {
      caller.running_ = outer;
      caller.calls_.pop_back();
    }
    TriggerCaller& caller;
    const exec::TriggerCall* const outer;
  } const running(*this, call);
  const uint64_t version = session_.session_catalog().version();
  if (program_ == call.trigger->function && program_version_ == version) return session_.routines().call_trigger(call);
  const auto info = session_.session_catalog().function(call.trigger->function);
  if (info == nullptr) return gone_function(call.trigger->function);
  if (info->language == "internal") {
    if (info->source == "suppress_redundant_updates_trigger") return suppress_redundant_update(call);
    if (info->source == "tsvector_update_trigger_byid") return update_tsvector(session_, call, false);
    if (info->source == "tsvector_update_trigger_bycolumn") return update_tsvector(session_, call, true);
    return Error(sqlstate::kFeatureNotSupported, "trigger function " + info->name + "() is not supported");
  }
  program_ = call.trigger->function;
  program_version_ = version;
  return session_.routines().call_trigger(call);
}

bool TriggerCaller::runs_on(Oid relation) const {
  return std::any_of(calls_.begin(), calls_.end(),
                     [&](const exec::TriggerCall* call) { return call->relation->oid == relation; });
}

std::shared_ptr<const catalog::RelationInfo> TriggerCaller::transition_table(std::string_view name) const {
  if (running_ == nullptr || running_->transitions == nullptr || name.empty()) return nullptr;
  const catalog::TriggerInfo& t = *running_->trigger;
  return name == t.old_table || name == t.new_table ? running_->transitions->relation : nullptr;
}

Result<std::unique_ptr<types::SetProducer>> TriggerCaller::transition_rows(std::string_view name) const {
  if (transition_table(name) == nullptr) {
    return Error(sqlstate::kUndefinedTable, "relation \"" + std::string(name) + "\" does not exist");
  }
  return std::unique_ptr<types::SetProducer>(
      std::make_unique<TransitionProducer>(running_->transitions, name == running_->trigger->new_table));
}

}  // namespace indigo::engine::programs
