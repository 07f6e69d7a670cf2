// cube: cubes out of numbers, arrays and other cubes.
#include "base/sqlstate.h"
#include "types/extension/cube/cube.h"
#include "types/function/kernel.h"
#include "types/value/array_format.h"

namespace indigo::types::cube {

namespace {

const SqlState kArrayElement("2202E");

Error too_many(const char* message) {
  return Error(sqlstate::kProgramLimitExceeded, message)
      .with_detail("A cube cannot have more than " + std::to_string(kMostDimensions) + " dimensions.");
}

// False: one of them has a null in it.
bool without_nulls(FuncContext& context, const ArrayView& array) {
  for (int32_t i = 0; i < array.count(); i++) {
    if (!array.element(i).null) continue;
    context.fail(kArrayElement, "cannot work with arrays containing NULLs");
    return false;
  }
  return true;
}
std::vector<double> numbers(const ArrayView& array) {
  std::vector<double> out;
  for (int32_t i = 0; i < array.count(); i++) out.push_back(array.element(i).f64);
  return out;
}

std::optional<std::string> of_arrays(FuncContext& context, Str first, Str second) {
  const ArrayView a(first), b(second);
  if (!without_nulls(context, a) || !without_nulls(context, b)) return std::nullopt;
  if (static_cast<size_t>(a.count()) > kMostDimensions) {
    context.fail(too_many("can't extend cube"));
    return std::nullopt;
  }
  if (a.count() != b.count()) {
    context.fail(kArrayElement, "UR and LL arrays must be of same length");
    return std::nullopt;
  }
  return cube_image({numbers(a), numbers(b)});
}
std::optional<std::string> of_array(FuncContext& context, Str image) {
  const ArrayView array(image);
  if (!without_nulls(context, array)) return std::nullopt;
  if (static_cast<size_t>(array.count()) > kMostDimensions) {
    context.fail(too_many("array is too long"));
    return std::nullopt;
  }
  return point_image(numbers(array));
}

std::string of_number(double x) { return point_image({x}); }
std::string of_numbers(double a, double b) { return cube_image({{a}, {b}}); }

std::optional<std::string> extended_by(FuncContext& context, Str image, double a, double b) {
  const CubeView c(image);
  if (c.dimensions() + 1 > kMostDimensions) {
    context.fail(too_many("can't extend cube"));
    return std::nullopt;
  }
  Corners corners = corners_of(c);
  corners.add(a, b);
  return cube_image(corners);
}
std::optional<std::string> extended(FuncContext& context, Str image, double x) {
  const CubeView c(image);
  if (!c.is_point() || c.dimensions() == kMostDimensions) return extended_by(context, image, x, x);
  Corners corners = corners_of(c);
  corners.first.push_back(x);
  return point_image(corners.first);
}

// Some of its dimensions, in any order.
std::optional<std::string> subset(FuncContext& context, Str image, Str wanted) {
  const CubeView c(image);
  const ArrayView array(wanted);
  if (!without_nulls(context, array)) return std::nullopt;
  if (static_cast<size_t>(array.count()) > kMostDimensions) {
    context.fail(too_many("array is too long"));
    return std::nullopt;
  }
  Corners out;
  for (int32_t i = 0; i < array.count(); i++) {
    const int32_t n = array.element(i).i32;
    if (n <= 0 || static_cast<size_t>(n) > c.dimensions()) {
      context.fail(kArrayElement, "Index out of bounds");
      return std::nullopt;
    }
    out.add(c.first(static_cast<size_t>(n) - 1), c.second(static_cast<size_t>(n) - 1));
  }
  return c.is_point() ? point_image(out.first) : cube_image(out);
}

// Each side goes out (or in) by the radius, in at least n dimensions when it goes out; what would turn inside out is its middle.
std::string enlarge(Str image, double radius, int32_t n) {
  const CubeView c(image);
  const size_t wanted = radius > 0 && n > 0 ? std::min(static_cast<size_t>(n), kMostDimensions) : 0;
  Corners out;
  for (size_t i = 0; i < std::max(c.dimensions(), wanted); i++) {
    double low = c.low_or_zero(i) - radius, high = c.high_or_zero(i) + radius;
    if (low > high) low = high = (low + high) / 2;
    out.add(low, high);
  }
  return cube_image(out);
}

const ScalarEntry kMakingFunctions[] = {
    {"cube_a_f8_f8", kernel<of_arrays>}, {"cube_a_f8", kernel<of_array>},   {"cube_f8", kernel<of_number>},
    {"cube_f8_f8", kernel<of_numbers>},  {"cube_c_f8", kernel<extended>},   {"cube_c_f8_f8", kernel<extended_by>},
    {"cube_subset", kernel<subset>},     {"cube_enlarge", kernel<enlarge>},
};

}  // namespace

std::span<const ScalarEntry> making_functions() { return kMakingFunctions; }

}  // namespace indigo::types::cube
