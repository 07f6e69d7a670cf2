#include "types/text/keyword_table.h"

#include <absl/container/flat_hash_map.h>

#include "types/text/keywords.h"

namespace indigo::types {
namespace {

struct Hashed {
  std::string_view word;
  uint32_t hash;

  friend bool operator==(const Hashed& a, const Hashed& b) { return a.hash == b.hash && a.word == b.word; }
};
struct GivenHash {
  size_t operator()(const Hashed& h) const { return h.hash; }
};
using KeywordNumbers = absl::flat_hash_map<Hashed, int, GivenHash>;

KeywordNumbers make_numbers() {
  KeywordNumbers out;
  int number = 0;
  for (const Keyword& keyword : keywords()) out.emplace(Hashed{keyword.word, word_hash(keyword.word)}, number++);
  return out;
}

}  // namespace

int find_keyword(std::string_view folded, uint32_t hash) {
  static const auto* const numbers = new KeywordNumbers(make_numbers());
  const auto found = numbers->find(Hashed{folded, hash});
  return found == numbers->end() ? -1 : found->second;
}

}  // namespace indigo::types
