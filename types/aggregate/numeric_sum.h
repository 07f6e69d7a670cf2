// A running sum of numerics: a 128-bit mantissa at one scale while that lasts, an unbounded decimal afterwards; NaNs and
// infinities are counted aside. Starts as zero bytes; destroy() frees what it took.
// Thread safety: none.
#pragma once

#include <algorithm>

#include "types/numeric/numeric.h"

namespace indigo::types {

struct NumericSum {
  Int128 mantissa;
  int64_t count;
  int32_t scale;  // the largest of all summands
  int64_t nans, plus_infinities, minus_infinities;
  Numeric* big;  // what left the mantissa

  void add(Str image) {
    count++;
    if (numeric_is_small(image)) {
      const int32_t its_scale = static_cast<uint8_t>(image[0]);
      Int128 v = numeric_small_mantissa(image);
      if (its_scale > scale && !rescale(its_scale)) return add_slowly(image);
      if (its_scale < scale && !raise(v, scale - its_scale)) return add_slowly(image);
      if (__builtin_add_overflow(mantissa, v, &v)) return add_slowly(image);
      mantissa = v;
      return;
    }
    add_slowly(image);
  }

  Str total(FuncContext& context) const {
    using K = Numeric::Kind;
    const auto special = [&](K kind) { return numeric_image(context, Numeric::special(kind)); };
    if (nans > 0 || (plus_infinities > 0 && minus_infinities > 0)) return special(K::kNan);
    if (plus_infinities > 0) return special(K::kPlusInfinity);
    if (minus_infinities > 0) return special(K::kMinusInfinity);
    return numeric_image(context, value());
  }
  Numeric value() const {
    Numeric n(mantissa < 0, Magnitude(static_cast<UInt128>(mantissa < 0 ? -mantissa : mantissa)), scale);
    if (big != nullptr) n = types::add(n, *big);
    n.round(std::max(n.scale, scale));
    return n;
  }
  void destroy() { delete big; }

 private:
  static bool raise(Int128& v, int32_t digits) {
    return digits <= 37 &&
           !__builtin_mul_overflow(v, static_cast<Int128>(power_of_ten_128(static_cast<uint32_t>(digits))), &v);
  }
  bool rescale(int32_t new_scale) {
    Int128 v = mantissa;
    if (!raise(v, new_scale - scale)) return false;
    mantissa = v;
    scale = new_scale;
    return true;
  }
  void add_slowly(Str image) {
    const Numeric n = Numeric::from_image(image);
    switch (n.kind) {
      case Numeric::Kind::kNan: nans++; return;
      case Numeric::Kind::kPlusInfinity: plus_infinities++; return;
      case Numeric::Kind::kMinusInfinity: minus_infinities++; return;
      case Numeric::Kind::kFinite: break;
    }
    if (big == nullptr) big = new Numeric();
    *big = types::add(*big, n);
  }
};

}  // namespace indigo::types
