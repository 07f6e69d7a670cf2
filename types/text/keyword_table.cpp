#include "types/text/keyword_table.h"

#include <array>

#include "types/text/keywords.h"

namespace indigo::types {
namespace {

class KeywordTable {
 public:
  static const KeywordTable& instance() {
    static const KeywordTable table;
    return table;
  }

  int find(std::string_view folded, uint32_t hash) const {
    for (size_t at = hash % kPlaces; places_[at].number >= 0; at = (at + 1) % kPlaces) {
      if (places_[at].hash == hash && places_[at].word == folded) return places_[at].number;
    }
    return -1;
  }

 private:
  struct Place {
    std::string_view word;
    uint32_t hash = 0;
    int number = -1;
  };
  static constexpr size_t kPlaces = 2048;  // most of what is looked for is no keyword: an empty place says so at once

  KeywordTable() {
    int number = 0;
    for (const Keyword& keyword : keywords()) {
      const uint32_t hash = word_hash(keyword.word);
      size_t at = hash % kPlaces;
      while (places_[at].number >= 0) at = (at + 1) % kPlaces;
      places_[at] = {keyword.word, hash, number++};
    }
  }

  std::array<Place, kPlaces> places_;
};

}  // namespace

int find_keyword(std::string_view folded, uint32_t hash) { return KeywordTable::instance().find(folded, hash); }

}  // namespace indigo::types
