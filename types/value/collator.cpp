#include "types/value/collator.h"

#include <new>
#include <vector>

#include <unicode/ubrk.h>
#include <unicode/ucol.h>
#include <unicode/ustring.h>

#include "base/fiber/long_work.h"
#include "base/memory/memory_reserve.h"
#include "base/sqlstate.h"
#include "types/value/key_codec.h"

namespace indigo::types {

namespace {

// UTF-16, as most of ICU's interface wants it; bytes that are not UTF-8 become U+FFFD.
std::vector<UChar> to_utf16(Str text) {
  std::vector<UChar> out(text.size() + 1);
  int32_t length = 0;
  UErrorCode status = U_ZERO_ERROR;
  u_strFromUTF8WithSub(out.data(), static_cast<int32_t>(out.size()), &length, text.data(),
                       static_cast<int32_t>(text.size()), 0xFFFD, nullptr, &status);
  out.resize(static_cast<size_t>(length));
  return out;
}

std::string to_utf8(const std::vector<UChar>& text) {
  std::string out(text.size() * 3, '\0');
  int32_t length = 0;
  UErrorCode status = U_ZERO_ERROR;
  u_strToUTF8WithSub(out.data(), static_cast<int32_t>(out.size()), &length, text.data(),
                     static_cast<int32_t>(text.size()), 0xFFFD, nullptr, &status);
  out.resize(static_cast<size_t>(length));
  return out;
}

// A comparison, or a key, that could not be made would be in the wrong place of an index.
void check_memory(UErrorCode status) {
  if (status == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
}

struct CloseWords {
  void operator()(UBreakIterator* words) const { ubrk_close(words); }
};
using WordBreaks = std::unique_ptr<UBreakIterator, CloseWords>;

WordBreaks open_words(const std::string& locale) {
  const MustNotFail scope;  // what ICU could not set up the first time it never tries again
  UErrorCode status = U_ZERO_ERROR;
  return WordBreaks(ubrk_open(UBRK_WORD, locale.c_str(), nullptr, 0, &status));
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
  check_memory(status);
  if (U_FAILURE(status)) {
    return Error(sqlstate::kInvalidParameterValue,
                 "could not open collator for locale \"" + locale + "\": " + u_errorName(status));
  }
  return std::unique_ptr<const Collator>(new Collator(collator, locale, deterministic));
}

Collator::~Collator() {
  if (collator_ != nullptr) ucol_close(collator_);
}

std::string Collator::version() const {
  if (collator_ == nullptr) return {};
  UVersionInfo version;
  ucol_getVersion(collator_, version);
  char text[U_MAX_VERSION_STRING_LENGTH];
  u_versionToString(version, text);
  return text;
}

std::string Collator::library() {
  UVersionInfo version;
  u_getVersion(version);
  char text[U_MAX_VERSION_STRING_LENGTH];
  u_versionToString(version, text);
  return std::string("ICU ") + text;
}

int Collator::compare(Str a, Str b) const {
  if (values_ != nullptr) return values_->compare(Datum::of(a), Datum::of(b));
  if (members_ != nullptr) return a.compare(b);
  if (collator_ == nullptr) return key_(a).compare(key_(b));
  UErrorCode status = U_ZERO_ERROR;
  const UCollationResult result = ucol_strcollUTF8(collator_, a.data(), static_cast<int32_t>(a.size()), b.data(),
                                                   static_cast<int32_t>(b.size()), &status);
  check_memory(status);
  if (result != UCOL_EQUAL) return result == UCOL_LESS ? -1 : 1;
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
  if (deterministic_) append_escaped_text(text, out);
}

std::string Collator::fold(Str text, Case to) const {
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
  check_memory(status);
  if (U_FAILURE(status)) return std::string(text);
  out.resize(static_cast<size_t>(length));
  return to_utf8(out);
}

}  // namespace indigo::types
