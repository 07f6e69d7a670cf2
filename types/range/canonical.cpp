#include "types/range/canonical.h"

#include <utility>

#include "base/sqlstate.h"
#include "types/datetime/arithmetic.h"
#include "types/datetime/calendar.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/oids.h"
#include "types/range/range_oids.h"

namespace indigo::types {

namespace {

enum class Step : uint8_t { kNone, kDone, kFailed };

// The next element after `value`.
Step step(FuncContext& context, Oid element, Datum& value) {
  switch (element) {
    case oid::kInt4:
      if (!__builtin_add_overflow(value.i32, 1, &value.i32)) return Step::kDone;
      fail_int4_range(context);
      return Step::kFailed;
    case oid::kInt8:
      if (!__builtin_add_overflow(value.i64, 1, &value.i64)) return Step::kDone;
      fail_int8_range(context);
      return Step::kFailed;
    case oid::kDate: {
      if (value.i32 == INT32_MIN || value.i32 == INT32_MAX) return Step::kNone;  // infinity
      if (is_valid_date(int64_t{value.i32} + 1)) {
        value.i32++;
        return Step::kDone;
      }
      fail_date_range(context);
      return Step::kFailed;
    }
    default: return Step::kNone;
  }
}

bool make_whole(FuncContext& context, Oid element, RangeValue& range) {
  if (range.empty) return true;
  if (!range.lower.infinite && !range.lower.inclusive) {
    const Step done = step(context, element, range.lower.value);
    if (done == Step::kFailed) return false;
    range.lower.inclusive = done == Step::kDone;
  }
  if (!range.upper.infinite && range.upper.inclusive) {
    const Step done = step(context, element, range.upper.value);
    if (done == Step::kFailed) return false;
    range.upper.inclusive = done != Step::kDone;
  }
  settle(range);
  return true;
}

// What is held otherwise than the function's elements stays as it is: it is called for any range type that names it.
template <Oid kElement, Phys kHeld>
std::optional<Str> canonical(FuncContext& context, Str image) {
  RangeValue range = read_range(context, image);
  if (range.phys == kHeld && !make_whole(context, kElement, range)) return {};
  return context.arena().copy(range_image(range));
}

const ScalarEntry kCanonicalEntries[] = {
    {"int4range_canonical", kernel<canonical<oid::kInt4, Phys::kI32>>},
    {"int8range_canonical", kernel<canonical<oid::kInt8, Phys::kI64>>},
    {"daterange_canonical", kernel<canonical<oid::kDate, Phys::kI32>>},
};

}  // namespace

bool make_canonical(FuncContext& context, RangeValue& range) {
  const bool whole = range.type == oid::kInt4Range || range.type == oid::kInt8Range || range.type == oid::kDateRange;
  return !whole || make_whole(context, range.element, range);
}

bool call_canonical(FuncContext& context, Oid function, RangeValue& range) {
  const std::string image = range_image(range);
  const TypeRef type{range.type, -1, kInvalidOid};
  CallInfo call;
  call.function = function;
  call.result = type;
  call.arguments = {type};
  const Datum argument = Datum::of(Str(image));
  auto result = context.session().call_routine(call, {&argument, 1});
  if (!result.ok()) {
    context.fail(std::move(*result.take_error()));
    return false;
  }
  if (result->get().null) {
    context.fail(sqlstate::kInternalError, "function " + std::to_string(function) + " returned NULL");
    return false;
  }
  range = read_range(context.arena().copy(result->get().str), range.order);
  return true;
}

std::span<const ScalarEntry> range_canonical_functions() { return kCanonicalEntries; }

}  // namespace indigo::types
