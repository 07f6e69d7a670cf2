#include "engine/copy/copy_reader.h"

#include <gtest/gtest.h>

#include "base/sqlstate.h"

namespace indigo::engine {
namespace {

// Hands out a text in pieces of a given size.
class Pieces final : public CopySource {
 public:
  Pieces(std::string text, size_t piece) : text_(std::move(text)), piece_(piece) {}
  Result<bool> read(std::string& out) override {
    if (at_ >= text_.size()) return false;
    out += text_.substr(at_, piece_);
    at_ += piece_;
    return true;
  }

 private:
  std::string text_;
  size_t piece_, at_ = 0;
};

// Rows as "a|b;c|<null>"; an error's message after "!".
std::string rows(const CopyOptions& options, const std::string& text, size_t piece) {
  Pieces source(text, piece);
  auto reader = CopyReader::create(source, options, {}, {});
  std::vector<std::optional<std::string_view>> fields;
  std::string out;
  for (;;) {
    auto any = reader->next(fields);
    if (!any.ok()) return out + "!" + any.error().message;
    if (!*any) return out;
    for (size_t i = 0; i < fields.size(); i++) out += (i ? "|" : "") + std::string(fields[i].value_or("<null>"));
    out += ";";
  }
}

TEST(CopyReader, TextInPiecesOfEverySize) {
  CopyOptions options;
  const std::string text = "1\ta\\tb\tx\n2\t\\N\t\\\\\r\n3\t\\x41\\101\\q\t\n\\.\nignored";
  for (size_t piece = 1; piece < 12; piece++)
    EXPECT_EQ(rows(options, text, piece), "1|a\tb|x;2|<null>|\\;3|AAq|;") << piece;
}

// Two pieces, then an error.
class Failing final : public CopySource {
 public:
  Result<bool> read(std::string& out) override {
    const std::string_view pieces[] = {"1\ta line of some length\n2\tbeg", "inning"};
    if (next_ == std::size(pieces)) return Error(sqlstate::kQueryCanceled, "COPY from stdin failed");
    out += pieces[next_++];
    return true;
  }

 private:
  size_t next_ = 0;
};

// It would look at the buffer of before.
TEST(CopyReader, HasNoLineWhenTheNextOneFails) {
  const CopyOptions options;
  Failing source;
  auto reader = CopyReader::create(source, options, {}, {});
  std::vector<std::optional<std::string_view>> fields;
  ASSERT_TRUE(reader->next(fields).ok());
  EXPECT_EQ(reader->line(), "1\ta line of some length");
  EXPECT_FALSE(reader->next(fields).ok());
  EXPECT_TRUE(reader->line().empty());
}

TEST(CopyReader, CsvInPiecesOfEverySize) {
  CopyOptions options;
  options.format = CopyFormat::kCsv;
  options.delimiter = ',';
  options.null_text.clear();
  const std::string text = "1,\"a,\"\"b\"\"\nc\",\r\n2,,\"\"\n";
  for (size_t piece = 1; piece < 12; piece++)
    EXPECT_EQ(rows(options, text, piece), "1|a,\"b\"\nc|<null>;2|<null>|;") << piece;
  EXPECT_EQ(rows(options, "1,\"open\n", 3), "!unterminated CSV quoted field");
}

TEST(CopyReader, BinaryRowsAndTornInput) {
  CopyOptions options;
  options.format = CopyFormat::kBinary;
  const std::string header("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
  const std::string row("\0\2\0\0\0\1a\377\377\377\377", 11);
  const std::string end("\377\377", 2);
  for (size_t piece = 1; piece < 12; piece++) EXPECT_EQ(rows(options, header + row + end, piece), "a|<null>;") << piece;
  EXPECT_EQ(rows(options, header + row, 5), "a|<null>;");  // the trailer may be missing
  for (size_t cut = 1; cut < header.size() + row.size(); cut++) {
    if (cut == header.size() || cut == header.size() + 1) continue;  // no row has begun
    EXPECT_NE(rows(options, (header + row).substr(0, cut), 5).find('!'), std::string::npos) << cut;
  }
  EXPECT_EQ(rows(options, "nonsense, but long enough", 5), "!COPY file signature not recognized");
  EXPECT_EQ(rows(options, header + std::string("\0\1\177\377\377\377", 6), 5), "!unexpected EOF in COPY data");
}

}  // namespace
}  // namespace indigo::engine
