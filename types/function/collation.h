// The collation that a call works under.
// Thread safety: as the context's catalog view.
#pragma once

#include "base/sqlstate.h"
#include "types/function/context.h"
#include "types/function/kernel.h"
#include "types/function/registry.h"
#include "types/value/collator.h"

namespace indigo::types {

// Null: C order. 42P22 (and null) when the arguments' collations contradict each other.
inline const Collator* collator_of(FuncContext& context, const CallInfo& call, const char* what = "string comparison") {
  if (is_c_collation(call.collation)) return nullptr;
  if (call.collation == oid::kConflictingCollations) {
    context.fail(
        Error(sqlstate::kIndeterminateCollation, std::string("could not determine which collation to use for ") + what)
            .with_hint("Use the COLLATE clause to set the collation explicitly."));
    return nullptr;
  }
  return context.session().catalog().collator(call.collation);
}

// A kernel for C order and one for all collations.
template <ScalarKernel kInC, ScalarKernel kCollated>
void by_collation(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                  Selection selection, Vector& out) {
  (is_c_collation(call.collation) ? kInC : kCollated)(context, call, arguments, selection, out);
}

// False, with 0A000, under a collation that calls strings of different bytes equal.
inline bool check_deterministic(FuncContext& context, const CallInfo& call, const char* what) {
  const Collator* collator = collator_of(context, call);
  if (collator == nullptr || collator->deterministic()) return true;
  context.fail(sqlstate::kFeatureNotSupported,
               std::string("nondeterministic collations are not supported for ") + what);
  return false;
}

// A kernel that is refused under such a collation; `what` is what it does.
template <ScalarKernel kKernel, const char* what>
void deterministic_only(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                        Selection selection, Vector& out) {
  if (check_deterministic(context, call, what)) kKernel(context, call, arguments, selection, out);
}
inline constexpr char kSubstringSearches[] = "substring searches", kLike[] = "LIKE",
                      kRegularExpressions[] = "regular expressions";

}  // namespace indigo::types
