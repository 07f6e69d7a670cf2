// jsonpath's item methods and arithmetic.
#include <cmath>

#include "types/function/registry.h"
#include "types/jsonpath/path_executor.h"
#include "types/numeric/numeric.h"
#include "types/oids.h"

namespace indigo::types {

namespace {

const SqlState kNonNumeric("22036"), kSingletonRequired("22038"), kNumberNotFound("2203B"), kArrayNotFound("22039"),
    kObjectNotFound("2203C"), kInvalidDatetime("22031");

}  // namespace

using Outcome = PathExecutor::Outcome;

Outcome PathExecutor::method(const PathItem& p, int32_t at, const PathValue& v, Found* found, bool unwrap) {
  if (p.op == PathOp::kType)
    return next(p, PathValue::of(JsonbView(context_.arena().copy(jsonb_string(v.type_name())))), found);
  if (p.op == PathOp::kSize) return size(p, v, found);
  if (unwrap && v.is(JsonKind::kArray)) return unwrap_array(at, v, found, false);
  switch (p.op) {
    case PathOp::kDouble: return to_double(p, v, found);
    case PathOp::kDatetime: return datetime(p, v, found);
    case PathOp::kKeyValue: return key_value(p, v, found);
    default: return rounded(p, v, found);
  }
}

Outcome PathExecutor::size(const PathItem& p, const PathValue& v, Found* found) {
  if (v.is(JsonKind::kArray)) return number(p, numeric_image(context_, v.json.count()), found);
  if (lax()) return number(p, numeric_image(context_, 1), found);
  if (forgiving_) return Outcome::kNotFound;
  return fail(kArrayNotFound, "jsonpath item method .size() can only be applied to an array");
}

Outcome PathExecutor::rounded(const PathItem& p, const PathValue& v, Found* found) {
  if (!v.is(JsonKind::kNumber))
    return fail(kNonNumeric, std::string("jsonpath item method .") + path_op_name(p.op) +
                                 "() can only be applied to a numeric value");
  const Str image = v.json.number();
  const Numeric value = Numeric::from_image(image);
  if (p.op == PathOp::kAbs) return number(p, value.sign() < 0 ? numeric_negate(context_, image) : image, found);
  Str whole = numeric_truncate_to(context_, image, 0);
  const bool fraction = numeric_compare(whole, image) != 0;
  if (fraction && p.op == PathOp::kFloor && value.sign() < 0)
    whole = numeric_subtract(context_, whole, numeric_image(context_, 1));
  if (fraction && p.op == PathOp::kCeiling && value.sign() > 0)
    whole = numeric_add(context_, whole, numeric_image(context_, 1));
  return number(p, whole, found);
}

Outcome PathExecutor::to_double(const PathItem& p, const PathValue& v, Found* found) {
  const bool numeric = v.is(JsonKind::kNumber);
  if (!numeric && !v.is(JsonKind::kString))
    return fail(kNonNumeric, "jsonpath item method .double() can only be applied to a string or numeric value");
  const std::string text = v.json.text(context_);
  const Datum d = type_input(context_, {oid::kFloat8, -1, kInvalidOid}, text);
  if (context_.failed() || std::isinf(d.f64) || std::isnan(d.f64)) {
    if (context_.failed()) (void)context_.take_error();
    return fail(kNonNumeric,
                numeric ? "numeric argument of jsonpath item method .double() is out of range for type double precision"
                        : "string argument of jsonpath item method .double() is not a valid representation of a double "
                          "precision number");
  }
  return number(p, double_to_numeric(context_, d.f64), found);
}

Outcome PathExecutor::datetime(const PathItem& p, const PathValue& v, Found* found) {
  if (!v.is(JsonKind::kString))
    return fail(kInvalidDatetime, "jsonpath item method .datetime() can only be applied to a string");
  PathValue made;
  const std::string* format = p.left >= 0 ? &path_.at(p.left).text : nullptr;
  switch (parse_moment(context_, v.json.string(), format, made)) {
    case MomentParse::kOk: break;
    case MomentParse::kFailed: (void)numeric_failed(); return Outcome::kError;
    case MomentParse::kUnrecognized:
      return fail(kInvalidDatetime, "datetime format is not recognized: \"" + std::string(v.json.string()) + "\"",
                  "Use a datetime template argument to specify the input data format.");
  }
  if (p.next < 0 && found == nullptr) return Outcome::kOk;
  return next(p, made, found);
}

Outcome PathExecutor::key_value(const PathItem& p, const PathValue& v, Found* found) {
  if (!v.is(JsonKind::kObject))
    return fail(kObjectNotFound, "jsonpath item method .keyvalue() can only be applied to an object");
  Outcome o = Outcome::kNotFound;
  // An object's id tells it from the document's others: where it lies.
  const Str whole = document_.raw(), mine = v.json.raw();
  const bool inside = mine.data() >= whole.data() && mine.data() < whole.data() + whole.size();
  const int64_t id = inside ? mine.data() - whole.data() : 0;
  for (int32_t i = 0; i < v.json.count(); i++) {
    if (p.next < 0 && found == nullptr) return Outcome::kOk;
    std::vector<JsonbField> fields;
    fields.push_back({"key", jsonb_string(v.json.key(i))});
    fields.push_back({"value", std::string(v.json.value(i).raw())});
    fields.push_back({"id", jsonb_number(numeric_image(context_, id))});
    const Str image = context_.arena().copy(jsonb_object(std::move(fields)));
    o = next(p, PathValue::of(JsonbView(image)), found);
    if (o == Outcome::kError || (o == Outcome::kOk && found == nullptr)) return o;
  }
  return o;
}

Outcome PathExecutor::binary_arithmetic(const PathItem& p, const PathValue& v, Found* found) {
  Found left, right;
  if (const Outcome o = unwrapped_result(p.left, v, true, left); o == Outcome::kError) return o;
  if (const Outcome o = unwrapped_result(p.right, v, true, right); o == Outcome::kError) return o;
  const auto single = [](const Found& f) { return f.size() == 1 && f[0].is(JsonKind::kNumber); };
  for (const Found* side : {&left, &right})
    if (!single(*side))
      return fail(kSingletonRequired, std::string(side == &left ? "left" : "right") + " operand of jsonpath operator " +
                                          path_op_name(p.op) + " is not a single numeric value");
  const Str a = left[0].json.number(), b = right[0].json.number();
  Str result;
  switch (p.op) {
    case PathOp::kAdd: result = numeric_add(context_, a, b); break;
    case PathOp::kSubtract: result = numeric_subtract(context_, a, b); break;
    case PathOp::kMultiply: result = numeric_multiply(context_, a, b); break;
    case PathOp::kDivide: result = numeric_divide(context_, a, b); break;
    default: result = numeric_modulo(context_, a, b); break;
  }
  if (numeric_failed()) return Outcome::kError;
  if (p.next < 0 && found == nullptr) return Outcome::kOk;
  return number(p, result, found);
}

Outcome PathExecutor::unary_arithmetic(const PathItem& p, const PathValue& v, Found* found) {
  Found operands;
  if (const Outcome o = unwrapped_result(p.left, v, true, operands); o == Outcome::kError) return o;
  Outcome result = Outcome::kNotFound;
  for (const PathValue& one : operands) {
    if (!one.is(JsonKind::kNumber)) {
      if (found == nullptr && p.next < 0) continue;
      return fail(kNumberNotFound,
                  std::string("operand of unary jsonpath operator ") + path_op_name(p.op) + " is not a numeric value");
    }
    if (found == nullptr && p.next < 0) return Outcome::kOk;
    const Str image = one.json.number();
    const Outcome o = number(p, p.op == PathOp::kMinus ? numeric_negate(context_, image) : image, found);
    if (o == Outcome::kError) return o;
    if (o != Outcome::kOk) continue;
    if (found == nullptr) return o;
    result = o;
  }
  return result;
}

}  // namespace indigo::types
