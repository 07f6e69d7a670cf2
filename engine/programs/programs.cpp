#include "engine/programs/programs.h"

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/foreign_source.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "engine/exec/gone.h"
#include "engine/foreign/foreign_rows.h"
#include "engine/programs/call_frame.h"
#include "engine/programs/internal_routine.h"
#include "engine/programs/plpgsql/function.h"
#include "engine/programs/sql_function.h"
#include "engine/programs/trigger_caller.h"
#include "engine/session/session_parts.h"
#include "storage/store.h"
#include "types/builtin/builtins.h"
#include "types/io/record.h"
#include "types/oids.h"

namespace indigo::engine::programs {

namespace {

// The rows of a call, one after the other.
class RowProducer final : public types::SetProducer {
 public:
  RowProducer(std::unique_ptr<RowList> rows, const types::CallInfo& call, bool as_value)
      : rows_(std::move(rows)), type_(call.result.oid), as_value_(as_value) {
    for (size_t i = 0; i < rows_->types.size(); i++) {
      if (as_value_ || rows_->types[i].oid != kInvalidOid) live_.push_back(i);  // FROM shows no dropped columns
    }
  }

  uint32_t next(types::FuncContext& context, std::span<Vector> columns, uint32_t capacity) override {
    if (at_ == chunk_.rows()) {
      if (read_ == rows_->store.rows()) return 0;
      if (Status status = reader_.view(rows_->store, read_, kChunkRows, chunk_); !status.ok()) {
        context.fail(std::move(*status.take_error()));
        return 0;
      }
      at_ = 0;
      read_ += chunk_.rows();
    }
    uint32_t n = 0;
    for (; n < capacity && at_ < chunk_.rows(); n++, at_++) {
      if (as_value_) {
        std::vector<Datum> values;
        for (const size_t i : live_) values.push_back(datum(i));
        columns[0].set_datum(n, Datum::of(context.arena().copy(types::make_record(
                                    type_, rows_->types, values, type_ == oid::kRecord ? rows_->names : kNoNames))));
        continue;
      }
      const bool all = columns.size() == rows_->types.size();
      const size_t given = all ? rows_->types.size() : live_.size();
      if (given != columns.size()) {
        context.fail(
            Error(sqlstate::kDatatypeMismatch, "function return row and query-specified return row do not match")
                .with_detail("Returned row contains " + std::to_string(given) + " attribute" + (given == 1 ? "" : "s") +
                             ", but query expects " + std::to_string(columns.size()) + "."));
        return 0;
      }
      for (size_t c = 0; c < columns.size(); c++) {
        const Datum value = datum(all ? c : live_[c]);
        if (value.null) {
          columns[c].set_null(n);
        } else if (value.phys != columns[c].phys()) {
          context.fail(sqlstate::kDatatypeMismatch, "function return row and query-specified return row do not match");
          return 0;
        } else {
          columns[c].set_datum(n, value);
        }
      }
    }
    return n;
  }

 private:
  Datum datum(size_t column) const { return chunk_.columns[column].datum(chunk_.selection[at_]); }

  static inline const std::vector<std::string> kNoNames;
  std::unique_ptr<RowList> rows_;
  exec::RowSpool::Reader reader_;
  Chunk chunk_;        // the rows that were read last
  uint64_t read_ = 0;  // with them
  const Oid type_;
  const bool as_value_;
  std::vector<size_t> live_;
  uint32_t at_ = 0;  // in the chunk
};

bool same_program(const types::FunctionInfo& a, const types::FunctionInfo& b) {
  return a.name == b.name && a.source == b.source && a.library == b.library && a.statements == b.statements &&
         a.language == b.language && a.volatility == b.volatility && a.strict == b.strict &&
         a.returns_set == b.returns_set && a.result == b.result && a.arguments == b.arguments &&
         a.all_argument_types == b.all_argument_types && a.argument_modes == b.argument_modes &&
         a.argument_names == b.argument_names && a.owner == b.owner && a.security_definer == b.security_definer &&
         a.settings == b.settings && a.kind == b.kind;
}

}  // namespace

Result<std::shared_ptr<Routine>> Programs::make(std::shared_ptr<const types::FunctionInfo> info, const TypeRef& result,
                                                std::span<const TypeRef> given, Oid collation) {
  std::vector<TypeRef> arguments(given.begin(), given.end());
  for (TypeRef& a : arguments) a.collation = in_collation(type_of(session_, a.oid), collation).collation;
  CallFrame frame(session_);  // names in the body mean what they mean under the routine's own settings
  INDIGO_TRY(frame.enter(*info));
  if (info->language == "internal" || info->language == "c")
    return make_internal_routine(session_, std::move(info), result, arguments, collation);
  if (info->language == "sql") return SqlFunction::make(session_, std::move(info), result, arguments);
  if (info->language == "plpgsql") {
    INDIGO_ASSIGN(auto function, PlpgsqlFunction::make(session_, std::move(info), result, arguments, collation));
    return std::shared_ptr<Routine>(std::move(function));
  }
  return Error(sqlstate::kFeatureNotSupported, "functions in language \"" + info->language + "\" cannot be called");
}

Result<std::shared_ptr<Routine>> Programs::find(const types::CallInfo& call) {
  scratch_.function = call.function;
  scratch_.types.clear();
  scratch_.types.push_back(call.result.oid);
  for (const TypeRef& a : call.arguments) scratch_.types.push_back(a.oid);
  scratch_.collation = call.collation == oid::kConflictingCollations ? kInvalidOid : call.collation;
  const uint64_t version = session_.session_catalog().version();
  const auto at = routines_.find(scratch_);
  if (at != routines_.end() && at->second.catalog_version == version) return at->second.routine;
  const Key key = scratch_;
  auto info = session_.session_catalog().function(call.function);
  if (info == nullptr) return gone_function(call.function);
  if (at != routines_.end() && same_program(at->second.routine->info(), *info)) {
    at->second.catalog_version = version;
    return at->second.routine;
  }
  INDIGO_ASSIGN(auto routine, make(std::move(info), call.result, call.arguments, key.collation));
  routines_[key] = {version, routine};
  return routine;
}

Result<OwnedDatum> Programs::call(const types::CallInfo& call, std::span<const Datum> arguments) {
  INDIGO_TRY(check_stack_depth());
  const TriggerCaller::Hidden hidden(session_.triggers());
  INDIGO_ASSIGN(const auto routine, find(call));
  CallFrame frame(session_);
  INDIGO_TRY(frame.enter(routine->info()));
  const bool before = may_commit_;
  may_commit_ = false;
  auto result = routine->call(session_, arguments);
  may_commit_ = before;
  return result;
}

std::shared_ptr<const types::RoutineKernel> Programs::kernel_of(const types::CallInfo& call) {
  const auto routine = find(call);
  return routine.ok() ? (*routine)->kernel() : nullptr;
}

Result<OwnedDatum> Programs::call_procedure(const types::CallInfo& call, std::span<const Datum> arguments,
                                            bool may_commit) {
  INDIGO_TRY(check_stack_depth());
  const TriggerCaller::Hidden hidden(session_.triggers());
  INDIGO_ASSIGN(const auto routine, find(call));
  CallFrame frame(session_);
  INDIGO_TRY(frame.enter(routine->info()));
  const bool before = may_commit_;
  // A role or settings that end with the call cannot outlive a transaction.
  may_commit_ = may_commit && !routine->info().security_definer && routine->info().settings.empty();
  auto result = routine->call(session_, arguments);
  may_commit_ = before;
  return result;
}

Result<std::unique_ptr<types::SetProducer>> Programs::open(const types::CallInfo& call,
                                                           std::span<const Datum> arguments) {
  INDIGO_TRY(check_stack_depth());
  if (call.function == catalog::kTransitionRows) return session_.triggers().transition_rows(arguments[0].str);
  if (call.function == catalog::kForeignRows) return open_foreign_rows(session_, call, arguments);
  const TriggerCaller::Hidden hidden(session_.triggers());
  INDIGO_ASSIGN(const auto routine, find(call));
  CallFrame frame(session_);
  INDIGO_TRY(frame.enter(routine->info()));
  auto rows = std::make_unique<RowList>();
  INDIGO_TRY(routine->rows(session_, arguments, *rows));
  const RoutineResult shape = result_of(session_, routine->info(), call.result, call.arguments);
  const bool as_value = shape.row && !(call.result.oid == oid::kRecord && shape.columns.size() > 1);
  return std::unique_ptr<types::SetProducer>(std::make_unique<RowProducer>(std::move(rows), call, as_value));
}

Result<std::shared_ptr<Routine>> Programs::trigger_routine(const Key& key, Oid result) {
  const uint64_t version = session_.session_catalog().version();
  const auto at = routines_.find(key);
  if (at != routines_.end() && at->second.catalog_version == version) return at->second.routine;
  auto function = session_.session_catalog().function(key.function);
  if (function == nullptr) return gone_function(key.function);
  if (at != routines_.end() && same_program(at->second.routine->info(), *function)) {
    at->second.catalog_version = version;
    return at->second.routine;
  }
  INDIGO_ASSIGN(auto routine, make(std::move(function), {result, -1, kInvalidOid}, {}, kInvalidOid));
  if (dynamic_cast<PlpgsqlFunction*>(routine.get()) == nullptr) {
    return Error(sqlstate::kFeatureNotSupported,
                 "trigger functions in language \"" + routine->info().language + "\" are not supported");
  }
  routines_[key] = {version, routine};
  return routine;
}

Result<std::optional<std::string>> Programs::call_trigger(const exec::TriggerCall& call) {
  // One compilation for each trigger: its row's fields and transition tables are part of what names mean.
  TriggerEntry& known = trigger_routines_[call.trigger->oid];
  if (const uint64_t version = session_.session_catalog().version();
      known.catalog_version != version || known.function != call.trigger->function ||
      known.relation != call.relation->oid || known.routine == nullptr) {
    const Key key{call.trigger->function, {oid::kTrigger, call.relation->oid, call.trigger->oid}};
    INDIGO_ASSIGN(auto found, trigger_routine(key, oid::kTrigger));
    known = {key.function, call.relation->oid, version, std::move(found)};
  }
  const std::shared_ptr<Routine> routine = known.routine;
  CallFrame frame(session_);
  INDIGO_TRY(frame.enter(routine->info()));
  const bool before = may_commit_;
  may_commit_ = false;
  auto result = static_cast<PlpgsqlFunction&>(*routine).call_trigger(session_, call);
  may_commit_ = before;
  return result;
}

Status Programs::call_event_trigger(Oid function, std::string_view event, std::string_view tag) {
  const TriggerCaller::Hidden hidden(session_.triggers());
  INDIGO_ASSIGN(const auto routine, trigger_routine({function, {oid::kEventTrigger}}, oid::kEventTrigger));
  CallFrame frame(session_);
  INDIGO_TRY(frame.enter(routine->info()));
  const bool before = may_commit_;
  may_commit_ = false;
  Status done = static_cast<PlpgsqlFunction&>(*routine).call_event_trigger(session_, event, tag);
  may_commit_ = before;
  return done;
}

Status Programs::validate(Oid function) {
  const auto info = session_.session_catalog().function(function);
  if (info == nullptr) return {};
  if (info->language == "plpgsql") INDIGO_TRY(PlpgsqlFunction::check_types(session_, *info));
  std::string checks;
  if (session_.context().setting("check_function_bodies", checks) && checks == "off") return {};
  types::FunctionInfo as_creator = *info;
  as_creator.security_definer = false;
  CallFrame frame(session_);  // the body is read under the routine's own settings
  INDIGO_TRY(frame.enter(as_creator));
  if (info->language == "sql") return SqlFunction::validate(session_, info);
  if (info->language == "plpgsql") return PlpgsqlFunction::validate(session_, info);
  return {};
}

}  // namespace indigo::engine::programs
