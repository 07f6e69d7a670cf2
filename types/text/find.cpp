#include "types/text/find.h"

#include <algorithm>
#include <cstring>

#include "base/fiber/long_work.h"
#include "base/utf8.h"

namespace indigo::types {

namespace {

constexpr size_t kShortBytes = 64;
constexpr size_t kPieceBytes = size_t{1} << 20;

}  // namespace

size_t find_in(std::string_view haystack, std::string_view needle, size_t from) {
  if (from > haystack.size()) return std::string_view::npos;
  if (haystack.size() - from <= kShortBytes || needle.size() <= 1) return haystack.find(needle, from);
  // memmem is linear. Pieces overlap by all but one byte of the needle.
  const size_t piece = std::max(kPieceBytes, 4 * needle.size());
  while (haystack.size() - from >= needle.size()) {
    const size_t bytes = std::min(piece, haystack.size() - from);
    const char* const begin = haystack.data() + from;
    const auto* const hit = static_cast<const char*>(memmem(begin, bytes, needle.data(), needle.size()));
    note_work((hit != nullptr ? static_cast<size_t>(hit - begin) : bytes) + needle.size());
    if (hit != nullptr) return static_cast<size_t>(hit - haystack.data());
    if (bytes < piece) break;
    from += bytes - needle.size() + 1;
  }
  return std::string_view::npos;
}

CharactersOf::CharactersOf(std::string_view characters) {
  note_work(4 * characters.size());
  for (size_t i = 0; i < characters.size();) {
    const size_t n = utf8_length(characters[i]);
    const auto first = static_cast<uint8_t>(characters[i]);
    if (first < ascii_.size()) {
      ascii_.set(first);
    } else {
      others_.push_back(characters.substr(i, n));
    }
    i += n;
  }
  std::sort(others_.begin(), others_.end());
  others_.erase(std::unique(others_.begin(), others_.end()), others_.end());
}

bool CharactersOf::contains(std::string_view character) const {
  const auto first = static_cast<uint8_t>(character[0]);
  return first < ascii_.size() ? ascii_.test(first) : std::binary_search(others_.begin(), others_.end(), character);
}

}  // namespace indigo::types
