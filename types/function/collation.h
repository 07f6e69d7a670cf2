// The collation that a call works under: the order of texts, and what letters are.
// Thread safety: as the context's catalog view.
#pragma once

#include "base/sqlstate.h"
#include "types/function/context.h"
#include "types/function/kernel.h"
#include "types/function/registry.h"
#include "types/value/collator.h"
#include "types/value/letters.h"

namespace indigo::types {

// False, with 42P22, when the arguments' collations contradict each other.
inline bool check_known(FuncContext& context, const CallInfo& call, const char* what) {
  if (call.collation != oid::kConflictingCollations) return true;
  context.fail(
      Error(sqlstate::kIndeterminateCollation, std::string("could not determine which collation to use for ") + what)
          .with_hint("Use the COLLATE clause to set the collation explicitly."));
  return false;
}

// Null: C order; also (check_known) when it is not known.
inline const Collator* collator_of(FuncContext& context, const CallInfo& call, const char* what = "string comparison") {
  if (call.collation == oid::kDefaultCollation) return context.default_collator();
  if (is_c_collation(call.collation) || !check_known(context, call, what)) return nullptr;
  return context.session().catalog().collator(call.collation);
}

// Null: ASCII's; also when the collation is not known.
inline const Letters* letters_of(FuncContext& context, const CallInfo& call, const char* what) {
  if (call.collation == oid::kDefaultCollation) return context.default_letters();
  if (is_c_collation(call.collation) || !check_known(context, call, what)) return nullptr;
  return context.session().catalog().letters(call.collation);
}

// A kernel for C order and one for all collations.
template <ScalarKernel kInC, ScalarKernel kCollated>
void by_collation(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                  Selection selection, Vector& out) {
  const bool known = call.collation != oid::kConflictingCollations;
  (known && collator_of(context, call) == nullptr ? kInC : kCollated)(context, call, arguments, selection, out);
}

// The same of what only asks which strings are equal: those of the same bytes are, under every deterministic collation.
template <ScalarKernel kInC, ScalarKernel kCollated>
void by_equality(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                 Selection selection, Vector& out) {
  const bool known = call.collation != oid::kConflictingCollations;
  const Collator* const collator = known ? collator_of(context, call) : nullptr;
  const bool bytes = known && (collator == nullptr || collator->deterministic());
  (bytes ? kInC : kCollated)(context, call, arguments, selection, out);
}

// A kernel for ASCII's letters and one for all others.
template <ScalarKernel kAscii, ScalarKernel kOthers>
void by_letters(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                Selection selection, Vector& out) {
  const bool known = call.collation != oid::kConflictingCollations;
  (known && letters_of(context, call, "") == nullptr ? kAscii : kOthers)(context, call, arguments, selection, out);
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
// A kernel for all others, and one for such collations.
template <ScalarKernel kDeterministic, ScalarKernel kOther>
void by_determinism(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                    Selection selection, Vector& out) {
  const Collator* const collator = collator_of(context, call);
  (collator == nullptr || collator->deterministic() ? kDeterministic : kOther)(context, call, arguments, selection,
                                                                               out);
}
inline constexpr char kSubstringSearches[] = "substring searches", kLike[] = "LIKE",
                      kRegularExpressions[] = "regular expressions";

}  // namespace indigo::types
