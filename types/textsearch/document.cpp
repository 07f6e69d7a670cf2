#include "types/textsearch/document.h"

#include <algorithm>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/textsearch/lexizer.h"
#include "types/textsearch/session.h"

namespace indigo::types {

namespace {

constexpr size_t kMaxWordPlaces = kMaxPlaces - 1;

// A word's next place, which ascend.
void add_place(std::vector<uint16_t>& places, int64_t position) {
  const uint16_t place = make_place(position, 0);
  if (places.size() >= kMaxWordPlaces) return;
  if (!places.empty() && (places.back() == kMaxPlacePosition || places.back() == place)) return;
  places.push_back(place);
}

}  // namespace

void notice_long_word(FuncContext& context) {
  text_search_notice(context, Error(sqlstate::kProgramLimitExceeded, "word is too long to be indexed")
                                  .with_detail("Words longer than " + std::to_string(kMaxTokenBytes + 1) +
                                               " characters are ignored."));
}

void Document::add(Str text) {
  DefaultParser parser(text);
  Lexizer lexizer(*configuration_);
  for (bool more = true; more;) {
    const std::optional<Token> token = parser.next();
    more = token.has_value();
    if (token && token->text.size() > kMaxTokenBytes) {
      notice_long_word(context_);
      continue;
    }
    lexizer.add(token.value_or(Token()));
    while (Normals normals = lexizer.next()) {
      note_work(64);
      position_++;
      for (Normal& normal : *normals) {
        if (normal.add_position) position_++;
        words_.push_back({std::move(normal.word), position_, normal.variant, normal.prefix});
      }
    }
    lexizer.take_done();
  }
}

void Document::add_apart(Str text) {
  const size_t before = words_.size();
  add(text);
  if (words_.size() > before) position_++;
}

Datum Document::vector() {
  note_work(64 * words_.size());
  std::sort(words_.begin(), words_.end(), [](const DocumentWord& a, const DocumentWord& b) {
    const int order = a.word.compare(b.word);
    return order != 0 ? order < 0 : a.position < b.position;
  });
  std::vector<Lexeme> lexemes;
  for (DocumentWord& word : words_) {
    if (lexemes.empty() || lexemes.back().word != word.word) lexemes.push_back({std::move(word.word), {}});
    add_place(lexemes.back().places, word.position);
  }
  words_.clear();
  return make_tsvector(context_, lexemes);
}

}  // namespace indigo::types
