#include "base/utf8.h"

#include <string>

#include <gtest/gtest.h>

#include "base/sqlstate.h"

namespace indigo {
namespace {

using namespace std::string_literals;

TEST(Utf8, AcceptsWhatPostgresAccepts) {
  for (const std::string& text :
       {""s, "abc"s, "a long text of plain ascii letters"s, "\u00e9"s, "\u20ac uro"s, "\U0001f600"s, "\xed\x9f\xbf"s,
        "\xee\x80\x80"s, "\xf4\x8f\xbf\xbf"s, "with \0 NUL"s}) {
    EXPECT_TRUE(is_valid_utf8(text)) << text;
  }
}

TEST(Utf8, FindsTheFirstInvalidSequence) {
  EXPECT_EQ(find_invalid_utf8("\xff"), 0u);
  EXPECT_EQ(find_invalid_utf8("12345678901\x80"), 11u);
  EXPECT_EQ(find_invalid_utf8("a\xc0\x80"), 1u);         // overlong
  EXPECT_EQ(find_invalid_utf8("ab\xe0\x9f\xbf"), 2u);    // overlong
  EXPECT_EQ(find_invalid_utf8("\xed\xa0\x80"), 0u);      // surrogate
  EXPECT_EQ(find_invalid_utf8("\xf4\x90\x80\x80"), 0u);  // above U+10FFFF
  EXPECT_EQ(find_invalid_utf8("abc\xe2\x82"), 3u);       // cut off
}

TEST(Utf8, ErrorNamesTheBytesAsPostgresDoes) {
  EXPECT_EQ(check_client_text("ok").ok(), true);
  auto lone = check_client_text("x\xff");
  ASSERT_FALSE(lone.ok());
  EXPECT_EQ(lone.error().state, sqlstate::kCharacterNotInRepertoire);
  EXPECT_EQ(lone.error().message, "invalid byte sequence for encoding \"UTF8\": 0xff");
  EXPECT_EQ(check_client_text("\xe2\x28\xa1").error().message,
            "invalid byte sequence for encoding \"UTF8\": 0xe2 0x28 0xa1");
  EXPECT_EQ(check_client_text("\xe2\x82").error().message, "invalid byte sequence for encoding \"UTF8\": 0xe2 0x82");
  EXPECT_EQ(check_client_text("a\0b"s).error().message, "invalid byte sequence for encoding \"UTF8\": 0x00");
}

}  // namespace
}  // namespace indigo
