// tsvector_ops, of gin and of gist: a document's keys are its words.
#include "types/inverted/inverted_class.h"
#include "types/textsearch/tsquery.h"
#include "types/textsearch/tsvector.h"

namespace indigo::types {

namespace {

constexpr char kWord = 'w';
enum DocumentStrategy : uint8_t { kDocumentMatches = 1, kDocumentMatchesToo = 2 };

void document_keys_of(const InvertedColumn&, const Datum& value, std::vector<std::string>& keys) {
  for (const LexemeView& lexeme : lexemes_of(value.str)) keys.push_back(inverted_key(kWord, lexeme.word));
}

// Weights, and how far a phrase's words are apart, are left to the condition.
KeyQuery query_at(const QueryTree& tree, uint32_t node) {
  const QueryNode& n = tree[node];
  switch (n.op) {
    case QueryOperator::kWord: {
      std::string key = inverted_key(kWord, n.word);
      return n.prefix ? with_prefix(key) : with_key(std::move(key));
    }
    case QueryOperator::kAnd:
    case QueryOperator::kPhrase:
    case QueryOperator::kOr: {
      std::vector<KeyQuery> sides;
      sides.push_back(query_at(tree, n.left));
      sides.push_back(query_at(tree, node + 1));
      return n.op == QueryOperator::kOr ? with_any(std::move(sides)) : with_all(std::move(sides));
    }
    case QueryOperator::kNot: break;
  }
  return every_row();
}

KeyQuery document_query_of(FuncContext& context, const InvertedColumn&, int, const Datum& value) {
  const QueryTree tree = types::query_of(value.str);
  if (tree.empty()) return no_row();
  return check_tree(context, tree) ? query_at(tree, 0) : every_row();
}

}  // namespace

const InvertedClass kTextSearchKeys = {"gin_extract_tsquery", InvertedClass::Element::kNone,
                                       StrategySet{kDocumentMatches, kDocumentMatchesToo}, document_keys_of,
                                       document_query_of};

const InvertedClass kTextSearchGist = {"gtsvector_consistent", InvertedClass::Element::kNone,
                                       StrategySet{kDocumentMatches}, document_keys_of, document_query_of};

}  // namespace indigo::types
