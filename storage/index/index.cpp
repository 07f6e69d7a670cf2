#include "storage/index/index.h"

namespace indigo::storage {
namespace {

KeyRange up_to(Bytes key, bool or_equal) {
  KeyRange range;
  range.has_high = true;
  range.high.assign(key);
  range.high_inclusive = or_equal;
  return range;
}

bool last_of(Index& index, const KeyRange& range, std::string& found) {
  const auto scan = index.scan(range, Direction::kBackward);
  const auto last = scan->next(1);
  if (last.empty()) return false;
  found.assign(last.front().key);
  return true;
}

}  // namespace

bool Index::greatest(Bytes key, bool or_equal, std::string& found) {
  return last_of(*this, up_to(key, or_equal), found);
}

bool Index::greatest_near(Index& guess, Bytes key, bool or_equal, std::string& found) {
  KeyRange range = up_to(key, or_equal);
  range.has_low = guess.greatest(key, or_equal, range.low);
  if (range.has_low && last_of(*this, range, found)) return true;
  // What was guessed has gone.
  return Index::greatest(key, or_equal, found);
}

}  // namespace indigo::storage
