#include "base/utf8.h"

#include <string>

#include <gtest/gtest.h>

#include "base/name.h"
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

// Texts are looked at by words, short ones by two that overlap: one bad byte at each place of each length.
TEST(Utf8, FindsABadByteAnywhere) {
  for (size_t length = 1; length <= 20; length++) {
    EXPECT_EQ(find_invalid_text(std::string(length, '\x01')), kAllValid);
    EXPECT_EQ(find_invalid_text(std::string(length, '\x7f')), kAllValid);
    for (size_t at = 0; at < length; at++) {
      std::string text(length, 'a');
      text[at] = '\x80';
      EXPECT_EQ(find_invalid_text(text), at) << length;
      EXPECT_EQ(find_invalid_utf8(text), at) << length;
      text[at] = '\0';
      EXPECT_EQ(find_invalid_text(text), at) << length;
      EXPECT_EQ(find_invalid_utf8(text), kAllValid) << length;
    }
  }
}

TEST(Utf8, RefusesNulInTextOnly) {
  EXPECT_EQ(find_invalid_text("12345678\0"s), 8u);
  EXPECT_EQ(find_invalid_text("1234567\0 and more"s), 7u);
  EXPECT_EQ(find_invalid_utf8("12345678\0"s), kAllValid);
  EXPECT_EQ(find_invalid_text("\u20ac, plain, \U0001f600"s), kAllValid);
}

TEST(Utf8, StepsByCharacters) {
  const std::string text = "a\u00e9\u20ac\U0001f600, and eight more";
  EXPECT_EQ(utf8_count(text), 20);
  EXPECT_EQ(utf8_offset(text, 3), 6u);
  EXPECT_EQ(utf8_offset(text, 99), text.size());
  EXPECT_EQ(utf8_decode(text, 3), 0x20acu);
  EXPECT_EQ(utf8_decode(text, 6), 0x1f600u);
  std::string made;
  for (const uint32_t c : {0x61u, 0xe9u, 0x20acu, 0x1f600u}) utf8_append(c, made);
  EXPECT_EQ(made, text.substr(0, 10));
  EXPECT_EQ(utf8_length('\x80'), 1u);  // leads nothing
}

TEST(Utf8, ClipsWholeCharacters) {
  EXPECT_EQ(utf8_clip("a\u20ac", 4), "a\u20ac");
  EXPECT_EQ(utf8_clip("a\u20ac", 3), "a");
  EXPECT_EQ(utf8_clip("\u20ac", 2), "");
  EXPECT_EQ(clip_name(std::string(62, 'x') + "\u00e9"), std::string(62, 'x'));
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
