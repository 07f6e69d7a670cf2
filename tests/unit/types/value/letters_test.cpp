// Letters: upper and lower case, and classes, as ICU's locales and the C library's have them.
#include "types/value/letters.h"

#include <random>

#include <gtest/gtest.h>

#include "types/value/locale.h"

namespace indigo::types {
namespace {

using Case = Letters::Case;

TEST(Letters, FoldByTheirLocale) {
  EXPECT_EQ(Letters::of_icu("de")->fold("straße", Case::kUpper), "STRASSE");
  EXPECT_EQ(Letters::of_icu("tr")->fold("I", Case::kLower), "ı");
  EXPECT_EQ(Letters::of_icu("en")->fold("élan VITAL", Case::kTitle), "Élan Vital");
  EXPECT_EQ(Letters::of_icu("en")->fold("", Case::kUpper), "");
}

TEST(Letters, OfTheCLibraryAreMappedOneByOne) {
  const auto english = Letters::of_libc("en_US"), turkish = Letters::of_libc("tr_TR"), none = Letters::of_libc("");
  EXPECT_EQ(english->fold("straße ñ", Case::kUpper), "STRAßE Ñ");
  EXPECT_EQ(none->fold("ÀÉ x", Case::kLower), "àé x");
  EXPECT_EQ(turkish->fold("ıi", Case::kUpper), "Iİ");
  EXPECT_EQ(turkish->fold("Iİ", Case::kLower), "ıi");
  EXPECT_EQ(english->fold("o'neil élan-VITAL 3rd", Case::kTitle), "O'Neil Élan-Vital 3rd");
  EXPECT_TRUE(english->is_alpha(0x660)) << "the digits of other scripts are letters";
  EXPECT_FALSE(english->is_alpha('5'));
  EXPECT_FALSE(english->is_space(0xA0));
  EXPECT_TRUE(english->is_space(0x2003));
}

TEST(Letters, TakeAnyBytes) {
  const auto icu = Letters::of_icu("de"), libc = Letters::of_libc("de_DE");
  std::mt19937_64 random(18);
  for (int i = 0; i < 2000; i++) {
    std::string a(random() % 20, '\0');
    for (char& c : a) c = static_cast<char>(random());
    for (const Case to : {Case::kUpper, Case::kLower, Case::kTitle}) {
      icu->fold(a, to);
      libc->fold(a, to);
    }
  }
}

TEST(Locale, ReadsTheNamesOfTheCLibrary) {
  using Kind = LibcLocale::Kind;
  for (const char* name : {"C", "POSIX"}) EXPECT_EQ(libc_locale(name), (LibcLocale{Kind::kC, ""})) << name;
  for (const char* name : {"C.utf8", "C.UTF-8"})
    EXPECT_EQ(libc_locale(name), (LibcLocale{Kind::kCodePoint, ""})) << name;
  for (const char* name : {"en_US", "en_US.utf8", "en_US.UTF-8"})
    EXPECT_EQ(libc_locale(name), (LibcLocale{Kind::kLanguage, "en_US"})) << name;
  EXPECT_EQ(libc_locale("sr_RS.utf8@latin"), (LibcLocale{Kind::kLanguage, "sr_Latn_RS"}));
  EXPECT_EQ(libc_locale("de_DE@euro"), (LibcLocale{Kind::kLanguage, "de_DE"}));
  for (const char* name :
       {"", "foo", "en", "en_", "xx_US.utf8", "en_XX", "en_US.iso88591", "C.latin1", "C.", "en-US", "EN_US"})
    EXPECT_EQ(libc_locale(name), std::nullopt) << name;
}

}  // namespace
}  // namespace indigo::types
