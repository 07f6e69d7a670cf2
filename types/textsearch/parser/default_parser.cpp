#include "types/textsearch/parser/default_parser.h"

#include <algorithm>

#include "base/fiber/long_work.h"
#include "base/fiber/stack.h"
#include "base/utf8.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

bool is_url_character(char c) {
  constexpr Str kExcluded = "\"<>\\^`{|}";
  return c > ' ' && c < '\x7f' && kExcluded.find(c) == Str::npos;
}

}  // namespace

size_t DefaultParser::character_bytes() const {
  return at_.byte < text_.size() ? std::min(utf8_length(text_[at_.byte]), text_.size() - at_.byte) : 0;
}

bool DefaultParser::test(const TokenRule& rule) {
  const bool end = at_.character_bytes == 0;
  const char c = end ? '\0' : text_[at_.byte];
  const bool beyond_ascii = at_.character_bytes > 1 || static_cast<uint8_t>(c) >= 0x80;
  switch (rule.test) {
    case TokenTest::kAny: return true;
    case TokenTest::kEnd: return end;
    case TokenTest::kCharacter: return at_.character_bytes == 1 && c == rule.character;
    case TokenTest::kAsciiLetter: return is_alpha(c);
    case TokenTest::kLetter: return beyond_ascii || is_alpha(c);
    case TokenTest::kDigit: return is_digit(c);
    case TokenTest::kHexDigit: return hex_value(c) >= 0;
    case TokenTest::kAlphanumeric: return beyond_ascii || is_alnum(c);
    case TokenTest::kNotAlphanumeric: return !beyond_ascii && !is_alnum(c);
    case TokenTest::kMark: return false;  // those are letters already
    case TokenTest::kSpace: return !end && is_blank(c);
    case TokenTest::kUrlCharacter: return !beyond_ascii && is_url_character(c);
    case TokenTest::kIgnored: return ignored_;
    case TokenTest::kHostWanted: return std::exchange(host_wanted_, false);
    case TokenTest::kHostAhead: return host_ahead();
    case TokenTest::kUrlPathAhead: return url_path_ahead();
  }
  return false;
}

bool DefaultParser::host_ahead() {
  if (stack_remaining() == 0) return false;
  DefaultParser ahead(text_.substr(at_.byte));
  ahead.host_wanted_ = true;
  return take(ahead, TokenType::kHost);
}

bool DefaultParser::url_path_ahead() {
  DefaultParser ahead(text_.substr(at_.byte), TokenState::kUrlPathFirst);
  ahead.attempts_.push_back({});
  return take(ahead, TokenType::kUrlPath);
}

// What another parser has found from here on becomes a part of this token.
bool DefaultParser::take(DefaultParser& ahead, TokenType wanted) {
  const std::optional<Token> found = ahead.next();
  if (!found || found->type != wanted) return false;
  at_.byte += ahead.token_bytes_;
  at_.token_bytes += ahead.token_bytes_;
  at_.token_characters += ahead.token_characters_;
  at_.character_bytes = ahead.at_.character_bytes;
  return true;
}

void DefaultParser::note_tag() {
  const auto is = [&](Str tag) {
    return at_.token_characters == tag.size() && token_begin_ + tag.size() <= text_.size() &&
           equals_ignoring_case(text_.substr(token_begin_, tag.size()), tag);
  };
  if (is("<script") || is("<style")) ignored_ = true;
  if (is("</script") || is("</style")) ignored_ = false;
}

void DefaultParser::move(TokenAction action) {
  if ((action & kBack) != 0) {
    at_ = attempts_.back();
    attempts_.pop_back();
  } else if ((action & kAttempt) != 0) {
    attempts_.push_back(at_);
    at_.attempted = kNoAttempt;
  } else if ((action & kCommit) != 0) {
    attempts_.pop_back();
  } else if ((action & kCommitAll) != 0) {
    attempts_.clear();
  } else if ((action & kMerge) != 0) {
    const Position here = at_;
    at_ = attempts_.back();
    attempts_.pop_back();
    at_.byte = here.byte;
    at_.token_bytes = here.token_bytes;
    at_.token_characters = here.token_characters;
    at_.character_bytes = here.character_bytes;
  }
}

std::optional<Token> DefaultParser::next() {
  if (at_.byte >= text_.size()) return std::nullopt;
  token_begin_ = at_.byte;
  at_.attempted = kNoAttempt;
  TokenType type = TokenType::kNone;
  while (at_.byte <= text_.size()) {
    note_work(8);
    at_.character_bytes = character_bytes();
    const std::span<const TokenRule> rules = token_rules(at_.state);
    size_t r = at_.attempted == kNoAttempt ? 0 : at_.attempted + 1;
    at_.attempted = kNoAttempt;
    while (rules[r].test != TokenTest::kAny && !test(rules[r])) r++;
    const TokenRule& rule = rules[r];
    if ((rule.action & kNoteTag) != 0) note_tag();
    if ((rule.action & (kRestart | kSplitSign)) != 0) at_.byte -= at_.token_bytes;
    if (rule.token == TokenType::kUrl) host_wanted_ = true;
    if ((rule.action & kSplitSign) != 0) {
      at_.byte++;
      at_.token_bytes = at_.token_characters = 1;
    }
    if ((rule.action & kAccept) != 0) {
      token_bytes_ = at_.token_bytes;
      token_characters_ = at_.token_characters;
      at_.token_bytes = at_.token_characters = 0;
      type = rule.token;
    }
    if ((rule.action & kAttempt) != 0) at_.attempted = r;
    move(rule.action);
    if (rule.to != TokenState::kSame) at_.state = rule.to;
    if ((rule.action & kAccept) != 0) break;
    if (at_.byte >= text_.size() && (rule.action & kAgain) == 0) break;
    if ((rule.action & (kAgain | kBack)) != 0) continue;
    if (at_.character_bytes > 0) {
      at_.byte += at_.character_bytes;
      at_.token_bytes += at_.character_bytes;
      at_.token_characters++;
    }
  }
  if (type == TokenType::kNone) return std::nullopt;
  return Token{type, text_.substr(token_begin_, token_bytes_)};
}

}  // namespace indigo::types
