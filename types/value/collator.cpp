#include "types/value/collator.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <vector>

#include <unicode/uchar.h>
#include <unicode/ucol.h>

#include "base/fiber/long_work.h"
#include "base/memory/memory_reserve.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/value/key_codec.h"
#include "types/value/letters.h"
#include "types/value/utf16.h"

namespace indigo::types {

namespace {

// The order of what the C library's locales stand for; another number: keys of other bytes.
constexpr const char* kLibcOrderVersion = "1";

// Where glibc has a capital in front of its small letter; ICU has only some of these so.
bool has_capitals_first(std::string_view locale) {
  constexpr std::string_view kLanguages[] = {"az", "crh", "da", "et", "fo", "ja", "kl", "ku", "mt", "nb", "nn", "tr"};
  constexpr std::string_view kLocales[] = {"en_CA", "en_DK", "fr_CA", "ik_CA", "iu_CA", "shs_CA"};
  const std::string_view language = locale.substr(0, locale.find('_'));
  return std::find(std::begin(kLanguages), std::end(kLanguages), language) != std::end(kLanguages) ||
         std::find(std::begin(kLocales), std::end(kLocales), locale) != std::end(kLocales);
}

// Whether the C library looks at a character only where strings are equal without it: blanks, punctuation and symbols, but
// not the signs of currencies.
bool is_passed_over(char32_t c) {
  constexpr uint32_t kMasks = U_GC_Z_MASK | U_GC_P_MASK | U_GC_SM_MASK | U_GC_SK_MASK | U_GC_SO_MASK;
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & kMasks) != 0;
}

// The fourth level: characters that are passed over, by their numbers, are in front of all others; then comes the end of the
// shorter string.
enum FourthLevel : uint8_t { kEnd = 0, kPassedOver = 1, kOther = 0xFF };

void append_fourth_level(Str text, std::string& out) {
  for (size_t at = 0; at < text.size(); at += utf8_length(text[at])) {
    const char32_t c = utf8_decode(text, at);
    if (is_passed_over(c)) {
      for (const uint32_t byte : {uint32_t{kPassedOver}, c >> 16, c >> 8 & 0xFF, c & 0xFF})
        out.push_back(static_cast<char>(byte));
    } else {
      out.push_back(static_cast<char>(kOther));
    }
  }
  out.push_back(static_cast<char>(kEnd));
}

int compare_fourth_level(Str a, Str b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const char32_t c = utf8_decode(a, i), d = utf8_decode(b, j);
    if (c != d) {
      const bool c_over = is_passed_over(c), d_over = is_passed_over(d);
      if (c_over != d_over) return c_over ? -1 : 1;
      if (c_over) return c < d ? -1 : 1;
    }
    i += utf8_length(a[i]);
    j += utf8_length(b[j]);
  }
  return i < a.size() ? 1 : j < b.size() ? -1 : 0;
}

std::string small_letters(Str text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

}  // namespace

const Collator& Collator::case_insensitive() {
  static const Collator kCaseInsensitive(small_letters, true);
  return kCaseInsensitive;
}

Result<std::unique_ptr<const Collator>> Collator::open(const std::string& locale, bool deterministic) {
  UErrorCode status = U_ZERO_ERROR;
  const MustNotFail scope;  // what ICU could not set up the first time it never tries again
  UCollator* collator = ucol_open(locale.c_str(), &status);
  check_icu_memory(status);
  if (U_FAILURE(status)) {
    return Error(sqlstate::kInvalidParameterValue,
                 "could not open collator for locale \"" + locale + "\": " + u_errorName(status));
  }
  return std::unique_ptr<const Collator>(new Collator(collator, locale, deterministic, false));
}

Result<std::unique_ptr<const Collator>> Collator::open_libc(const std::string& locale) {
  UErrorCode status = U_ZERO_ERROR;
  const MustNotFail scope;
  UCollator* collator = ucol_open(locale.c_str(), &status);
  check_icu_memory(status);
  if (U_SUCCESS(status)) {
    ucol_setAttribute(collator, UCOL_ALTERNATE_HANDLING, UCOL_SHIFTED, &status);
    ucol_setMaxVariable(collator, UCOL_REORDER_CODE_SYMBOL, &status);
    ucol_setAttribute(collator, UCOL_STRENGTH, UCOL_TERTIARY, &status);
    ucol_setAttribute(collator, UCOL_CASE_FIRST, has_capitals_first(locale) ? UCOL_UPPER_FIRST : UCOL_OFF, &status);
  }
  if (U_FAILURE(status)) {
    return Error(sqlstate::kInvalidParameterValue,
                 "could not open collator for locale \"" + locale + "\": " + u_errorName(status));
  }
  return std::unique_ptr<const Collator>(new Collator(collator, locale, true, true));
}

Collator::~Collator() {
  if (collator_ != nullptr) ucol_close(collator_);
}

std::string Collator::version() const {
  if (order_ != nullptr) return order_->version();
  if (collator_ == nullptr) return {};
  UVersionInfo version;
  ucol_getVersion(collator_, version);
  char text[U_MAX_VERSION_STRING_LENGTH];
  u_versionToString(version, text);
  return passes_over_ ? std::string(text) + "." + kLibcOrderVersion : text;
}

std::string Collator::library() {
  UVersionInfo version;
  u_getVersion(version);
  char text[U_MAX_VERSION_STRING_LENGTH];
  u_versionToString(version, text);
  return std::string("ICU ") + text + ", libc order " + kLibcOrderVersion;
}

int Collator::compare(Str a, Str b) const {
  if (values_ != nullptr) return values_->compare(Datum::of(a), Datum::of(b));
  if (members_ != nullptr) return a.compare(b);
  if (letters_ != nullptr)
    return collate(order_, letters_->fold(a, Letters::Case::kLower), letters_->fold(b, Letters::Case::kLower));
  if (collator_ == nullptr) return key_(a).compare(key_(b));
  UErrorCode status = U_ZERO_ERROR;
  const UCollationResult result = ucol_strcollUTF8(collator_, a.data(), static_cast<int32_t>(a.size()), b.data(),
                                                   static_cast<int32_t>(b.size()), &status);
  check_icu_memory(status);
  if (result != UCOL_EQUAL) return result == UCOL_LESS ? -1 : 1;
  if (passes_over_) {
    if (const int c = compare_fourth_level(a, b); c != 0) return c;
  }
  return deterministic_ ? a.compare(b) : 0;
}

void Collator::append_equality_key(Str text, std::string& out) const {
  if (deterministic_) {
    out.append(text);
    return;
  }
  append_key(text, out);
}

void Collator::append_key(Str text, std::string& out) const {
  if (values_ != nullptr) return append_value_key(Datum::of(text), out);
  if (members_ != nullptr) return append_escaped_text(text, out);
  if (letters_ != nullptr) {
    const std::string small = letters_->fold(text, Letters::Case::kLower);
    return order_ == nullptr ? append_escaped_text(small, out) : order_->append_key(small, out);
  }
  if (collator_ == nullptr) return append_escaped_text(key_(text), out);
  note_work(500 + 10 * text.size());
  const std::vector<UChar> units = to_utf16(text);
  const size_t from = out.size();
  // Most sort keys are shorter than this; the call says how long the key is.
  size_t room = units.size() * 4 + 16;
  while (true) {
    out.resize(from + room);
    const auto length =
        static_cast<size_t>(ucol_getSortKey(collator_, units.data(), static_cast<int32_t>(units.size()),
                                            reinterpret_cast<uint8_t*>(out.data() + from), static_cast<int32_t>(room)));
    if (length == 0) throw std::bad_alloc();  // the key of nothing has its end
    if (length <= room) {
      out.resize(from + length);
      break;
    }
    room = length;
  }
  if (passes_over_) append_fourth_level(text, out);
  if (deterministic_) append_escaped_text(text, out);
}

}  // namespace indigo::types
