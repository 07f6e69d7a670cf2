// A document as a headline sees it: its tokens, and which words of the query each of them is.
// Thread safety: an object belongs to its caller.
#pragma once

#include <string>
#include <vector>

#include "types/textsearch/configuration.h"
#include "types/textsearch/parser/default_parser.h"
#include "types/textsearch/query_matcher.h"

namespace indigo::types {

struct HeadlineWord {
  static constexpr int32_t kNoNode = -1;
  TokenType type;
  Str text;
  int32_t node = kNoNode;  // of the query
  int32_t position = 0;
  bool repeated = false;  // the token before, for a further node
  // What is shown of it.
  bool shown = false, selected = false, blank = false, hidden = false;
};

class HeadlineText {
 public:
  HeadlineText(FuncContext& context, const TextSearchConfiguration& configuration, const QueryTree& query)
      : context_(context), configuration_(configuration), query_(query) {}

  // False: the context has 54000, for a word that is too long.
  bool add(Str text);

  std::vector<HeadlineWord>& words() { return words_; }
  const std::vector<HeadlineWord>& words() const { return words_; }
  const QueryTree& query() const { return query_; }

 private:
  void add_tokens(const std::vector<Token>& tokens, const Normals& normals);
  void add_nodes(const std::string& lexeme, int64_t position);

  FuncContext& context_;
  const TextSearchConfiguration& configuration_;
  const QueryTree& query_;
  std::vector<HeadlineWord> words_;
  int64_t position_ = 0;
};

}  // namespace indigo::types
