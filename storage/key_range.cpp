#include "storage/key_range.h"

namespace indigo::storage {

KeyRange KeyRange::prefix(Bytes p) {
  KeyRange range;
  if (p.empty()) return range;
  range.low = std::string(p);
  range.has_low = true;
  // The least key above all that begin with p: drop trailing 0xff bytes, then count the last byte up.
  range.high = range.low;
  while (!range.high.empty() && static_cast<uint8_t>(range.high.back()) == 0xff) range.high.pop_back();
  if (range.high.empty()) return range;  // nothing but 0xff: the range ends with the key space
  range.high.back() = static_cast<char>(static_cast<uint8_t>(range.high.back()) + 1);
  range.has_high = true;
  range.high_inclusive = false;
  return range;
}

KeyRange KeyRange::point(Bytes k) {
  KeyRange range;
  range.low = std::string(k);
  range.high = range.low;
  range.has_low = range.has_high = true;
  return range;
}

}  // namespace indigo::storage
