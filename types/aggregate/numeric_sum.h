// A running sum of numerics: a 128-bit mantissa at one scale while that lasts, an unbounded decimal afterwards; NaNs and
// infinities are counted aside. Starts as zero bytes; destroy() frees what it took.
// Thread safety: none.
#pragma once

#include <algorithm>
#include <map>

#include "types/numeric/numeric.h"

namespace indigo::types {

struct NumericSum {
  Int128 mantissa;
  int64_t count;
  int32_t scale;  // the largest of all summands
  int64_t nans, plus_infinities, minus_infinities;
  Numeric* big;  // what left the mantissa
  // How many finite summands have which scale: what leaves a moving frame may take the largest one with it.
  int32_t usual_scale;
  int64_t usual_count;
  std::map<int32_t, int64_t>* other_scales;

  void add(Str image) {
    count++;
    change(image, false);
  }
  // Takes back what was added before.
  void remove(Str image) {
    count--;
    change(image, true);
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
    n.round(shown_scale());
    return n;
  }
  void destroy() {
    delete big;
    delete other_scales;
  }

 private:
  void change(Str image, bool minus) {
    if (!numeric_is_small(image)) return change_slowly(image, minus);
    const int32_t its_scale = static_cast<uint8_t>(image[0]);
    Int128 v = numeric_small_mantissa(image);
    if (its_scale > scale && !rescale(its_scale)) return change_slowly(image, minus);
    if (its_scale < scale && !raise(v, scale - its_scale)) return change_slowly(image, minus);
    if (minus ? __builtin_sub_overflow(mantissa, v, &v) : __builtin_add_overflow(mantissa, v, &v)) {
      return change_slowly(image, minus);
    }
    mantissa = v;
    count_scale(its_scale, minus ? -1 : 1);
  }
  void count_scale(int32_t its_scale, int64_t more) {
    const bool others = other_scales != nullptr && !other_scales->empty();
    if (usual_count == 0 && !others) usual_scale = its_scale;
    if (its_scale == usual_scale) {
      usual_count += more;
      return;
    }
    if (other_scales == nullptr) other_scales = new std::map<int32_t, int64_t>();
    if (((*other_scales)[its_scale] += more) == 0) other_scales->erase(its_scale);
  }
  // The largest scale of the summands that are there.
  int32_t shown_scale() const {
    int32_t out = usual_count != 0 ? usual_scale : 0;
    if (other_scales != nullptr && !other_scales->empty()) out = std::max(out, other_scales->rbegin()->first);
    return out;
  }
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
  void change_slowly(Str image, bool minus) {
    const Numeric n = Numeric::from_image(image);
    const int64_t more = minus ? -1 : 1;
    switch (n.kind) {
      case Numeric::Kind::kNan: nans += more; return;
      case Numeric::Kind::kPlusInfinity: plus_infinities += more; return;
      case Numeric::Kind::kMinusInfinity: minus_infinities += more; return;
      case Numeric::Kind::kFinite: break;
    }
    if (big == nullptr) big = new Numeric();
    *big = minus ? subtract(*big, n) : types::add(*big, n);
    count_scale(n.scale, more);
  }
};

}  // namespace indigo::types
