// What letters are in one locale, and how they change between upper and lower case: the ctype half of a collation, as
// types/value/collator.h is the half that orders. No Letters (a null pointer) stands for C's, ASCII's, wherever they are asked
// for. ICU's own locales map whole texts (ß becomes SS); those that stand for the C library's map letter by letter, and their
// classes are the C library's.
// Thread safety: immutable; all functions are safe from any thread.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "types/value/physical.h"

namespace indigo::types {

class Letters {
 public:
  // Of an ICU locale or language tag.
  static std::unique_ptr<const Letters> of_icu(std::string locale) {
    return std::unique_ptr<const Letters>(new Letters(std::move(locale), false));
  }
  // Of the C library's locale that this one of ICU stands for; empty: C.UTF-8.
  static std::unique_ptr<const Letters> of_libc(std::string locale) {
    return std::unique_ptr<const Letters>(new Letters(std::move(locale), true));
  }

  // C's own, for who needs an object.
  static std::unique_ptr<const Letters> ascii() {
    return std::unique_ptr<const Letters>(new Letters(std::string(kAscii), true));
  }

  // kTitle: each word begins with a capital, the rest is lower case.
  enum class Case : uint8_t { kUpper, kLower, kTitle };
  std::string fold(Str text, Case to) const;

  bool is_alpha(char32_t c) const;
  bool is_alnum(char32_t c) const;
  bool is_space(char32_t c) const;

 private:
  static constexpr const char* kAscii = "C";
  Letters(std::string locale, bool single);
  std::string fold_single(Str text, Case to) const;
  char32_t upper(char32_t c) const;
  char32_t lower(char32_t c) const;

  const std::string locale_;
  const bool single_;   // letter by letter
  const bool turkish_;  // i and I are two letters
  const bool ascii_;
};

}  // namespace indigo::types
