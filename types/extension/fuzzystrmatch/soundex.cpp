#include "types/extension/fuzzystrmatch/fuzzystrmatch.h"
#include "types/text/ascii.h"

namespace indigo::types::fuzzystrmatch {

namespace {

// A letter's class of sounds; 0 has vowels and what is like them. What is no letter is a class of its own.
char sound_class(char c) {
  constexpr std::string_view kClasses = "01230120022455012623010202";
  const char capital = ascii_upper(c);
  return is_alpha(c) ? kClasses[static_cast<size_t>(capital - 'A')] : capital;
}

}  // namespace

std::string soundex(Str text) {
  constexpr size_t kLength = 4;
  size_t at = 0;
  while (at < text.size() && !is_alpha(text[at])) at++;
  if (at == text.size()) return {};
  std::string out(1, ascii_upper(text[at]));
  for (at++; at < text.size() && out.size() < kLength; at++) {
    const char sound = sound_class(text[at]);
    if (is_alpha(text[at]) && sound != '0' && sound != sound_class(text[at - 1])) out += sound;
  }
  out.resize(kLength, '0');
  return out;
}

}  // namespace indigo::types::fuzzystrmatch
