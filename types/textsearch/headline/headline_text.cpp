#include "types/textsearch/headline/headline_text.h"

#include <algorithm>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/textsearch/document.h"
#include "types/textsearch/lexizer.h"

namespace indigo::types {

// The nodes that a lexeme of the last token answers; the token is there once for each.
void HeadlineText::add_nodes(const std::string& lexeme, int64_t position) {
  const size_t word = words_.size() - 1;
  note_work(8 * query_.size());
  words_[word].position = static_cast<int32_t>(std::min<int64_t>(position, kMaxPlacePosition));
  for (size_t n = 0; n < query_.size(); n++) {
    const QueryNode& node = query_[n];
    if (node.op != QueryOperator::kWord || !(node.prefix ? Str(lexeme).starts_with(node.word) : lexeme == node.word)) {
      continue;
    }
    if (words_[word].node == HeadlineWord::kNoNode) {
      words_[word].node = static_cast<int32_t>(n);
      continue;
    }
    HeadlineWord again = words_[word];
    again.node = static_cast<int32_t>(n);
    again.repeated = true;
    words_.push_back(again);
  }
}

void HeadlineText::add_tokens(const std::vector<Token>& tokens, const Normals& normals) {
  for (const Token& token : tokens) {
    note_work(32);
    if (token.type != TokenType::kNone) words_.push_back({.type = token.type, .text = token.text});
    if (!normals || words_.empty()) continue;
    int64_t position = position_;
    for (const Normal& normal : *normals) {
      if (normal.add_position) position++;
      add_nodes(normal.word, position);
    }
  }
  if (!normals) return;
  for (const Normal& normal : *normals)
    if (normal.add_position) position_++;
}

bool HeadlineText::add(Str text) {
  DefaultParser parser(text);
  Lexizer lexizer(configuration_);
  for (bool more = true; more;) {
    const std::optional<Token> token = parser.next();
    more = token.has_value();
    if (token && token->text.size() > kMaxTokenBytes) {
      notice_long_word(context_);
      continue;
    }
    lexizer.add(token.value_or(Token()));
    for (bool again = true; again;) {
      const Normals normals = lexizer.next();
      if (normals) position_++;
      add_tokens(lexizer.take_done(), normals);
      again = normals.has_value();
    }
  }
  return true;
}

}  // namespace indigo::types
