// gin_trgm_ops and gist_trgm_ops: a text's keys are its trigrams. A pattern of LIKE needs those of its fixed pieces.
#include <algorithm>
#include <cmath>

#include "base/fiber/long_sort.h"
#include "types/extension/pg_trgm/threshold.h"
#include "types/extension/pg_trgm/trigrams.h"
#include "types/inverted/inverted_class.h"
#include "types/text/ascii.h"

namespace indigo::types::trgm {

namespace {

enum Strategy : uint8_t {
  kSimilar = 1,
  kDistance = 2,
  kLike = 3,
  kILike = 4,
  kWordSimilar = 7,
  kWordDistance = 8,
  kStrictWordSimilar = 9,
  kStrictWordDistance = 10,
  kEqual = 11
};

constexpr StrategySet kStrategies = {kSimilar, kLike, kILike, kWordSimilar, kStrictWordSimilar, kEqual};

std::string key_of(Trigram trigram) { return text_of(trigram); }

void keys_of(const InvertedColumn&, const Datum& value, std::vector<std::string>& keys) {
  for (const Trigram t : set_of(value.str)) keys.push_back(key_of(t));
}

std::vector<KeyQuery> keys(const std::vector<Trigram>& trigrams) {
  std::vector<KeyQuery> out;
  for (const Trigram t : trigrams) out.push_back(with_key(key_of(t)));
  return out;
}

// One stretch of letters and digits of a pattern: where a wildcard stands beside it, the word may go on.
void add_piece(const std::string& letters, bool begins, bool ends, std::vector<Trigram>& out) {
  const std::string padded = (begins ? "  " : "") + letters + (ends ? " " : "");
  for (size_t i = 0; i + 3 <= padded.size(); i++) {
    const auto byte = [&](size_t at) { return static_cast<Trigram>(static_cast<uint8_t>(padded[i + at])); };
    out.push_back(byte(0) << 16 | byte(1) << 8 | byte(2));
  }
}

std::vector<Trigram> trigrams_of_pattern(Str pattern) {
  std::vector<Trigram> out;
  std::string letters;
  bool begins = true;  // what stands before `letters` ends a word
  const auto end_piece = [&](bool ends) {
    if (!letters.empty()) add_piece(letters, begins, ends, out);
    letters.clear();
    begins = ends;
  };
  for (size_t i = 0; i < pattern.size(); i++) {
    char c = pattern[i];
    if (c == '%' || c == '_') {
      end_piece(false);
      continue;
    }
    if (c == '\\' && i + 1 < pattern.size()) c = pattern[++i];
    if (is_alnum(c)) {
      letters += ascii_lower(c);
    } else {
      end_piece(true);
    }
  }
  end_piece(true);
  std::sort(out.begin(), out.end(), noted_order());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// A text is so similar to the other, or a part of it, only if it has this part of the other's trigrams.
KeyQuery at_least_so_similar(double similarity, Str text) {
  const std::vector<Trigram> wanted = set_of(text);
  if (wanted.empty() || similarity <= 0) return every_row();
  constexpr double kRounded = 1e-6;  // similarities are floats
  const double needed = std::ceil(similarity * static_cast<double>(wanted.size()) * (1 - kRounded));
  return with_some(static_cast<uint32_t>(std::max(1.0, needed)), keys(wanted));
}

KeyQuery similar(FuncContext& context, Match match, Str text) {
  const auto least = threshold(context, match);
  return least ? at_least_so_similar(*least, text) : every_row();
}

// Each ring is of texts that may have so many times fewer trigrams of the place's, down to one.
constexpr double kLessSimilar = 1.6;

// Distances are what is missing to a similarity of one.
KeyQuery around(const InvertedColumn&, const Datum& place, double distance) {
  const double similarity = 1 - distance;
  if (similarity * static_cast<double>(set_of(place.str).size()) * kLessSimilar < 1) return every_row();
  return at_least_so_similar(similarity, place.str);
}
double first_ring(const InvertedColumn&, const Datum&) { return 0.3; }

double next_ring(double radius) { return 1 - (1 - radius) / kLessSimilar; }

constexpr Rings kRings = {{kDistance, kWordDistance, kStrictWordDistance}, around, first_ring, 0, next_ring};

// Beyond C other characters are 'i' and 'k' in another case, or, in Turkish and Lithuanian, 'i' with a mark behind it; and they are
// no letters of trigrams: what has these is not asked for.
KeyQuery like_in_any_case(const InvertedColumn& column, Str pattern) {
  std::vector<Trigram> wanted = trigrams_of_pattern(pattern);
  if (!column.c_letters) {
    for (const std::string_view other : {"\u212a", "\u0130", "\u0131", "\u0307", "\u00cc", "\u00cd", "\u0128"}) {
      if (pattern.find(other) != Str::npos) return every_row();
    }
    std::erase_if(wanted, [](Trigram t) {
      const std::string letters = text_of(t);
      return letters.find('i') != std::string::npos || letters.find('k') != std::string::npos;
    });
  }
  return with_all(keys(wanted));
}

KeyQuery query_of(FuncContext& context, const InvertedColumn& column, int strategy, const Datum& value) {
  switch (strategy) {
    case kSimilar: return similar(context, Match::kText, value.str);
    case kWordSimilar: return similar(context, Match::kWord, value.str);
    case kStrictWordSimilar: return similar(context, Match::kStrictWord, value.str);
    case kILike: return like_in_any_case(column, value.str);
    case kLike: return with_all(keys(trigrams_of_pattern(value.str)));
    case kEqual: return with_all(keys(set_of(value.str)));
    default: return every_row();
  }
}

}  // namespace

const InvertedClass kTrigramKeys = {
    "gin_extract_query_trgm", InvertedClass::Element::kNone, kStrategies, keys_of, query_of, false, nullptr, true};
const InvertedClass kTrigramGist = {
    "gtrgm_consistent", InvertedClass::Element::kNone, kStrategies, keys_of, query_of, false, &kRings, true};

}  // namespace indigo::types::trgm
