// Names of locales as the system's C library has them, and the locales of ICU that answer for them. The C library itself is
// never asked: what an index is ordered by must not depend on the machine that reads it.
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace indigo::types {

struct LibcLocale {
  enum class Kind : uint8_t {
    kC,          // C and POSIX: bytes, and ASCII's letters
    kCodePoint,  // C.UTF-8: bytes, and Unicode's letters
    kLanguage,
  } kind = Kind::kC;
  std::string icu;  // kLanguage: the name of ICU's locale

  bool operator==(const LibcLocale&) const = default;
};

// C, POSIX, C.utf8 and its kin, ll_CC, ll_CC.utf8, ll_CC.UTF-8, each perhaps with @modifier. Nothing for other names, for
// languages and countries that do not exist, and for other encodings than UTF-8.
std::optional<LibcLocale> libc_locale(std::string_view name);

// A locale as pg_database and pg_collation have it.
struct Locale {
  char provider = 'c';  // or i
  std::string collate = "C", ctype = "C";
  std::string icu;  // empty with provider c
  bool deterministic = true;

  bool operator==(const Locale&) const = default;
};

// PostgreSQL's words about a name that libc_locale does not know.
std::string no_locale_data(std::string_view name);

}  // namespace indigo::types
