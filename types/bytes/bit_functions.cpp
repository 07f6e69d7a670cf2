// Operators and functions of bit and bit varying.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/sqlstate.h"
#include "types/function/compare.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/io/bit_string.h"

namespace indigo::types {

namespace {

// The bits, then the length.
int compare_bits(Str a, Str b) {
  const Str x = a.substr(4), y = b.substr(4);
  const int c = std::memcmp(x.data(), y.data(), std::min(x.size(), y.size()));
  return c != 0 ? c : three_way(bit_count(a), bit_count(b));
}

std::string combine(FuncContext& context, Str a, Str b, const char* what, char (*op)(char, char)) {
  if (bit_count(a) != bit_count(b)) {
    context.fail(SqlState("22026"), std::string("cannot ") + what + " bit strings of different sizes");
    return std::string(a);
  }
  std::string out(a);
  for (size_t i = 4; i < out.size(); i++) out[i] = op(a[i], b[i]);
  return out;
}
std::string bits_and(FuncContext& c, Str a, Str b) {
  return combine(c, a, b, "AND", [](char x, char y) { return static_cast<char>(x & y); });
}
std::string bits_or(FuncContext& c, Str a, Str b) {
  return combine(c, a, b, "OR", [](char x, char y) { return static_cast<char>(x | y); });
}
std::string bits_xor(FuncContext& c, Str a, Str b) {
  return combine(c, a, b, "XOR", [](char x, char y) { return static_cast<char>(x ^ y); });
}
// Copies `count` bits of `from`, beginning at `first`; those outside are zero.
std::string copy_bits(Str from, int64_t first, int32_t count) {
  std::string out = make_bits(count);
  const int32_t have = bit_count(from);
  for (int32_t i = 0; i < count; i++)
    if (first + i >= 0 && first + i < have) set_bit_at(out, i, bit_at(from, static_cast<int32_t>(first + i)));
  return out;
}
std::string bits_not(Str a) {
  std::string out = make_bits(bit_count(a));
  for (int32_t i = 0; i < bit_count(a); i++) set_bit_at(out, i, !bit_at(a, i));
  return out;
}
std::string shift_left(Str a, int32_t n) { return copy_bits(a, n, bit_count(a)); }
std::string shift_right(Str a, int32_t n) { return copy_bits(a, -int64_t{n}, bit_count(a)); }
std::string concatenated(Str a, Str b) {
  std::string out = copy_bits(a, 0, bit_count(a) + bit_count(b));
  for (int32_t i = 0; i < bit_count(b); i++) set_bit_at(out, bit_count(a) + i, bit_at(b, i));
  return out;
}
std::string part_of_bits(Str a, int64_t start, int64_t length) {
  const int64_t from = std::max<int64_t>(start, 1), to = std::min<int64_t>(start + length, int64_t{bit_count(a)} + 1);
  return copy_bits(a, from - 1, static_cast<int32_t>(std::max<int64_t>(to - from, 0)));
}
std::string substring(FuncContext& context, Str a, int32_t start, int32_t count) {
  if (count < 0 && int64_t{start} + count < start) {
    context.fail(sqlstate::kSubstringError, "negative substring length not allowed");
    return std::string(a);
  }
  return part_of_bits(a, start, count);
}
std::string substring_to_end(Str a, int32_t start) { return part_of_bits(a, start, int64_t{INT32_MAX} * 2 + 2); }
std::string overlay_bits_count(FuncContext& context, Str a, Str with, int32_t start, int32_t count) {
  if (start <= 0) {
    context.fail(sqlstate::kSubstringError, "negative substring length not allowed");
    return std::string(a);
  }
  const int64_t end = int64_t{start} + count;
  if (end > INT32_MAX) {
    fail_int4_range(context);
    return std::string(a);
  }
  return concatenated(concatenated(part_of_bits(a, 1, start - 1), with),
                      part_of_bits(a, end, int64_t{INT32_MAX} * 2 + 2));
}
std::string overlay_bits(FuncContext& context, Str a, Str with, int32_t start) {
  return overlay_bits_count(context, a, with, start, bit_count(with));
}
int32_t length(Str a) { return bit_count(a); }
int32_t byte_length(Str a) { return static_cast<int32_t>(a.size()) - 4; }
int64_t ones(Str a) {
  int64_t n = 0;
  for (char c : a.substr(4)) n += std::popcount(static_cast<uint8_t>(c));
  return n;
}
int32_t position_of_bits(Str haystack, Str needle) {
  const int32_t n = bit_count(needle), have = bit_count(haystack);
  if (have == 0) return 0;
  for (int32_t at = 0; at + n <= have; at++) {
    int32_t i = 0;
    while (i < n && bit_at(haystack, at + i) == bit_at(needle, i)) i++;
    if (i == n) return at + 1;
  }
  return 0;
}
bool in_range(FuncContext& context, int32_t index, Str a) {
  if (index >= 0 && index < bit_count(a)) return true;
  context.fail(sqlstate::kArraySubscriptError, "bit index " + std::to_string(index) + " out of valid range (0.." +
                                                   std::to_string(bit_count(a) - 1) + ")");
  return false;
}
int32_t get_bit(FuncContext& context, Str a, int32_t index) { return in_range(context, index, a) && bit_at(a, index); }
std::string set_bit(FuncContext& context, Str a, int32_t index, int32_t value) {
  std::string out(a);
  if (!in_range(context, index, a)) return out;
  if (value != 0 && value != 1) {
    context.fail(sqlstate::kInvalidParameterValue, "new bit must be 0 or 1");
    return out;
  }
  set_bit_at(out, index, value == 1);
  return out;
}

// Longer ones are no length at all, to PostgreSQL.
constexpr int32_t kMaxBits = INT32_MAX - 8;

// ---- integers: the lowest bits, sign-extended
template <class T>
std::string from_integer(T v, int32_t typmod) {
  const int32_t count = typmod <= 0 || typmod > kMaxBits ? 1 : typmod;
  std::string out = make_bits(count);
  const int32_t own = sizeof(T) * 8;
  for (int32_t i = v < 0 ? 0 : std::max(count - own, 0); i < count; i++) {
    const int32_t place = count - 1 - i;
    set_bit_at(out, i, place >= own ? v < 0 : (v >> place) & 1);
  }
  return out;
}
template <class T>
T to_integer(FuncContext& context, Str a) {
  if (bit_count(a) > static_cast<int32_t>(sizeof(T) * 8)) {
    sizeof(T) == 4 ? fail_int4_range(context) : fail_int8_range(context);
    return 0;
  }
  std::make_unsigned_t<T> v = 0;
  for (int32_t i = 0; i < bit_count(a); i++) v = static_cast<std::make_unsigned_t<T>>(v << 1 | bit_at(a, i));
  return static_cast<T>(v);
}

std::string to_length(FuncContext& context, Str a, int32_t count, bool is_explicit) {
  if (count <= 0 || count > kMaxBits || count == bit_count(a)) return std::string(a);
  if (!is_explicit)
    context.fail(SqlState("22026"), "bit string length " + std::to_string(bit_count(a)) + " does not match type bit(" +
                                        std::to_string(count) + ")");
  return copy_bits(a, 0, count);
}
std::string to_varying_length(FuncContext& context, Str a, int32_t count, bool is_explicit) {
  if (count <= 0 || count >= bit_count(a)) return std::string(a);
  if (!is_explicit)
    context.fail(sqlstate::kStringDataRightTruncation,
                 "bit string too long for type bit varying(" + std::to_string(count) + ")");
  return copy_bits(a, 0, count);
}

using Order = Compare<compare_bits>;
const ScalarEntry kBitEntries[] = {
    {"biteq", kernel<Order::eq>},
    {"bitne", kernel<Order::ne>},
    {"bitlt", kernel<Order::lt>},
    {"bitle", kernel<Order::le>},
    {"bitgt", kernel<Order::gt>},
    {"bitge", kernel<Order::ge>},
    {"bitcmp", kernel<Order::cmp>},
    {"bit_and", kernel<bits_and>},
    {"bit_or", kernel<bits_or>},
    {"bitxor", kernel<bits_xor>},
    {"bitnot", kernel<bits_not>},
    {"bitshiftleft", kernel<shift_left>},
    {"bitshiftright", kernel<shift_right>},
    {"bitcat", kernel<concatenated>},
    {"bitsubstr", kernel<substring>},
    {"bitsubstr_no_len", kernel<substring_to_end>},
    {"bitoverlay", kernel<overlay_bits_count>},
    {"bitoverlay_no_len", kernel<overlay_bits>},
    {"bitlength", kernel<length>},
    {"bit_length(bit)", kernel<length>},
    {"bitoctetlength", kernel<byte_length>},
    {"bit_bit_count", kernel<ones>},
    {"bitposition", kernel<position_of_bits>},
    {"bitgetbit", kernel<get_bit>},
    {"bitsetbit", kernel<set_bit>},
    {"bitfromint4", kernel<from_integer<int32_t>>},
    {"bitfromint8", kernel<from_integer<int64_t>>},
    {"bittoint4", kernel<to_integer<int32_t>>},
    {"bittoint8", kernel<to_integer<int64_t>>},
    {"bit", kernel<to_length>},
    {"varbit", kernel<to_varying_length>},
};

}  // namespace

std::span<const ScalarEntry> bit_functions() { return kBitEntries; }

}  // namespace indigo::types
