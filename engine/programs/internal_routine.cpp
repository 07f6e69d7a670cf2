#include "engine/programs/internal_routine.h"

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/static_tables.h"
#include "engine/session/session_parts.h"
#include "types/builtin/static_table.h"
#include "types/extension/extension.h"
#include "types/function/limits.h"
#include "types/function/registry.h"
#include "types/io/record.h"
#include "types/oids.h"

namespace indigo::engine::programs {

namespace {

Phys phys_in(SessionParts& session, Oid type) {
  const auto info = session.session_catalog().type(type);
  return info != nullptr ? info->phys : Phys::kStr;
}

class InternalRoutine final : public Routine {
 public:
  InternalRoutine(std::shared_ptr<const types::FunctionInfo> info,
                  std::shared_ptr<const types::RoutineKernel> routine_kernel)
      : Routine(std::move(info)), kernel_(std::move(routine_kernel)) {}

  std::shared_ptr<const types::RoutineKernel> kernel() const override {
    return info().security_definer || !info().settings.empty() ? nullptr : kernel_;
  }

  Result<OwnedDatum> call(SessionParts& session, std::span<const Datum> arguments) override {
    types::FuncContext context(session.context());
    Arena arena;
    context.set_arena(&arena);
    std::vector<Vector> values(arguments.size());
    std::vector<const Vector*> pointers;
    for (size_t i = 0; i < arguments.size(); i++) {
      values[i].set_constant(arguments[i]);
      pointers.push_back(&values[i]);
    }
    Vector out;
    out.init(kernel_->result, 1);
    kernel_->kernel(context, kernel_->call, pointers, Selection{nullptr, 1}, out);
    if (context.failed()) return context.take_error();
    return OwnedDatum(out.datum(0));
  }
  Status rows(SessionParts&, std::span<const Datum>, RowList&) override {
    return Error(sqlstate::kFeatureNotSupported,
                 "set-returning functions in language " + info().language + " are not supported");
  }

 private:
  const std::shared_ptr<const types::RoutineKernel> kernel_;
};

// A set-returning function of an extension's module.
class InternalSet final : public Routine {
 public:
  // `shaped`: the set is told the rows' shape.
  InternalSet(std::shared_ptr<const types::FunctionInfo> info, const types::SetEntry& entry, RoutineResult result,
              types::CallInfo call, bool shaped)
      : Routine(std::move(info)), entry_(entry), result_(std::move(result)), call_(std::move(call)), shaped_(shaped) {}

  Result<OwnedDatum> call(SessionParts&, std::span<const Datum>) override {
    return Error(sqlstate::kFeatureNotSupported, "set-valued function called in context that cannot accept a set");
  }
  Status rows(SessionParts& session, std::span<const Datum> arguments, RowList& out) override {
    types::FuncContext context(session.context());
    Arena arena;
    context.set_arena(&arena);
    std::vector<TypeRef> types = result_.row ? result_.columns : std::vector<TypeRef>{result_.type};
    std::vector<Datum> given(arguments.begin(), arguments.end());
    std::string shape;
    if (shaped_ && given.size() > info().arguments.size()) {  // the query's column definitions
      types = types::read_record(given.back().str).types;
    } else if (shaped_) {
      if (result_.row && !result_.known) {
        return Error(sqlstate::kFeatureNotSupported,
                     "function returning record called in context that cannot accept type record");
      }
      std::vector<Datum> nulls;
      for (const TypeRef& type : types) nulls.push_back(Datum::make_null(phys_in(session, type.oid)));
      shape = types::make_record(oid::kRecord, types, nulls);
      given.push_back(Datum::of(Str(shape)));
    }
    const std::unique_ptr<types::SetProducer> set = entry_.open(context, call_, given);
    if (context.failed()) return context.take_error();
    if (!out.ready())
      out.init(session, types, types.size() == result_.names.size() ? result_.names : std::vector<std::string>());
    constexpr uint32_t kRowsAtOnce = 256;
    std::vector<Vector> columns(types.size());
    for (size_t c = 0; c < types.size(); c++) columns[c].init(phys_in(session, types[c].oid), kRowsAtOnce);
    std::vector<Datum> values(types.size());
    while (const uint32_t count = set->next(context, columns, kRowsAtOnce)) {
      // A client may ask for billions of rows.
      if (types::interrupted(context)) return context.take_error();
      for (uint32_t r = 0; r < count; r++) {
        for (size_t c = 0; c < columns.size(); c++) values[c] = columns[c].datum(r);
        INDIGO_TRY(out.store.append(values));
      }
    }
    if (context.failed()) return context.take_error();
    return {};
  }

 private:
  const types::SetEntry& entry_;
  const RoutineResult result_;
  const types::CallInfo call_;
  const bool shaped_;
};

types::ScalarKernel module_kernel(const types::FunctionInfo& info) {
  const types::Extension* module = types::find_module(info.library);
  const types::ScalarEntry* entry = module == nullptr ? nullptr : types::find_symbol(*module, info.source);
  return entry == nullptr ? nullptr : entry->kernel;
}

// `call` learns the built-in function's OID.
types::ScalarKernel builtin_kernel(const types::FunctionInfo& info, types::CallInfo& call) {
  const types::StaticTable& procs = catalog::static_table_of(catalog::pg_proc::kOid);
  for (uint32_t row = 0; row < procs.row_count; row++) {
    if (procs.columns[catalog::pg_proc::c_prosrc].string(row) != info.source) continue;
    call.function = procs.columns[catalog::pg_proc::c_oid].cell(row);
    if (const types::ScalarFunction* found = types::find_scalar(call.function)) return found->kernel;
  }
  return nullptr;
}

}  // namespace

Result<std::shared_ptr<Routine>> make_internal_routine(SessionParts& session,
                                                       std::shared_ptr<const types::FunctionInfo> info,
                                                       const TypeRef& result, std::span<const TypeRef> arguments,
                                                       Oid collation) {
  types::CallInfo call;
  call.collation = collation;
  call.result = result;
  call.function = info->oid;
  call.arguments.assign(arguments.begin(), arguments.end());
  const types::Extension* module = info->language == "c" ? types::find_module(info->library) : nullptr;
  if (const types::SetEntry* set = module == nullptr ? nullptr : types::find_set_symbol(*module, info->source)) {
    RoutineResult shape = result_of(session, *info, result, arguments);
    return std::shared_ptr<Routine>(
        std::make_shared<InternalSet>(std::move(info), *set, std::move(shape), std::move(call), module->shaped_sets));
  }
  const types::ScalarKernel kernel = info->language == "c" ? module_kernel(*info) : builtin_kernel(*info, call);
  if (kernel == nullptr) {
    return Error(sqlstate::kFeatureNotSupported, "built-in function \"" + info->source + "\" is not supported here");
  }
  const Phys phys = phys_in(session, result.oid);
  auto routine_kernel =
      std::make_shared<const types::RoutineKernel>(types::RoutineKernel{kernel, std::move(call), phys, info->strict});
  return std::shared_ptr<Routine>(std::make_shared<InternalRoutine>(std::move(info), std::move(routine_kernel)));
}

}  // namespace indigo::engine::programs
