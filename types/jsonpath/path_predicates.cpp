// jsonpath's predicates: three-valued, errors within them are Unknown.
#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "types/jsonpath/path_executor.h"
#include "types/text/regex.h"

namespace indigo::types {

using Outcome = PathExecutor::Outcome;

PathExecutor::Truth PathExecutor::nested_truth(int32_t at, const PathValue& v) {
  const PathValue saved = current_;
  current_ = v;
  const Truth t = truth(at, v);
  current_ = saved;
  return t;
}

PathExecutor::Truth PathExecutor::truth(int32_t at, const PathValue& v) {
  if (stack_remaining() == 0) context_.fail(stack_depth_error());
  if (context_.failed()) return Truth::kUnknown;
  const PathItem& p = path_.at(at);
  switch (p.op) {
    case PathOp::kAnd: {
      const Truth left = truth(p.left, v);
      if (left == Truth::kFalse) return left;
      const Truth right = truth(p.right, v);
      return right == Truth::kTrue ? left : right;
    }
    case PathOp::kOr: {
      const Truth left = truth(p.left, v);
      if (left == Truth::kTrue) return left;
      const Truth right = truth(p.right, v);
      return right == Truth::kFalse ? left : right;
    }
    case PathOp::kNot: {
      const Truth inner = truth(p.left, v);
      if (inner == Truth::kUnknown) return inner;
      return inner == Truth::kTrue ? Truth::kFalse : Truth::kTrue;
    }
    case PathOp::kIsUnknown: return truth(p.left, v) == Truth::kUnknown ? Truth::kTrue : Truth::kFalse;
    case PathOp::kExists: return exists(p, v);
    default: return over_pairs(p, v);
  }
}

PathExecutor::Truth PathExecutor::exists(const PathItem& p, const PathValue& v) {
  Found found;
  const Outcome o = quiet_result(p.left, v, false, lax() ? nullptr : &found);
  if (o == Outcome::kError) return Truth::kUnknown;
  if (lax()) return o == Outcome::kOk ? Truth::kTrue : Truth::kFalse;
  return found.empty() ? Truth::kFalse : Truth::kTrue;
}

// True for some pair of what both sides find: at once in lax mode, after all pairs without an error in strict mode.
PathExecutor::Truth PathExecutor::over_pairs(const PathItem& p, const PathValue& v) {
  Found left, right;
  if (quiet_result(p.left, v, true, &left) == Outcome::kError) return Truth::kUnknown;
  const bool unwrap_right = p.op != PathOp::kStartsWith;
  if (p.right >= 0 && quiet_result(p.right, v, unwrap_right, &right) == Outcome::kError) return Truth::kUnknown;
  bool unknown = false, any = false;
  for (const PathValue& a : left) {
    const size_t pairs = p.right >= 0 ? right.size() : 1;
    for (size_t i = 0; i < pairs; i++) {
      switch (pair_truth(p, a, p.right >= 0 ? &right[i] : nullptr)) {
        case Truth::kUnknown:
          if (!lax()) return Truth::kUnknown;
          unknown = true;
          break;
        case Truth::kTrue:
          if (lax()) return Truth::kTrue;
          any = true;
          break;
        case Truth::kFalse: break;
      }
      if (context_.failed()) return Truth::kUnknown;
    }
  }
  if (any) return Truth::kTrue;
  return unknown ? Truth::kUnknown : Truth::kFalse;
}

PathExecutor::Truth PathExecutor::pair_truth(const PathItem& p, const PathValue& a, const PathValue* b) {
  if (p.op == PathOp::kStartsWith) {
    if (!a.is(JsonKind::kString) || !b->is(JsonKind::kString)) return Truth::kUnknown;
    return a.json.string().starts_with(b->json.string()) ? Truth::kTrue : Truth::kFalse;
  }
  if (p.op == PathOp::kLikeRegex) {
    if (!a.is(JsonKind::kString)) return Truth::kUnknown;
    const Regex* regex = Regex::compile(context_, p.text, regex_flags_of(p.flags));
    if (regex == nullptr) return Truth::kUnknown;
    return regex->find(a.json.string(), 0, {}) ? Truth::kTrue : Truth::kFalse;
  }
  return compare_values(p.op, a, *b);
}

PathExecutor::Truth PathExecutor::compare_values(PathOp op, const PathValue& a, const PathValue& b) {
  int order = 0;
  if (a.is_moment() && b.is_moment()) {
    bool unknown = false;
    std::string from, to;
    if (!compare_moments(context_, a, b, with_zone_, order, unknown, from, to)) {
      context_.fail(Error(sqlstate::kFeatureNotSupported,
                          "cannot convert value from " + from + " to " + to + " without time zone usage")
                        .with_hint("Use *_tz() function for time zone support."));
      return Truth::kUnknown;
    }
    if (unknown) return Truth::kUnknown;
  } else if (a.is_moment() || b.is_moment() || a.json.kind() != b.json.kind()) {
    // Only null compares with other kinds: it is unequal.
    if (!a.is(JsonKind::kNull) && !b.is(JsonKind::kNull)) return Truth::kUnknown;
    return op == PathOp::kNotEqual ? Truth::kTrue : Truth::kFalse;
  } else if (is_container(a.json.kind())) {
    return Truth::kUnknown;
  } else {
    order = compare_jsonb(a.json, b.json);
  }
  bool result = false;
  switch (op) {
    case PathOp::kEqual: result = order == 0; break;
    case PathOp::kNotEqual: result = order != 0; break;
    case PathOp::kLess: result = order < 0; break;
    case PathOp::kGreater: result = order > 0; break;
    case PathOp::kLessOrEqual: result = order <= 0; break;
    default: result = order >= 0; break;
  }
  return result ? Truth::kTrue : Truth::kFalse;
}

}  // namespace indigo::types
