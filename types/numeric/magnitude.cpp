#include "types/numeric/magnitude.h"

#include <algorithm>

#include "base/fiber/long_work.h"

namespace indigo::types {

namespace {
constexpr uint32_t kBase = kNumericLimbBase;
constexpr uint32_t kLimbDigits = 9;
constexpr size_t kKaratsubaLimbs = 48;
constexpr uint32_t kPowers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
}  // namespace

Magnitude::Magnitude(UInt128 value) {
  for (; value != 0; value /= kBase) limbs_.push_back(static_cast<uint32_t>(value % kBase));
}

Magnitude Magnitude::from_limbs(std::vector<uint32_t> limbs) {
  Magnitude m;
  m.limbs_ = std::move(limbs);
  m.trim();
  return m;
}

Magnitude Magnitude::from_digits(std::string_view text) {
  Magnitude m;
  m.limbs_.reserve(text.size() / kLimbDigits + 1);
  while (!text.empty()) {
    const size_t take = std::min<size_t>(kLimbDigits, text.size());
    uint32_t limb = 0;
    for (char c : text.substr(text.size() - take)) limb = limb * 10 + static_cast<uint32_t>(c - '0');
    m.limbs_.push_back(limb);
    text.remove_suffix(take);
  }
  m.trim();
  return m;
}

Magnitude Magnitude::power_of_ten(uint32_t exponent) {
  Magnitude m(1);
  m.multiply_power_of_ten(exponent);
  return m;
}

uint32_t Magnitude::digit_count() const {
  if (limbs_.empty()) return 0;
  uint32_t top = 1;
  while (top < kLimbDigits && limbs_.back() >= kPowers[top]) top++;
  return static_cast<uint32_t>(limbs_.size() - 1) * kLimbDigits + top;
}

bool Magnitude::fits(UInt128& value) const {
  if (digit_count() > 38) return false;
  value = 0;
  for (size_t i = limbs_.size(); i-- > 0;) value = value * kBase + limbs_[i];
  return true;
}

std::string Magnitude::digits() const {
  if (limbs_.empty()) return "0";
  std::string text(limbs_.size() * kLimbDigits, '0');
  size_t at = text.size();
  for (uint32_t limb : limbs_) {
    for (uint32_t i = 0; i < kLimbDigits; i++, limb /= 10) text[--at] = static_cast<char>('0' + limb % 10);
  }
  return text.substr(text.find_first_not_of('0'));
}

int compare(const Magnitude& a, const Magnitude& b) {
  if (a.limbs_.size() != b.limbs_.size()) return a.limbs_.size() < b.limbs_.size() ? -1 : 1;
  for (size_t i = a.limbs_.size(); i-- > 0;)
    if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] < b.limbs_[i] ? -1 : 1;
  return 0;
}

Magnitude operator+(const Magnitude& a, const Magnitude& b) {
  const Magnitude& longer = a.limbs_.size() >= b.limbs_.size() ? a : b;
  const Magnitude& shorter = &longer == &a ? b : a;
  note_work(longer.limbs_.size());
  Magnitude sum;
  sum.limbs_.reserve(longer.limbs_.size() + 1);
  uint32_t carry = 0;
  for (size_t i = 0; i < longer.limbs_.size(); i++) {
    uint32_t limb = longer.limbs_[i] + carry + (i < shorter.limbs_.size() ? shorter.limbs_[i] : 0);
    carry = limb >= kBase;
    sum.limbs_.push_back(carry ? limb - kBase : limb);
  }
  if (carry) sum.limbs_.push_back(1);
  return sum;
}

Magnitude operator-(const Magnitude& a, const Magnitude& b) {
  note_work(a.limbs_.size());
  Magnitude difference;
  difference.limbs_.reserve(a.limbs_.size());
  int64_t borrow = 0;
  for (size_t i = 0; i < a.limbs_.size(); i++) {
    int64_t limb = int64_t{a.limbs_[i]} - borrow - (i < b.limbs_.size() ? b.limbs_[i] : 0);
    borrow = limb < 0;
    difference.limbs_.push_back(static_cast<uint32_t>(borrow ? limb + kBase : limb));
  }
  difference.trim();
  return difference;
}

Magnitude Magnitude::part(size_t from, size_t to) const {
  from = std::min(from, limbs_.size());
  to = std::min(to, limbs_.size());
  return from_limbs(std::vector<uint32_t>(limbs_.begin() + static_cast<std::ptrdiff_t>(from),
                                          limbs_.begin() + static_cast<std::ptrdiff_t>(to)));
}
void Magnitude::add_shifted(const Magnitude& v, size_t limbs) {
  note_work(v.limbs_.size());
  if (v.is_zero()) return;
  limbs_.resize(std::max(limbs_.size(), limbs + v.limbs_.size()) + 1);
  uint32_t carry = 0;
  for (size_t i = 0; i < v.limbs_.size() || carry != 0; i++) {
    const uint32_t sum = limbs_[limbs + i] + carry + (i < v.limbs_.size() ? v.limbs_[i] : 0);
    carry = sum >= kBase;
    limbs_[limbs + i] = carry ? sum - kBase : sum;
  }
  trim();
}

// Karatsuba's: (a1 B + a0)(b1 B + b0) with three products instead of four.
Magnitude Magnitude::product_of_halves(const Magnitude& a, const Magnitude& b) {
  const size_t half = (std::max(a.limbs_.size(), b.limbs_.size()) + 1) / 2;
  const Magnitude a0 = a.part(0, half), a1 = a.part(half, a.limbs_.size());
  const Magnitude b0 = b.part(0, half), b1 = b.part(half, b.limbs_.size());
  const Magnitude low = a0 * b0, high = a1 * b1;
  const Magnitude middle = (a0 + a1) * (b0 + b1) - low - high;
  Magnitude product = low;
  product.add_shifted(middle, half);
  product.add_shifted(high, 2 * half);
  return product;
}

Magnitude operator*(const Magnitude& a, const Magnitude& b) {
  Magnitude product;
  if (a.is_zero() || b.is_zero()) return product;
  const size_t shorter = std::min(a.limbs_.size(), b.limbs_.size()),
               longer = std::max(a.limbs_.size(), b.limbs_.size());
  if (shorter >= kKaratsubaLimbs && longer <= 2 * shorter) return Magnitude::product_of_halves(a, b);
  product.limbs_.assign(a.limbs_.size() + b.limbs_.size(), 0);
  for (size_t i = 0; i < a.limbs_.size(); i++) {
    uint64_t carry = 0;
    const uint64_t factor = a.limbs_[i];
    if (factor == 0) continue;
    note_work(2 * b.limbs_.size());
    for (size_t j = 0; j < b.limbs_.size(); j++) {
      const uint64_t value = product.limbs_[i + j] + factor * b.limbs_[j] + carry;
      carry = value / kBase;
      product.limbs_[i + j] = static_cast<uint32_t>(value % kBase);
    }
    product.limbs_[i + b.limbs_.size()] = static_cast<uint32_t>(carry);
  }
  product.trim();
  return product;
}

uint32_t Magnitude::divide_small(uint32_t divisor) {
  note_work(4 * limbs_.size());
  uint64_t remainder = 0;
  for (size_t i = limbs_.size(); i-- > 0;) {
    const uint64_t value = remainder * kBase + limbs_[i];
    limbs_[i] = static_cast<uint32_t>(value / divisor);
    remainder = value % divisor;
  }
  trim();
  return static_cast<uint32_t>(remainder);
}

// Knuth's algorithm D.
void Magnitude::divide(const Magnitude& a, const Magnitude& b, Magnitude& quotient, Magnitude& remainder) {
  if (compare(a, b) < 0) {
    remainder = a;
    quotient = Magnitude();
    return;
  }
  if (b.limbs_.size() == 1) {
    Magnitude q = a;
    const uint32_t rest = q.divide_small(b.limbs_[0]);
    quotient = std::move(q);
    remainder = Magnitude(rest);
    return;
  }
  const uint32_t normalize = kBase / (b.limbs_.back() + 1);
  const auto scaled = [normalize](const std::vector<uint32_t>& limbs) {
    std::vector<uint32_t> out;
    out.reserve(limbs.size() + 1);
    uint64_t carry = 0;
    for (uint32_t limb : limbs) {
      carry += static_cast<uint64_t>(limb) * normalize;
      out.push_back(static_cast<uint32_t>(carry % kBase));
      carry /= kBase;
    }
    out.push_back(static_cast<uint32_t>(carry));
    return out;
  };
  std::vector<uint32_t> u = scaled(a.limbs_);
  std::vector<uint32_t> v = scaled(b.limbs_);
  v.pop_back();
  const size_t n = v.size(), m = u.size() - n - 1;
  std::vector<uint32_t> q(m + 1);
  for (size_t j = m + 1; j-- > 0;) {
    const uint64_t head = static_cast<uint64_t>(u[j + n]) * kBase + u[j + n - 1];
    uint64_t digit = head / v[n - 1], rest = head % v[n - 1];
    while (digit >= kBase || digit * v[n - 2] > rest * kBase + u[j + n - 2]) {
      digit--;
      rest += v[n - 1];
      if (rest >= kBase) break;
    }
    note_work(4 * n);
    int64_t borrow = 0;
    uint64_t carry = 0;
    for (size_t i = 0; i < n; i++) {
      carry += digit * v[i];
      int64_t limb = int64_t{u[i + j]} - borrow - static_cast<int64_t>(carry % kBase);
      carry /= kBase;
      borrow = limb < 0;
      u[i + j] = static_cast<uint32_t>(borrow ? limb + kBase : limb);
    }
    int64_t top = int64_t{u[j + n]} - borrow - static_cast<int64_t>(carry);
    if (top < 0) {
      digit--;
      uint32_t add_carry = 0;
      for (size_t i = 0; i < n; i++) {
        uint32_t limb = u[i + j] + v[i] + add_carry;
        add_carry = limb >= kBase;
        u[i + j] = add_carry ? limb - kBase : limb;
      }
      top += add_carry;
    }
    u[j + n] = static_cast<uint32_t>(top);
    q[j] = static_cast<uint32_t>(digit);
  }
  quotient = from_limbs(std::move(q));
  u.resize(n);
  remainder = from_limbs(std::move(u));
  remainder.divide_small(normalize);
}

void Magnitude::multiply_power_of_ten(uint32_t exponent) {
  if (limbs_.empty() || exponent == 0) return;
  const uint32_t factor = kPowers[exponent % kLimbDigits];
  if (factor != 1) {
    uint64_t carry = 0;
    for (uint32_t& limb : limbs_) {
      carry += static_cast<uint64_t>(limb) * factor;
      limb = static_cast<uint32_t>(carry % kBase);
      carry /= kBase;
    }
    if (carry != 0) limbs_.push_back(static_cast<uint32_t>(carry));
  }
  limbs_.insert(limbs_.begin(), exponent / kLimbDigits, 0);
}

void Magnitude::divide_power_of_ten(uint32_t exponent, Rounding rounding) {
  if (exponent == 0 || limbs_.empty()) return;
  if (exponent > digit_count()) {
    limbs_.clear();
    return;
  }
  // Drop all but one of the digits, look at it, drop it.
  exponent--;
  limbs_.erase(limbs_.begin(), limbs_.begin() + exponent / kLimbDigits);
  if (exponent % kLimbDigits != 0) divide_small(kPowers[exponent % kLimbDigits]);
  const uint32_t last = divide_small(10);
  if (rounding == Rounding::kHalfUp && last >= 5) *this = *this + Magnitude(1);
}

Magnitude Magnitude::square_root(const Magnitude& a) {
  if (a.is_zero()) return a;
  // Newton from above.
  Magnitude x = power_of_ten((a.digit_count() + 1) / 2 + 1), quotient, remainder;
  while (true) {
    divide(a, x, quotient, remainder);
    Magnitude next = x + quotient;
    next.divide_small(2);
    if (compare(next, x) >= 0) return x;
    x = std::move(next);
  }
}

}  // namespace indigo::types
