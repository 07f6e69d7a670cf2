#include "types/jsonpath/path_executor.h"

#include "base/fiber/long_work.h"
#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "types/numeric/numeric.h"

namespace indigo::types {

namespace {

const SqlState kMemberNotFound("2203A"), kArrayExpected("22039"), kObjectExpected("2203C"), kInvalidSubscript("22033");

}  // namespace

using Outcome = PathExecutor::Outcome;

Outcome PathExecutor::fail(SqlState state, std::string message, std::string hint) {
  if (throws_) {
    Error error(state, std::move(message));
    error.hint = std::move(hint);
    context_.fail(std::move(error));
  }
  return Outcome::kError;
}
// After a computation that reports to the context: silent paths drop the error.
bool PathExecutor::numeric_failed() {
  if (!context_.failed()) return false;
  if (!throws_) (void)context_.take_error();
  return true;
}

Outcome PathExecutor::run(std::vector<PathValue>* found) {
  const PathValue root = PathValue::of(document_);
  if (lax() || found != nullptr) return item(path_.root, root, found);
  // Strict paths are evaluated to the end: an error there counts.
  Found all;
  const Outcome o = item(path_.root, root, &all);
  if (o == Outcome::kError) return o;
  return all.empty() ? Outcome::kNotFound : Outcome::kOk;
}

Outcome PathExecutor::next(const PathItem& p, const PathValue& v, Found* found) {
  if (p.next >= 0) return item(p.next, v, found);
  if (found != nullptr) found->push_back(v);
  return Outcome::kOk;
}

Outcome PathExecutor::number(const PathItem& p, Str image, Found* found) {
  return next(p, PathValue::of(JsonbView(context_.arena().copy(jsonb_number(image)))), found);
}

Outcome PathExecutor::item(int32_t at, const PathValue& v, Found* found, bool unwrap) {
  note_work(32);
  if (stack_remaining() == 0) {
    context_.fail(stack_depth_error());
    return Outcome::kError;
  }
  const PathItem& p = path_.at(at);
  const auto constant = [&](const std::string& image) {
    if (p.next < 0 && found == nullptr) return Outcome::kOk;
    return next(p, PathValue::of(JsonbView(context_.arena().copy(image))), found);
  };
  if (is_predicate(p.op)) {
    const Truth t = truth(at, v);
    if (context_.failed()) return Outcome::kError;
    return constant(t == Truth::kUnknown ? jsonb_null() : jsonb_bool(t == Truth::kTrue));
  }
  switch (p.op) {
    case PathOp::kNull: return constant(jsonb_null());
    case PathOp::kTrue: return constant(jsonb_bool(true));
    case PathOp::kFalse: return constant(jsonb_bool(false));
    case PathOp::kNumeric: return constant(jsonb_number(p.text));
    case PathOp::kString: return constant(jsonb_string(p.text));
    case PathOp::kVariable: return variable(p, found);
    case PathOp::kRoot: return next(p, PathValue::of(document_), found);
    case PathOp::kCurrent: return next(p, current_, found);
    case PathOp::kLast:
      if (p.next < 0 && found == nullptr) return Outcome::kOk;
      return number(p, numeric_image(context_, array_size_ - 1), found);
    case PathOp::kKey: return key(p, at, v, found, unwrap);
    case PathOp::kAnyKey: return any_key(p, at, v, found, unwrap);
    case PathOp::kAnyArray: return any_array(p, v, found);
    case PathOp::kIndexArray: return index_array(p, v, found);
    case PathOp::kAny: return any_level(p, v, found);
    case PathOp::kFilter: return filter(p, at, v, found, unwrap);
    case PathOp::kPlus:
    case PathOp::kMinus: return unary_arithmetic(p, v, found);
    case PathOp::kAdd:
    case PathOp::kSubtract:
    case PathOp::kMultiply:
    case PathOp::kDivide:
    case PathOp::kModulo: return binary_arithmetic(p, v, found);
    default: return method(p, at, v, found, unwrap);
  }
}

Outcome PathExecutor::unwrapped_result(int32_t at, const PathValue& v, bool unwrap, Found& found) {
  if (!unwrap || !lax()) return item(at, v, &found);
  Found plain;
  if (const Outcome o = item(at, v, &plain); o == Outcome::kError) return o;
  for (const PathValue& one : plain) {
    if (one.is(JsonKind::kArray)) {
      (void)unwrap_array(-1, one, &found, false);
    } else {
      found.push_back(one);
    }
  }
  return Outcome::kOk;
}

Outcome PathExecutor::quiet_result(int32_t at, const PathValue& v, bool unwrap, Found* found) {
  const bool throws = throws_;
  throws_ = false;
  const Outcome o = found != nullptr ? unwrapped_result(at, v, unwrap, *found) : item(at, v, nullptr);
  throws_ = throws;
  return o;
}

Outcome PathExecutor::member(int32_t at, JsonbView m, Found* found, bool forgive, bool unwrap_next) {
  const PathValue v = PathValue::of(m);
  if (at < 0) {
    if (found != nullptr) found->push_back(v);
    return Outcome::kOk;
  }
  const bool saved = forgiving_;
  if (forgive) forgiving_ = true;
  const Outcome o = item(at, v, found, unwrap_next);
  forgiving_ = saved;
  return o;
}

Outcome PathExecutor::members(int32_t at, JsonbView container, Found* found, uint32_t level, uint32_t first,
                              uint32_t last, bool forgive, bool unwrap_next) {
  if (stack_remaining() == 0) {
    context_.fail(stack_depth_error());
    return Outcome::kError;
  }
  Outcome o = Outcome::kNotFound;
  if (level > last) return o;
  for (int32_t i = 0; i < container.count(); i++) {
    const JsonbView m = container.value(i);
    const bool inner = is_container(m.kind());
    if (level >= first || (first == kPathLastLevel && last == kPathLastLevel && !inner)) {
      o = member(at, m, found, forgive, unwrap_next);
      if (o == Outcome::kError || (o == Outcome::kOk && found == nullptr)) return o;
    }
    if (level < last && inner) {
      o = members(at, m, found, level + 1, first, last, forgive, unwrap_next);
      if (o == Outcome::kError || (o == Outcome::kOk && found == nullptr)) return o;
    }
  }
  return o;
}

// ---- accessors
Outcome PathExecutor::key(const PathItem& p, int32_t at, const PathValue& v, Found* found, bool unwrap) {
  if (v.is(JsonKind::kObject)) {
    if (const auto field = v.json.field(context_, p.text)) return next(p, PathValue::of(*field), found);
    if (forgiving_) return Outcome::kNotFound;
    return fail(kMemberNotFound, "JSON object does not contain key \"" + p.text + "\"");
  }
  if (unwrap && v.is(JsonKind::kArray)) return unwrap_array(at, v, found, false);
  if (forgiving_) return Outcome::kNotFound;
  return fail(kMemberNotFound, "jsonpath member accessor can only be applied to an object");
}

Outcome PathExecutor::any_key(const PathItem& p, int32_t at, const PathValue& v, Found* found, bool unwrap) {
  if (v.is(JsonKind::kObject)) return members(p.next, v.json, found, 1, 1, 1, false, lax());
  if (unwrap && v.is(JsonKind::kArray)) return unwrap_array(at, v, found, false);
  if (forgiving_) return Outcome::kNotFound;
  return fail(kObjectExpected, "jsonpath wildcard member accessor can only be applied to an object");
}

Outcome PathExecutor::any_array(const PathItem& p, const PathValue& v, Found* found) {
  if (v.is(JsonKind::kArray)) return members(p.next, v.json, found, 1, 1, 1, false, lax());
  if (lax()) return next(p, v, found);
  if (forgiving_) return Outcome::kNotFound;
  return fail(kArrayExpected, "jsonpath wildcard array accessor can only be applied to an array");
}

Outcome PathExecutor::array_index(int32_t at, const PathValue& v, int32_t& index) {
  Found found;
  if (const Outcome o = item(at, v, &found); o == Outcome::kError) return o;
  if (found.size() != 1 || !found[0].is(JsonKind::kNumber))
    return fail(kInvalidSubscript, "jsonpath array subscript is not a single numeric value");
  int64_t value = 0;
  const Str whole = numeric_truncate_to(context_, found[0].json.number(), 0);
  if (!numeric_to_int64(whole, value) || value < INT32_MIN || value > INT32_MAX)
    return fail(kInvalidSubscript, "jsonpath array subscript is out of integer range");
  index = static_cast<int32_t>(value);
  return Outcome::kOk;
}

Outcome PathExecutor::index_array(const PathItem& p, const PathValue& v, Found* found) {
  const bool array = v.is(JsonKind::kArray);
  if (!array && !lax()) {
    if (forgiving_) return Outcome::kNotFound;
    return fail(kArrayExpected, "jsonpath array accessor can only be applied to an array");
  }
  const int32_t saved = array_size_, size = array ? v.json.count() : 1;
  Outcome o = Outcome::kNotFound;
  bool done = false;
  for (const PathItem::Subscript& s : p.subscripts) {
    array_size_ = size;  // for LAST
    int32_t from = 0, to = 0;
    o = array_index(s.from, v, from);
    if (o == Outcome::kError) break;
    to = from;
    if (s.to >= 0 && (o = array_index(s.to, v, to)) == Outcome::kError) break;
    if (!forgiving_ && (from < 0 || from > to || to >= size)) {
      o = fail(kInvalidSubscript, "jsonpath array subscript is out of bounds");
      break;
    }
    o = Outcome::kNotFound;
    for (int32_t i = std::max(from, 0); i <= std::min(to, size - 1) && !done; i++) {
      if (p.next < 0 && found == nullptr) {
        o = Outcome::kOk;
        done = true;
        break;
      }
      o = next(p, array ? PathValue::of(v.json.value(i)) : v, found);
      done = o == Outcome::kError || (o == Outcome::kOk && found == nullptr);
    }
    if (done) break;
  }
  array_size_ = saved;
  return o;
}

Outcome PathExecutor::any_level(const PathItem& p, const PathValue& v, Found* found) {
  Outcome o = Outcome::kNotFound;
  if (p.first == 0) {
    const bool saved = forgiving_;
    forgiving_ = true;
    o = next(p, v, found);
    forgiving_ = saved;
    // What is silent about an error goes on with the members, as PostgreSQL does.
    if (context_.failed() || (o == Outcome::kOk && found == nullptr)) return o;
  }
  if (!v.is_moment() && is_container(v.json.kind()))
    o = members(p.next, v.json, found, 1, p.first, p.last, true, lax());
  return o;
}

Outcome PathExecutor::filter(const PathItem& p, int32_t at, const PathValue& v, Found* found, bool unwrap) {
  if (unwrap && v.is(JsonKind::kArray)) return unwrap_array(at, v, found, false);
  const Truth t = nested_truth(p.left, v);
  if (context_.failed()) return Outcome::kError;
  return t == Truth::kTrue ? next(p, v, found) : Outcome::kNotFound;
}

Outcome PathExecutor::variable(const PathItem& p, Found* found) {
  if (variables_.kind() == JsonKind::kNull) return next(p, PathValue::of(variables_), found);
  const auto field = variables_.field(context_, p.text);
  if (!field) {
    context_.fail(sqlstate::kUndefinedObject, "could not find jsonpath variable \"" + p.text + "\"");
    return Outcome::kError;
  }
  return next(p, PathValue::of(*field), found);
}

}  // namespace indigo::types
