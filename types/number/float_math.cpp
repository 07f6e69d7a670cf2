// Mathematical functions of float8.
#include <cmath>
#include <limits>

#include "base/sqlstate.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/number/float.h"
#include "types/number/random.h"

namespace indigo::types {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kRadiansPerDegree = 0.0174532925199432957692;

double fail_domain(FuncContext& context, SqlState state, const char* message) {
  context.fail(state, message);
  return 0;
}
double fail_input(FuncContext& context) {
  return fail_domain(context, sqlstate::kNumericValueOutOfRange, "input is out of range");
}

double square_root(FuncContext& context, double x) {
  if (x < 0)
    return fail_domain(context, sqlstate::kInvalidArgumentForPower, "cannot take square root of a negative number");
  return std::sqrt(x);
}
double cube_root(double x) { return std::cbrt(x); }

double power(FuncContext& context, double x, double y) {
  if (std::isnan(x)) return y == 0 ? 1.0 : x;
  if (std::isnan(y)) return x == 1 ? 1.0 : y;
  if (x == 0 && y < 0)
    return fail_domain(context, sqlstate::kInvalidArgumentForPower, "zero raised to a negative power is undefined");
  if (x < 0 && std::floor(y) != y)
    return fail_domain(context, sqlstate::kInvalidArgumentForPower,
                       "a negative number raised to a non-integer power yields a complex result");
  const double result = std::pow(x, y);
  if (std::isinf(x) || std::isinf(y)) return result;
  if (std::isinf(result)) fail_float_overflow(context);
  if (result == 0 && x != 0) fail_float_underflow(context);
  return result;
}

double exponential(FuncContext& context, double x) {
  const double result = std::exp(x);
  if (std::isinf(x) || std::isnan(x)) return result;
  if (std::isinf(result)) fail_float_overflow(context);
  if (result == 0) fail_float_underflow(context);
  return result;
}

template <double (*F)(double)>
double logarithm(FuncContext& context, double x) {
  if (x == 0) return fail_domain(context, sqlstate::kInvalidArgumentForLogarithm, "cannot take logarithm of zero");
  if (x < 0)
    return fail_domain(context, sqlstate::kInvalidArgumentForLogarithm, "cannot take logarithm of a negative number");
  return F(x);
}

double round_even(double x) { return std::rint(x); }
double cut(double x) { return std::trunc(x); }
double ceiling(double x) { return std::ceil(x); }
double floor_of(double x) { return std::floor(x); }
double sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }
double degrees(FuncContext& context, double x) {
  const double result = x / kRadiansPerDegree;
  if (std::isinf(result) && !std::isinf(x)) fail_float_overflow(context);
  return result;
}
double radians(FuncContext& context, double x) {
  const double r = x * kRadiansPerDegree;
  if (r == 0 && x != 0) context.fail(sqlstate::kNumericValueOutOfRange, "value out of range: underflow");
  return r;
}
double pi() { return kPi; }

// Angles: an infinite argument of a periodic function, or one outside a domain, is out of range.
template <double (*F)(double)>
double periodic(FuncContext& context, double x) {
  return std::isinf(x) ? fail_input(context) : F(x);
}
double cotangent(double x) { return 1.0 / std::tan(x); }
template <double (*F)(double)>
double unit_domain(FuncContext& context, double x) {
  return x < -1 || x > 1 ? fail_input(context) : F(x);
}
double arctangent(double x) { return std::atan(x); }
double arctangent2(double y, double x) { return std::atan2(y, x); }
double hyperbolic_sine(double x) { return std::sinh(x); }
double hyperbolic_cosine(double x) { return std::cosh(x); }
double hyperbolic_tangent(double x) { return std::tanh(x); }
double inverse_hyperbolic_sine(double x) { return std::asinh(x); }
double inverse_hyperbolic_cosine(FuncContext& context, double x) { return x < 1 ? fail_input(context) : std::acosh(x); }
double inverse_hyperbolic_tangent(FuncContext& context, double x) {
  if (x < -1 || x > 1) return fail_input(context);
  if (x == 1 || x == -1) return x * std::numeric_limits<double>::infinity();
  return std::atanh(x);
}

// ---- degrees, exact at multiples of 30 and 45
const double kSin30 = std::sin(30.0 * kRadiansPerDegree);
const double kOneMinusCos60 = 1.0 - std::cos(60.0 * kRadiansPerDegree);

double sin_to_30(double x) { return std::sin(x * kRadiansPerDegree) / kSin30 / 2.0; }
double cos_to_60(double x) { return 1.0 - (1.0 - std::cos(x * kRadiansPerDegree)) / kOneMinusCos60 / 2.0; }
double sin_quadrant(double x) { return x <= 30.0 ? sin_to_30(x) : cos_to_60(90.0 - x); }
double cos_quadrant(double x) { return x <= 60.0 ? cos_to_60(x) : sin_to_30(90.0 - x); }

double sine_degrees(double x) {
  if (std::isnan(x)) return x;
  x = std::fmod(x, 360.0);
  int sign = 1;
  if (x < 0) {
    x = -x;
    sign = -sign;
  }
  if (x > 180) {
    x = 360 - x;
    sign = -sign;
  }
  if (x > 90) x = 180 - x;
  return sign * sin_quadrant(x);
}
double cosine_degrees(double x) {
  if (std::isnan(x)) return x;
  x = std::fabs(std::fmod(x, 360.0));
  int sign = 1;
  if (x > 180) x = 360 - x;
  if (x > 90) {
    x = 180 - x;
    sign = -sign;
  }
  return sign * cos_quadrant(x);
}
double tangent_quadrant(double x, int& sign) {
  x = std::fmod(x, 360.0);
  if (x < 0) {
    x = -x;
    sign = -sign;
  }
  if (x > 180) {
    x = 360 - x;
    sign = -sign;
  }
  if (x > 90) {
    x = 180 - x;
    sign = -sign;
  }
  return x;
}
double tangent_degrees(double x) {
  if (std::isnan(x)) return x;
  int sign = 1;
  x = tangent_quadrant(x, sign);
  const double tan45 = sin_quadrant(45) / cos_quadrant(45);
  const double result = sign * (sin_quadrant(x) / cos_quadrant(x) / tan45);
  return result == 0 ? 0.0 : result;
}
double cotangent_degrees(double x) {
  if (std::isnan(x)) return x;
  int sign = 1;
  x = tangent_quadrant(x, sign);
  const double cot45 = cos_quadrant(45) / sin_quadrant(45);
  const double result = sign * (cos_quadrant(x) / sin_quadrant(x) / cot45);
  return result == 0 ? 0.0 : result;
}
double asin_quadrant(double x) {
  if (x <= 0.5) return std::asin(x) / std::asin(0.5) * 30.0;
  return 90.0 - std::acos(x) / std::acos(0.5) * 60.0;
}
double acos_quadrant(double x) {
  if (x <= 0.5) return 90.0 - std::asin(x) / std::asin(0.5) * 30.0;
  return std::acos(x) / std::acos(0.5) * 60.0;
}
double arcsine_degrees(double x) { return x >= 0 ? asin_quadrant(x) : -asin_quadrant(-x); }
double arccosine_degrees(double x) { return x >= 0 ? acos_quadrant(x) : 90.0 + asin_quadrant(-x); }
double arctangent_degrees(double x) { return std::atan(x) / std::atan(1.0) * 45.0; }
double arctangent2_degrees(double y, double x) { return std::atan2(y, x) / std::atan(1.0) * 45.0; }

int32_t width_bucket(FuncContext& context, double operand, double low, double high, int32_t count) {
  const auto fail = [&](const char* message) {
    context.fail(sqlstate::kInvalidArgumentForWidthBucket, message);
    return 0;
  };
  if (count <= 0) return fail("count must be greater than zero");
  if (std::isnan(operand) || std::isnan(low) || std::isnan(high))
    return fail("operand, lower bound, and upper bound cannot be NaN");
  if (std::isinf(low) || std::isinf(high)) return fail("lower and upper bounds must be finite");
  if (low == high) return fail("lower bound cannot equal upper bound");
  const bool up = low < high;
  if (up ? operand < low : operand > low) return 0;
  if (up ? operand >= high : operand <= high) {
    if (count == INT32_MAX) fail_int4_range(context);
    return count == INT32_MAX ? 0 : count + 1;
  }
  const double fraction =
      std::isinf(high - low) ? (operand / 2 - low / 2) / (high / 2 - low / 2) : (operand - low) / (high - low);
  const auto bucket = static_cast<int32_t>(count * fraction);
  return std::min(bucket, count - 1) + 1;
}

double random(FuncContext& context) { return next_random_double(context.session().random); }
Str set_seed(FuncContext& context, double seed) {
  if (!(seed >= -1 && seed <= 1)) {
    std::string text;
    append_double(seed, 1, text);
    context.fail(sqlstate::kInvalidParameterValue, "setseed parameter " + text + " is out of allowed range [-1,1]");
    return {};
  }
  seed_random(context.session().random, seed);
  return {};
}

const ScalarEntry kFloatMathEntries[] = {
    {"dsqrt", kernel<square_root>},
    {"dcbrt", kernel<cube_root>},
    {"dpow", kernel<power>},
    {"dexp", kernel<exponential>},
    {"dlog1", kernel<logarithm<std::log>>},
    {"dlog10", kernel<logarithm<std::log10>>},
    {"dround", kernel<round_even>},
    {"dtrunc", kernel<cut>},
    {"dceil", kernel<ceiling>},
    {"dfloor", kernel<floor_of>},
    {"dsign", kernel<sign>},
    {"degrees", kernel<degrees>},
    {"radians", kernel<radians>},
    {"dpi", kernel<pi>},
    {"dsin", kernel<periodic<std::sin>>},
    {"dcos", kernel<periodic<std::cos>>},
    {"dtan", kernel<periodic<std::tan>>},
    {"dcot", kernel<periodic<cotangent>>},
    {"dasin", kernel<unit_domain<std::asin>>},
    {"dacos", kernel<unit_domain<std::acos>>},
    {"datan", kernel<arctangent>},
    {"datan2", kernel<arctangent2>},
    {"dsinh", kernel<hyperbolic_sine>},
    {"dcosh", kernel<hyperbolic_cosine>},
    {"dtanh", kernel<hyperbolic_tangent>},
    {"dasinh", kernel<inverse_hyperbolic_sine>},
    {"dacosh", kernel<inverse_hyperbolic_cosine>},
    {"datanh", kernel<inverse_hyperbolic_tangent>},
    {"dsind", kernel<periodic<sine_degrees>>},
    {"dcosd", kernel<periodic<cosine_degrees>>},
    {"dtand", kernel<periodic<tangent_degrees>>},
    {"dcotd", kernel<periodic<cotangent_degrees>>},
    {"dasind", kernel<unit_domain<arcsine_degrees>>},
    {"dacosd", kernel<unit_domain<arccosine_degrees>>},
    {"datand", kernel<arctangent_degrees>},
    {"datan2d", kernel<arctangent2_degrees>},
    {"width_bucket_float8", kernel<width_bucket>},
    {"drandom", kernel<random>},
    {"setseed", kernel<set_seed>},
};

}  // namespace

std::span<const ScalarEntry> float_math() { return kFloatMathEntries; }

}  // namespace indigo::types
