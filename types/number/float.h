// Floating point as PostgreSQL reads, prints and orders it: shortest text that reads back, NaN equal to itself and above all.
// Thread safety: pure functions.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

namespace indigo::types {

template <class A, class B>
int compare_floats(A a, B b) {
  if (std::isnan(a)) return std::isnan(b) ? 0 : 1;
  if (std::isnan(b)) return -1;
  return a < b ? -1 : a > b ? 1 : 0;
}

// extra_digits is the setting extra_float_digits: above 0 the shortest exact form, else 15 (6) + extra_digits digits.
void append_double(double value, int extra_digits, std::string& out);
void append_float(float value, int extra_digits, std::string& out);

enum class FloatParse { kOk, kSyntax, kRange };
FloatParse parse_double(std::string_view text, double& out);
FloatParse parse_float(std::string_view text, float& out);

}  // namespace indigo::types
