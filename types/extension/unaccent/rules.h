// What becomes of which characters.
// Thread safety: constants.
#pragma once

#include <span>
#include <string_view>

namespace indigo::types::unaccent {

struct Rule {
  std::string_view replacement, characters;
};
std::span<const Rule> rules();

}  // namespace indigo::types::unaccent
