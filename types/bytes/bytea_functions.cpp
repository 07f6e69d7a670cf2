// Functions of bytea.
#include <algorithm>
#include <bit>
#include <bitset>

#include "base/sqlstate.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/text/find.h"
#include "types/text/strings.h"

namespace indigo::types {

namespace {

Str part(Str s, int64_t start, int64_t length) {
  const int64_t from = std::max<int64_t>(start, 1),
                to = std::max(std::min<int64_t>(start + length, static_cast<int64_t>(s.size()) + 1), from);
  return from > static_cast<int64_t>(s.size())
             ? Str()
             : s.substr(static_cast<size_t>(from - 1), static_cast<size_t>(to - from));
}
Str substring_count(FuncContext& context, Str s, int32_t start, int32_t count) {
  if (count < 0 && int64_t{start} + count < start) {
    context.fail(sqlstate::kSubstringError, "negative substring length not allowed");
    return {};
  }
  return part(s, start, count);
}
Str substring_from_byte(Str s, int32_t start) { return part(s, start, int64_t{INT32_MAX} * 2 + 2); }

Str overlay_count(FuncContext& context, Str s, Str with, int32_t start, int32_t count) {
  if (start <= 0) {
    context.fail(sqlstate::kSubstringError, "negative substring length not allowed");
    return {};
  }
  const int64_t end = int64_t{start} + count;
  if (end > INT32_MAX) {
    fail_int4_range(context);
    return {};
  }
  return concatenate(context, concatenate(context, part(s, 1, start - 1), with),
                     part(s, end, int64_t{INT32_MAX} * 2 + 2));
}
Str overlay(FuncContext& context, Str s, Str with, int32_t start) {
  return overlay_count(context, s, with, start, static_cast<int32_t>(with.size()));
}
int32_t position(Str haystack, Str needle) {
  const size_t at = find_in(haystack, needle);
  return at == Str::npos ? 0 : static_cast<int32_t>(at) + 1;
}

using ByteSet = std::bitset<256>;
ByteSet bytes_of(Str set) {
  ByteSet bytes;
  for (const char c : set) bytes.set(static_cast<uint8_t>(c));
  return bytes;
}
Str trim_left(Str s, Str set) {
  const ByteSet bytes = bytes_of(set);
  while (!s.empty() && bytes.test(static_cast<uint8_t>(s.front()))) s.remove_prefix(1);
  return s;
}
Str trim_right(Str s, Str set) {
  const ByteSet bytes = bytes_of(set);
  while (!s.empty() && bytes.test(static_cast<uint8_t>(s.back()))) s.remove_suffix(1);
  return s;
}
Str trim_both(Str s, Str set) { return trim_right(trim_left(s, set), set); }

bool in_range(FuncContext& context, int64_t index, int64_t count) {
  if (index >= 0 && index < count) return true;
  context.fail(sqlstate::kArraySubscriptError,
               "index " + std::to_string(index) + " out of valid range, 0.." + std::to_string(count - 1));
  return false;
}
int32_t get_byte(FuncContext& context, Str s, int32_t index) {
  return in_range(context, index, static_cast<int64_t>(s.size())) ? static_cast<uint8_t>(s[static_cast<size_t>(index)])
                                                                  : 0;
}
// Bits are numbered from the lowest of each byte.
int32_t get_bit_of_bytes(FuncContext& context, Str s, int64_t index) {
  if (!in_range(context, index, static_cast<int64_t>(s.size()) * 8)) return 0;
  return (static_cast<uint8_t>(s[static_cast<size_t>(index / 8)]) >> (index % 8)) & 1;
}
std::string set_byte(FuncContext& context, Str s, int32_t index, int32_t value) {
  std::string out(s);
  if (in_range(context, index, static_cast<int64_t>(s.size())))
    out[static_cast<size_t>(index)] = static_cast<char>(value);
  return out;
}
std::string set_bit_of_bytes(FuncContext& context, Str s, int64_t index, int32_t value) {
  std::string out(s);
  if (!in_range(context, index, static_cast<int64_t>(s.size()) * 8)) return out;
  if (value != 0 && value != 1) {
    context.fail(sqlstate::kInvalidParameterValue, "new bit must be 0 or 1");
    return out;
  }
  char& byte = out[static_cast<size_t>(index / 8)];
  const int mask = 1 << (index % 8);
  byte = static_cast<char>(value ? byte | mask : byte & ~mask);
  return out;
}
int64_t bit_count(Str s) {
  int64_t n = 0;
  for (char c : s) n += std::popcount(static_cast<uint8_t>(c));
  return n;
}

const ScalarEntry kByteaEntries[] = {
    {"bytea_substr", kernel<substring_count>},
    {"bytea_substr_no_len", kernel<substring_from_byte>},
    {"byteaoverlay", kernel<overlay_count>},
    {"byteaoverlay_no_len", kernel<overlay>},
    {"byteapos", kernel<position>},
    {"byteatrim", kernel<trim_both>},
    {"bytealtrim", kernel<trim_left>},
    {"byteartrim", kernel<trim_right>},
    {"byteaGetByte", kernel<get_byte>},
    {"byteaSetByte", kernel<set_byte>},
    {"byteaGetBit", kernel<get_bit_of_bytes>},
    {"byteaSetBit", kernel<set_bit_of_bytes>},
    {"bytea_bit_count", kernel<bit_count>},
};

}  // namespace

std::span<const ScalarEntry> bytea_functions() { return kByteaEntries; }

}  // namespace indigo::types
