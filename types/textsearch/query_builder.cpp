#include "types/textsearch/query_builder.h"

#include <algorithm>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/textsearch/session.h"
#include "types/textsearch/tsvector.h"

namespace indigo::types {

namespace {

// What is left of a subtree, and how many places stop words have left at its two sides.
struct Remainder {
  QueryTree nodes;  // in reverse of a tree's order; none: nothing is left
  int32_t left = 0, right = 0;
};

Remainder join(const QueryNode& node, Remainder left, Remainder right) {
  const bool phrase = node.op == QueryOperator::kPhrase;
  const int32_t distance = phrase ? node.distance : 0;
  Remainder out;
  if (left.nodes.empty() && right.nodes.empty()) {
    out.left = out.right = phrase ? left.left + distance + right.left : std::max(left.left, right.left);
    return out;
  }
  if (left.nodes.empty()) {
    out = std::move(right);
    if (phrase) out.left += left.left + distance;
    return out;
  }
  if (right.nodes.empty()) {
    out = std::move(left);
    if (phrase) out.right += distance + right.right;
    return out;
  }
  QueryNode kept = node;
  if (phrase) {
    kept.distance = static_cast<uint16_t>(node.distance + left.right + right.left);
    out.left = left.left;
    out.right = right.right;
  }
  out.nodes = std::move(left.nodes);
  out.nodes.insert(out.nodes.end(), right.nodes.begin(), right.nodes.end());
  out.nodes.push_back(kept);
  return out;
}

QueryTree without_stop_words(const QueryTree& nodes) {
  std::vector<Remainder> done;
  for (const QueryNode& node : nodes) {
    note_work(32);
    if (node.op == QueryOperator::kWord) {
      done.push_back({node.stop ? QueryTree() : QueryTree{node}});
    } else if (node.op == QueryOperator::kNot) {
      if (!done.back().nodes.empty()) done.back().nodes.push_back(node);
    } else {
      Remainder right = std::move(done.back());
      done.pop_back();
      Remainder left = std::move(done.back());
      done.back() = join(node, std::move(left), std::move(right));
    }
  }
  return std::move(done.front().nodes);
}

}  // namespace

bool QueryBuilder::word(Str word, uint8_t weights, bool prefix) {
  if (word.size() > kMaxLexemeBytes) {
    context_.fail(sqlstate::kProgramLimitExceeded, "word is too long in tsquery: \"" + std::string(text_) + "\"");
    return false;
  }
  if (word_bytes_ > kMaxTsVectorBytes) {
    context_.fail(sqlstate::kProgramLimitExceeded, "value is too big in tsquery: \"" + std::string(text_) + "\"");
    return false;
  }
  word_bytes_ += word.size() + 1;
  QueryNode node;
  node.word = context_.arena().copy(word);
  node.weights = weights;
  node.prefix = prefix;
  nodes_.push_back(node);
  return true;
}

void QueryBuilder::stop_word() {
  QueryNode node;
  node.stop = true;
  nodes_.push_back(node);
  has_stop_words_ = true;
}

void QueryBuilder::apply(QueryOperator op, uint16_t distance) {
  QueryNode node;
  node.op = op;
  node.distance = op == QueryOperator::kPhrase ? distance : uint16_t{0};
  nodes_.push_back(node);
}

Datum QueryBuilder::finish() {
  if (nodes_.empty()) {
    text_search_notice(context_, Error(sqlstate::kSuccessfulCompletion,
                                       "text-search query doesn't contain lexemes: \"" + std::string(text_) + "\""));
  }
  QueryTree tree(nodes_.rbegin(), nodes_.rend());
  if (!link_query(tree)) {
    context_.fail(sqlstate::kSyntaxError, "syntax error in tsquery: \"" + std::string(text_) + "\"");
    return Datum::make_null(Phys::kStr);
  }
  if (has_stop_words_) {
    tree = without_stop_words(nodes_);
    std::reverse(tree.begin(), tree.end());
    link_query(tree);
    if (tree.empty()) {
      text_search_notice(context_,
                         Error(sqlstate::kSuccessfulCompletion,
                               "text-search query contains only stop words or doesn't contain lexemes, ignored"));
    }
  }
  return make_tsquery(context_, tree);
}

}  // namespace indigo::types
