// Running moments of floats, of one variable and of two, and what is computed of them.
// Source: Youngs, Cramer, "Some results relevant to choice of sum and sum-of-product algorithms" (Technometrics, 1971).
// Thread safety: values.
#pragma once

#include <cmath>
#include <optional>

#include "types/function/errors.h"

namespace indigo::types {

struct Moments {
  double n, sum, squares;  // squares: of differences from the mean
  void add(FuncContext& context, double v) {
    const double before = n;
    const double sum_before = sum;
    n += 1;
    sum += v;
    if (before > 0) {
      const double t = v * n - sum;
      squares += t * t / (n * before);
      if (std::isinf(sum) || std::isinf(squares)) {
        if (!std::isinf(sum_before) && !std::isinf(v)) return fail_float_overflow(context);
        squares = NAN;
      }
    } else if (std::isnan(v) || std::isinf(v)) {
      squares = NAN;
    }
  }
};

// Of two variables; the first argument is y.
struct PairMoments {
  double n, sum_x, squares_x, sum_y, squares_y, products;
  void add(FuncContext& context, double y, double x) {
    const double before = n;
    const double x_before = sum_x, y_before = sum_y;
    n += 1;
    sum_x += x;
    sum_y += y;
    if (before > 0) {
      const double tx = x * n - sum_x, ty = y * n - sum_y, scale = 1.0 / (n * before);
      squares_x += tx * tx * scale;
      squares_y += ty * ty * scale;
      products += tx * ty * scale;
      if (std::isinf(sum_x) || std::isinf(squares_x) || std::isinf(sum_y) || std::isinf(squares_y) ||
          std::isinf(products)) {
        if (((std::isinf(sum_x) || std::isinf(squares_x)) && !std::isinf(x_before) && !std::isinf(x)) ||
            ((std::isinf(sum_y) || std::isinf(squares_y)) && !std::isinf(y_before) && !std::isinf(y)))
          return fail_float_overflow(context);
        if (std::isinf(squares_x)) squares_x = NAN;
        if (std::isinf(squares_y)) squares_y = NAN;
        if (std::isinf(products)) products = NAN;
      }
    } else {
      if (!std::isfinite(x)) squares_x = products = NAN;
      if (!std::isfinite(y)) squares_y = products = NAN;
    }
  }
};

using PairResult = std::optional<double> (*)(const PairMoments&);
inline std::optional<double> correlation(const PairMoments& m) {
  if (m.n < 1 || m.squares_x == 0 || m.squares_y == 0) return {};
  return m.products / std::sqrt(m.squares_x * m.squares_y);
}
inline std::optional<double> covariance_population(const PairMoments& m) {
  return m.n < 1 ? std::optional<double>() : m.products / m.n;
}
inline std::optional<double> covariance_sample(const PairMoments& m) {
  return m.n < 2 ? std::optional<double>() : m.products / (m.n - 1);
}
inline std::optional<double> sxx(const PairMoments& m) { return m.n < 1 ? std::optional<double>() : m.squares_x; }
inline std::optional<double> syy(const PairMoments& m) { return m.n < 1 ? std::optional<double>() : m.squares_y; }
inline std::optional<double> sxy(const PairMoments& m) { return m.n < 1 ? std::optional<double>() : m.products; }
inline std::optional<double> average_x(const PairMoments& m) {
  return m.n < 1 ? std::optional<double>() : m.sum_x / m.n;
}
inline std::optional<double> average_y(const PairMoments& m) {
  return m.n < 1 ? std::optional<double>() : m.sum_y / m.n;
}
inline std::optional<double> r2(const PairMoments& m) {
  if (m.n < 1 || m.squares_x == 0) return {};
  return m.squares_y == 0 ? 1.0 : m.products * m.products / (m.squares_x * m.squares_y);
}
inline std::optional<double> slope(const PairMoments& m) {
  return m.n < 1 || m.squares_x == 0 ? std::optional<double>() : m.products / m.squares_x;
}
inline std::optional<double> intercept(const PairMoments& m) {
  if (m.n < 1 || m.squares_x == 0) return {};
  return (m.sum_y - m.sum_x * m.products / m.squares_x) / m.n;
}

}  // namespace indigo::types
