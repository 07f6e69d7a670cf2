#include "types/value/letters.h"

#include <unicode/ubrk.h>
#include <unicode/uchar.h>

#include "base/memory/memory_reserve.h"
#include "base/utf8.h"
#include "types/text/ascii.h"
#include "types/value/utf16.h"

namespace indigo::types {

namespace {

constexpr char32_t kDotlessI = 0x131, kDottedCapitalI = 0x130;

struct CloseWords {
  void operator()(UBreakIterator* words) const { ubrk_close(words); }
};
using WordBreaks = std::unique_ptr<UBreakIterator, CloseWords>;

WordBreaks open_words(const std::string& locale) {
  const MustNotFail scope;  // what ICU could not set up the first time it never tries again
  UErrorCode status = U_ZERO_ERROR;
  return WordBreaks(ubrk_open(UBRK_WORD, locale.c_str(), nullptr, 0, &status));
}

bool is_ascii_digit(char32_t c) { return c >= '0' && c <= '9'; }

}  // namespace

Letters::Letters(std::string locale, bool single)
    : locale_(std::move(locale)),
      single_(single),
      turkish_(locale_.starts_with("tr_") || locale_.starts_with("az_")),
      ascii_(locale_ == kAscii) {}

char32_t Letters::upper(char32_t c) const {
  if (ascii_ && c >= 0x80) return c;
  if (turkish_ && c == 'i') return kDottedCapitalI;
  return static_cast<char32_t>(u_toupper(static_cast<UChar32>(c)));
}

char32_t Letters::lower(char32_t c) const {
  if (ascii_ && c >= 0x80) return c;
  if (turkish_ && c == 'I') return kDotlessI;
  return static_cast<char32_t>(u_tolower(static_cast<UChar32>(c)));
}

// The C library counts the digits of other scripts among the letters.
bool Letters::is_alpha(char32_t c) const {
  const auto u = static_cast<UChar32>(c);
  if (ascii_ && c >= 0x80) return false;
  if (!single_) return u_isalpha(u) != 0;
  return u_hasBinaryProperty(u, UCHAR_ALPHABETIC) != 0 ||
         (u_charType(u) == U_DECIMAL_DIGIT_NUMBER && !is_ascii_digit(c));
}

bool Letters::is_alnum(char32_t c) const {
  return is_alpha(c) || (single_ ? is_ascii_digit(c) : u_isdigit(static_cast<UChar32>(c)) != 0);
}

bool Letters::is_space(char32_t c) const {
  if (!single_) return u_isspace(static_cast<UChar32>(c)) != 0;
  const bool no_break = c == 0xA0 || c == 0x2007 || c == 0x202F;
  return (c >= '\t' && c <= '\r') || ((U_GET_GC_MASK(static_cast<UChar32>(c)) & U_GC_Z_MASK) != 0 && !no_break);
}

std::string Letters::fold_single(Str text, Case to) const {
  std::string out;
  out.reserve(text.size() + 4);
  bool inside = false;
  const bool ascii = is_ascii(text) && !turkish_;
  for (size_t at = 0; at < text.size();) {
    const size_t length = ascii ? 1 : std::min(utf8_length(text[at]), text.size() - at);
    const bool capital = to == Case::kUpper || (to == Case::kTitle && !inside);
    if (length == 1 && !turkish_) {
      out.push_back(capital ? ascii_upper(text[at]) : ascii_lower(text[at]));
      inside = types::is_alnum(text[at]);
    } else {
      const char32_t c = utf8_decode(text, at);
      utf8_append(capital ? upper(c) : lower(c), out);
      if (to == Case::kTitle) inside = is_alnum(c);
    }
    at += length;
  }
  return out;
}

std::string Letters::fold(Str text, Case to) const {
  if (single_) return fold_single(text, to);
  const std::vector<UChar> from = to_utf16(text);
  const WordBreaks words = to == Case::kTitle ? open_words(locale_) : nullptr;
  const auto size = static_cast<int32_t>(from.size());
  std::vector<UChar> out(from.size() + 8);
  const auto map = [&](UErrorCode* status) {
    const auto room = static_cast<int32_t>(out.size());
    switch (to) {
      case Case::kUpper: return u_strToUpper(out.data(), room, from.data(), size, locale_.c_str(), status);
      case Case::kLower: return u_strToLower(out.data(), room, from.data(), size, locale_.c_str(), status);
      case Case::kTitle: break;
    }
    return u_strToTitle(out.data(), room, from.data(), size, words.get(), locale_.c_str(), status);
  };
  UErrorCode status = U_ZERO_ERROR;
  int32_t length = map(&status);
  if (status == U_BUFFER_OVERFLOW_ERROR) {
    out.resize(static_cast<size_t>(length));
    status = U_ZERO_ERROR;
    length = map(&status);
  }
  check_icu_memory(status);
  if (U_FAILURE(status)) return std::string(text);
  out.resize(static_cast<size_t>(length));
  return to_utf8(out);
}

}  // namespace indigo::types
