#include "types/function/routine_call.h"

#include <algorithm>

#include "base/sqlstate.h"
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

void call_routine(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                  Selection selection, Vector& out) {
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
