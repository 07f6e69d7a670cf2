#include "types/value/order_labels.h"

#include <algorithm>

namespace indigo::types {

namespace {

using Wide = unsigned __int128;

constexpr Wide kDigits = Wide{1} << 64;
// At the ends, where there is room for ever.
constexpr Wide kStride = Wide{1} << 32;

constexpr Wide kPart = 1024;

}  // namespace

OrderLabel label_between(const OrderLabel* below, const OrderLabel* above, NextLabel next) {
  OrderLabel out;
  for (size_t i = 0;; i++) {
    // A digit may be any from `low` to `high`, both excluded: 0 follows the end of `below`, and no digit is too large where
    // `above` is left behind.
    const bool has_low = below != nullptr && i < below->size();
    const bool has_high = above != nullptr && i < above->size();
    const Wide low = has_low ? (*below)[i] : 0, high = has_high ? (*above)[i] : kDigits;
    const Wide gap = high - low;
    if (gap > 1) {
      Wide digit = low + gap / 2;
      const Wide part = std::max<Wide>(gap / kPart, 1), stride = std::min(gap / 2, kStride);
      if (has_low && above == nullptr) {
        digit = low + stride;
      } else if (has_high && below == nullptr) {
        digit = high - stride;
      } else if (next == NextLabel::kAbove) {
        digit = low + part;
      } else if (next == NextLabel::kBelow) {
        digit = high - part;
      }
      out.push_back(static_cast<uint64_t>(digit));
      return out;
    }
    out.push_back(static_cast<uint64_t>(low));
    if (gap == 1) above = nullptr;  // what follows is below it, whatever it is
  }
}

void append_label(const OrderLabel& label, std::string& out) {
  for (const uint64_t digit : label) {
    out.push_back('\1');
    for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(digit >> shift));
  }
  out.push_back('\0');
}

}  // namespace indigo::types
