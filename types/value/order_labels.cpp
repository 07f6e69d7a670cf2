#include "types/value/order_labels.h"

#include <algorithm>

namespace indigo::types {

namespace {

using Wide = unsigned __int128;

constexpr Wide kDigits = Wide{1} << 64;
// At the ends, where there is room for ever.
constexpr Wide kStride = Wide{1} << 32;

// Beside the newest one little is taken, as the next one will come there too; else half.
Wide taken(Wide gap, bool beside_newest, bool open) {
  if (open) return std::min(gap / 2, kStride);
  return std::max<Wide>(beside_newest ? gap / 1024 : gap / 2, 1);
}

}  // namespace

OrderLabel label_between(const OrderLabel* below, const OrderLabel* above, NewestLabel newest) {
  OrderLabel out;
  for (size_t i = 0;; i++) {
    // A digit may be any from `low` to `high`, both excluded: 0 follows the end of `below`, and no digit is too large where
    // `above` is left behind.
    const bool has_low = below != nullptr && i < below->size();
    const bool has_high = above != nullptr && i < above->size();
    const Wide low = has_low ? (*below)[i] : 0, high = has_high ? (*above)[i] : kDigits;
    const Wide gap = high - low;
    if (gap > 1) {
      if (!has_low && !has_high) {
        out.push_back(static_cast<uint64_t>(kDigits / 2));
      } else if (newest == NewestLabel::kAbove || !has_low) {
        out.push_back(
            static_cast<uint64_t>(high - taken(gap, newest == NewestLabel::kAbove, !has_low && below == nullptr)));
      } else {
        out.push_back(
            static_cast<uint64_t>(low + taken(gap, newest == NewestLabel::kBelow, !has_high && above == nullptr)));
      }
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
