#include "types/function/routine_call.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/sqlstate.h"
#include "types/function/routine_kernel.h"
#include "types/row_shape.h"

namespace indigo::types {

namespace {

// Which functions of this query are strict, as pg_proc says: asked once for each.
struct Strictness {
  std::vector<std::pair<Oid, bool>> known;

  bool of(FuncContext& context, Oid function) {
    for (const auto& [oid, strict] : known) {
      if (oid == function) return strict;
    }
    const auto info = context.session().catalog().function(function);
    known.emplace_back(function, info != nullptr && info->strict);
    return known.back().second;
  }
};

// The session's kernels, asked for once for each query.
struct Kernels {
  bool known = false;
  RoutineKernels* of = nullptr;

  RoutineKernels* find(SessionContext& session) {
    if (!known) of = dynamic_cast<RoutineKernels*>(&session);
    known = true;
    return of;
  }
};

bool is_null_in(std::span<const Vector* const> arguments, uint32_t row) {
  return std::any_of(arguments.begin(), arguments.end(), [row](const Vector* v) { return v->is_null(row); });
}

void run_kernel(FuncContext& context, const RoutineKernel& routine, std::span<const Vector* const> arguments,
                Selection selection, Vector& out) {
  const bool all = !routine.strict ||
                   std::all_of(arguments.begin(), arguments.end(), [](const Vector* v) { return v->all_valid(); });
  if (all) {
    routine.kernel(context, routine.call, arguments, selection, out);
    return;
  }
  std::vector<uint16_t> rows;
  rows.reserve(selection.count);
  for (uint32_t i = 0; i < selection.count; i++) {
    const uint32_t r = selection[i];
    if (is_null_in(arguments, r)) {
      out.set_datum(r, Datum::make_null(out.phys()));
    } else {
      rows.push_back(static_cast<uint16_t>(r));
    }
  }
  if (!rows.empty()) {
    routine.kernel(context, routine.call, arguments, {rows.data(), static_cast<uint32_t>(rows.size())}, out);
  }
}

void call_routine(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                  Selection selection, Vector& out) {
  if (RoutineKernels* kernels = context.cached<Kernels>().find(context.session())) {
    const auto routine = kernels->kernel_of(call);
    if (routine != nullptr && routine->result == out.phys()) {
      run_kernel(context, *routine, arguments, selection, out);
      return;
    }
  }
  const bool strict = context.cached<Strictness>().of(context, call.function);
  std::vector<Datum> values(arguments.size());
  for (uint32_t i = 0; i < selection.count; i++) {
    const uint32_t r = selection[i];
    bool null = false;
    for (size_t a = 0; a < arguments.size(); a++) {
      values[a] = arguments[a]->datum(r);
      null = null || values[a].null;
    }
    if (null && strict) {
      out.set_datum(r, Datum::make_null(out.phys()));
      continue;
    }
    Arena& arena = context.arena();
    Result<OwnedDatum> result = context.session().call_routine(call, values);
    if (!result.ok()) {
      context.fail(std::move(*result.take_error()));
      return;
    }
    context.set_arena(&arena);
    Datum value = result->get();
    if (value.null) value = Datum::make_null(out.phys());
    if (!value.null && value.phys == Phys::kStr) value.str = arena.copy(value.str);
    out.set_datum(r, value);
  }
}

std::unique_ptr<SetProducer> open_routine(FuncContext& context, const CallInfo& call,
                                          std::span<const Datum> arguments) {
  auto producer = context.session().open_routine(call, arguments);
  if (producer.ok()) return std::move(*producer);
  context.fail(std::move(*producer.take_error()));
  return nullptr;
}

constexpr ScalarFunction kScalar = {kInvalidOid, call_routine};
constexpr SetFunction kSet = {kInvalidOid, open_routine};

}  // namespace

const ScalarFunction& routine_scalar() { return kScalar; }
const SetFunction& routine_set() { return kSet; }

Result<OwnedDatum> SessionContext::call_routine(const CallInfo& call, std::span<const Datum> args) {
  return Error(sqlstate::kFeatureNotSupported, "function with OID " + std::to_string(call.function) + " of " +
                                                   std::to_string(args.size()) + " arguments cannot be called here");
}

Result<std::unique_ptr<SetProducer>> SessionContext::open_routine(const CallInfo& call, std::span<const Datum> args) {
  return Error(sqlstate::kFeatureNotSupported, "function with OID " + std::to_string(call.function) + " of " +
                                                   std::to_string(args.size()) + " arguments cannot be called here");
}

}  // namespace indigo::types
