// What becomes of which characters.
// Thread safety: constants; a set of rules is immutable once made.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "types/value/datum.h"

namespace indigo::types::unaccent {

struct Rule {
  std::string_view replacement, characters;
};
// Those of PostgreSQL's file unaccent.rules.
std::span<const Rule> rules();

class Replacements {
 public:
  // `from` may be several characters. The first of equal ones stays.
  void add(std::string_view from, std::string_view to);
  // Appends the text with the longest of them replaced everywhere. False: there was none.
  bool replace(Str text, std::string& out) const;

 private:
  std::map<std::string, std::string, std::less<>> all_;
  size_t longest_ = 0;
  bool begins_[256] = {};  // the first bytes that there are
};
const Replacements& builtin_replacements();

}  // namespace indigo::types::unaccent
