#include "types/value/locale.h"

#include <unicode/uloc.h>

#include "types/text/ascii.h"

namespace indigo::types {

namespace {

// As the C library compares names of encodings: letters and digits alone, in lower case.
bool is_utf8_name(std::string_view codeset) {
  std::string plain;
  for (const char c : codeset)
    if (is_alnum(c)) plain.push_back(ascii_lower(c));
  return plain == "utf8";
}

bool all_of_case(std::string_view s, bool (*is)(char)) {
  for (const char c : s)
    if (!is(c)) return false;
  return true;
}
bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

}  // namespace

std::optional<LibcLocale> libc_locale(std::string_view name) {
  using Kind = LibcLocale::Kind;
  if (name == "C" || name == "POSIX") return LibcLocale{Kind::kC, {}};
  std::string_view rest = name, modifier, codeset;
  if (const size_t at = rest.find('@'); at != std::string_view::npos) {
    modifier = rest.substr(at + 1);
    rest = rest.substr(0, at);
  }
  const size_t dot = rest.find('.');
  if (dot != std::string_view::npos) {
    codeset = rest.substr(dot + 1);
    rest = rest.substr(0, dot);
    if (!is_utf8_name(codeset)) return std::nullopt;
  }
  if (rest == "C")
    return modifier.empty() && !codeset.empty() ? std::optional(LibcLocale{Kind::kCodePoint, {}}) : std::nullopt;
  const size_t line = rest.find('_');
  if (line != 2 && line != 3) return std::nullopt;
  const std::string language(rest.substr(0, line)), country(rest.substr(line + 1));
  if (!all_of_case(language, is_small) || !all_of_case(country, is_capital)) return std::nullopt;
  std::string icu = language + "_" + country;
  if (modifier == "latin") icu = language + "_Latn_" + country;
  if (modifier == "cyrillic") icu = language + "_Cyrl_" + country;
  if (modifier == "devanagari") icu = language + "_Deva_" + country;
  if (*uloc_getISO3Language(icu.c_str()) == '\0' || *uloc_getISO3Country(icu.c_str()) == '\0') return std::nullopt;
  return LibcLocale{Kind::kLanguage, std::move(icu)};
}

std::string no_locale_data(std::string_view name) {
  return "The operating system could not find any locale data for the locale name \"" + std::string(name) + "\".";
}

}  // namespace indigo::types
