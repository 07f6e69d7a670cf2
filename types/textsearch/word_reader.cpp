#include "types/textsearch/word_reader.h"

#include <algorithm>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/textsearch/tsvector.h"

namespace indigo::types {

namespace {

bool is_word_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_word_digit(char c) { return c >= '0' && c <= '9'; }
bool is_query_operator(char c) { return c == '!' || c == '&' || c == '|' || c == '(' || c == ')' || c == '<'; }

}  // namespace

bool WordReader::fail_syntax() {
  context_.fail(sqlstate::kSyntaxError, std::string("syntax error in ") +
                                            (syntax_ == Syntax::kVector ? "tsvector" : "tsquery") + ": \"" +
                                            std::string(text_) + "\"");
  return false;
}

void WordReader::copy_character(std::string& word) {
  const size_t length = std::min(utf8_length(text_[at_]), text_.size() - at_);
  word.append(text_.substr(at_, length));
  at_ += length;
}

bool WordReader::escaped(std::string& word) {
  at_++;
  if (at_end()) {
    context_.fail(sqlstate::kSyntaxError, "there is no escaped character: \"" + std::string(text_) + "\"");
    return false;
  }
  copy_character(word);
  return true;
}

// After the opening quote.
bool WordReader::quoted(std::string& word) {
  while (!at_end()) {
    if (text_[at_] == '\\') {
      if (!escaped(word)) return false;
    } else if (text_[at_] != '\'') {
      copy_character(word);
    } else {
      at_++;
      if (at_end() || text_[at_] != '\'') return word.empty() ? fail_syntax() : true;
      copy_character(word);
    }
  }
  return fail_syntax();
}

bool WordReader::bare(std::string& word) {
  for (bool first = true;; first = false) {
    if (at_end()) break;
    const char c = text_[at_];
    if (c == '\\') {
      if (!escaped(word)) return false;
      continue;
    }
    if (syntax_ == Syntax::kQuery && is_query_operator(c)) {
      if (first) return fail_syntax();
      break;
    }
    if (!first && (is_word_blank(c) || c == ':')) break;
    copy_character(word);
  }
  return word.empty() ? fail_syntax() : true;
}

// After the colon: 1,2A,3.
bool WordReader::read_places(std::vector<uint16_t>& places) {
  for (;;) {
    if (at_end() || !is_word_digit(text_[at_])) return fail_syntax();
    int64_t position = 0;
    for (; !at_end() && is_word_digit(text_[at_]); at_++)
      position = std::min<int64_t>(position * 10 + (text_[at_] - '0'), kMaxPlacePosition);
    if (position == 0) {
      context_.fail(sqlstate::kSyntaxError, "wrong position info in tsvector: \"" + std::string(text_) + "\"");
      return false;
    }
    int weight = 0;
    for (; !at_end() && text_[at_] != ',' && !is_word_blank(text_[at_]); at_++) {
      const char c = text_[at_];
      if (is_word_digit(c)) continue;
      const int given = c == '*' ? 3 : weight_of_letter(c);
      if (given < 0 || weight != 0) return fail_syntax();
      weight = given;
    }
    places.push_back(make_place(position, static_cast<uint16_t>(weight)));
    if (at_end() || text_[at_] != ',') return true;
    at_++;
  }
}

bool WordReader::read(std::string& word, std::vector<uint16_t>& places) {
  word.clear();
  places.clear();
  while (!at_end() && is_word_blank(text_[at_])) at_++;
  if (at_end()) return false;
  note_work(64);
  if (text_[at_] == '\'') {
    at_++;
    if (!quoted(word)) return false;
  } else if (!bare(word)) {
    return false;
  }
  if (syntax_ == Syntax::kQuery || at_end() || text_[at_] != ':') return true;
  at_++;
  return read_places(places);
}

}  // namespace indigo::types
