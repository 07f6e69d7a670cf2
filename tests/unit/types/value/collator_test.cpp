// Collator: ICU's order, also where it stands for the C library's, and its keys.
#include "types/value/collator.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "types/value/key_codec.h"

namespace indigo::types {
namespace {

std::unique_ptr<const Collator> open(const std::string& locale, bool deterministic = true) {
  auto collator = Collator::open(locale, deterministic);
  EXPECT_TRUE(collator.ok());
  return std::move(*collator);
}

std::unique_ptr<const Collator> open_libc(const std::string& locale) {
  auto collator = Collator::open_libc(locale);
  EXPECT_TRUE(collator.ok());
  return std::move(*collator);
}

int sign(int c) { return c < 0 ? -1 : c > 0 ? 1 : 0; }

TEST(Collator, OrdersByItsLocale) {
  const auto german = open("de"), swedish = open("sv");
  EXPECT_LT(german->compare("a", "B"), 0);
  EXPECT_LT(german->compare("ä", "z"), 0);
  EXPECT_GT(swedish->compare("ä", "z"), 0);
  EXPECT_NE(german->compare("a", "A"), 0);
}

TEST(Collator, DeterministicOnesTellDifferentBytesApart) {
  const std::string composed = "\u00e9", decomposed = "e\u0301";
  EXPECT_NE(open("und")->compare(composed, decomposed), 0);
  EXPECT_FALSE(open("und")->equal(composed, decomposed));
  const auto loose = open("und", false);
  EXPECT_EQ(loose->compare(composed, decomposed), 0);
  EXPECT_TRUE(loose->equal(composed, decomposed));
  const auto caseless = open("und-u-ks-level2", false);
  EXPECT_TRUE(caseless->equal("abc", "ABC"));
  std::string a, b;
  caseless->append_equality_key("abc", a);
  caseless->append_equality_key("ABC", b);
  EXPECT_EQ(a, b);
}

TEST(Collator, KeysCompareAsTextsDo) {
  const char* const kPieces[] = {"",  "a", "A", "b", "ä",  "Ä", "e\u0301", "é",
                                 "z", "-", " ", "1", "10", "ß", "ss",      "\U0001F600"};
  std::mt19937_64 random(17);
  for (const bool deterministic : {true, false}) {
    for (const char* locale : {"und", "de", "sv", "und-u-ks-level2", "en-u-kn-true", "en_US"}) {
      const auto collator = deterministic && locale[2] == '_' ? open_libc(locale) : open(locale, deterministic);
      KeyColumn column{oid::kText, Phys::kStr, kInvalidOid, false, false, true, collator.get()};
      const KeyLayout ascending({column});
      column.descending = true;
      const KeyLayout descending({column});
      for (int i = 0; i < 2000; i++) {
        std::string a, b;
        for (uint64_t n = random() % 4; n > 0; n--) a += kPieces[random() % std::size(kPieces)];
        for (uint64_t n = random() % 4; n > 0; n--) b += kPieces[random() % std::size(kPieces)];
        const int expected = sign(collator->compare(a, b));
        std::string x, y;
        ascending.append_column(0, Datum::of(Str(a)), x);
        ascending.append_column(0, Datum::of(Str(b)), y);
        EXPECT_EQ(sign(x.compare(y)), expected) << locale << ": " << a << " and " << b;
        EXPECT_TRUE(x == y || !x.starts_with(y)) << "a key is a prefix of another";
        x.clear();
        y.clear();
        descending.append_column(0, Datum::of(Str(a)), x);
        descending.append_column(0, Datum::of(Str(b)), y);
        EXPECT_EQ(sign(x.compare(y)), -expected) << locale << ": " << a << " and " << b;
      }
    }
  }
}

// What glibc 2.36 answers for en_US.utf8.
TEST(Collator, PassesOverPunctuationAsTheCLibraryDoes) {
  const auto english = open_libc("en_US");
  std::vector<std::string> texts = {
      "",        "\"ab\"", "(ab)",    "a b",     "a-b", "a.b", "a/b", "a_b", "ab",  "aB",  "Ab", "AB",
      "áb",      "âb",     "ab1",     "ab10",    "ab2", "abc", "a c", "a-c", "ac",  "A c", "Ac", "de luge",
      "de-luge", "deluge", "de Luge", "De luge", "e",   "E",   "é",   "É",   "e a", "ea",  "Ea", "éa"};
  const std::vector<std::string> expected = texts;
  std::shuffle(texts.begin(), texts.end(), std::mt19937_64(16));
  std::sort(texts.begin(), texts.end(),
            [&](const std::string& a, const std::string& b) { return english->compare(a, b) < 0; });
  EXPECT_EQ(texts, expected);
  std::shuffle(texts.begin(), texts.end(), std::mt19937_64(17));
  const auto key = [&](const std::string& text) {
    std::string out;
    english->append_key(text, out);
    return out;
  };
  std::sort(texts.begin(), texts.end(), [&](const std::string& a, const std::string& b) { return key(a) < key(b); });
  EXPECT_EQ(texts, expected);
  EXPECT_EQ(english->version(), open("en_US")->version() + ".1");
}

TEST(Collator, TakesAnyBytes) {
  const auto collator = open("de"), libc = open_libc("de_DE");
  std::mt19937_64 random(18);
  for (int i = 0; i < 2000; i++) {
    std::string a(random() % 20, '\0'), b(random() % 20, '\0'), key;
    for (char& c : a) c = static_cast<char>(random());
    for (char& c : b) c = static_cast<char>(random());
    EXPECT_EQ(sign(collator->compare(a, b)), -sign(collator->compare(b, a)));
    collator->append_key(a, key);
    libc->append_key(a, key);
    EXPECT_EQ(sign(libc->compare(a, b)), -sign(libc->compare(b, a)));
  }
}

}  // namespace
}  // namespace indigo::types
