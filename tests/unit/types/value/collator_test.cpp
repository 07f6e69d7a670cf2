// Collator: ICU's order, its keys and its case.
#include "types/value/collator.h"

#include <random>

#include <gtest/gtest.h>

#include "types/value/key_codec.h"

namespace indigo::types {
namespace {

std::unique_ptr<const Collator> open(const std::string& locale, bool deterministic = true) {
  auto collator = Collator::open(locale, deterministic);
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
    for (const char* locale : {"und", "de", "sv", "und-u-ks-level2", "en-u-kn-true"}) {
      const auto collator = open(locale, deterministic);
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

TEST(Collator, FoldsCaseByItsLocale) {
  EXPECT_EQ(open("de")->fold("straße", Collator::Case::kUpper), "STRASSE");
  EXPECT_EQ(open("tr")->fold("I", Collator::Case::kLower), "ı");
  EXPECT_EQ(open("en")->fold("élan VITAL", Collator::Case::kTitle), "Élan Vital");
  EXPECT_EQ(open("en")->fold("", Collator::Case::kUpper), "");
}

TEST(Collator, TakesAnyBytes) {
  const auto collator = open("de");
  std::mt19937_64 random(18);
  for (int i = 0; i < 2000; i++) {
    std::string a(random() % 20, '\0'), b(random() % 20, '\0'), key;
    for (char& c : a) c = static_cast<char>(random());
    for (char& c : b) c = static_cast<char>(random());
    EXPECT_EQ(sign(collator->compare(a, b)), -sign(collator->compare(b, a)));
    collator->append_key(a, key);
    collator->fold(a, Collator::Case::kUpper);
  }
}

}  // namespace
}  // namespace indigo::types
