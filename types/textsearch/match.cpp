// Evaluates queries, and whether a tsvector satisfies one.
#include <algorithm>

#include <climits>

#include "base/fiber/long_work.h"
#include "types/textsearch/query_matcher.h"
#include "types/textsearch/tsquery.h"
#include "types/textsearch/tsvector.h"

namespace indigo::types {

namespace {

using Answer = QueryAnswer;

// Where a part of a phrase matches: the positions of its last word, or with `negated` all but these.
struct PhrasePositions {
  std::vector<int32_t> positions;
  bool negated = false;
  int32_t width = 0;  // from the part's first word to its last
};

class QueryMatcher {
 public:
  QueryMatcher(const QueryTree& tree, const QueryOperands& operands) : tree_(tree), operands_(operands) {}

  Answer matches(uint32_t at) const {
    note_work(16);
    const QueryNode& node = tree_[at];
    switch (node.op) {
      case QueryOperator::kWord: return operands_.find(at, nullptr);
      case QueryOperator::kNot: return matches(at + 1) == Answer::kYes ? Answer::kNo : Answer::kYes;
      case QueryOperator::kAnd: return matches(node.left) == Answer::kYes ? matches(at + 1) : Answer::kNo;
      case QueryOperator::kOr: return matches(node.left) == Answer::kYes ? Answer::kYes : matches(at + 1);
      case QueryOperator::kPhrase: break;
    }
    PhrasePositions positions;
    return phrase(at, positions) == Answer::kYes ? Answer::kYes : Answer::kNo;
  }

 private:
  Answer phrase(uint32_t at, PhrasePositions& out) const {
    note_work(16);
    const QueryNode& node = tree_[at];
    if (node.op == QueryOperator::kWord) return operands_.find(at, &out.positions);
    if (node.op == QueryOperator::kNot) {
      const Answer answer = phrase(at + 1, out);
      if (answer == Answer::kMaybe) return answer;
      if (answer == Answer::kNo) {
        out = {{}, true, 0};
        return Answer::kYes;
      }
      out.negated = !out.negated;
      return out.negated || !out.positions.empty() ? Answer::kYes : Answer::kNo;
    }
    PhrasePositions left, right;
    const Answer of_left = phrase(node.left, left);
    const bool either = node.op == QueryOperator::kOr;
    if (!either && of_left == Answer::kNo) return Answer::kNo;
    const Answer of_right = phrase(at + 1, right);
    if (of_right == Answer::kNo && (!either || of_left == Answer::kNo)) return Answer::kNo;
    if (of_left == Answer::kMaybe || of_right == Answer::kMaybe) return Answer::kMaybe;
    if (of_left == Answer::kNo) left = {};
    if (of_right == Answer::kNo) right = {};
    int32_t left_offset = 0, right_offset = 0;
    if (node.op == QueryOperator::kPhrase) {
      left_offset = node.distance + right.width;
      out.width = node.distance + left.width + right.width;
    } else {
      out.width = std::max(left.width, right.width);
      left_offset = out.width - left.width;
      right_offset = out.width - right.width;
    }
    return either ? unite(left, right, left_offset, right_offset, out)
                  : intersect(left, right, left_offset, right_offset, out);
  }

  static Answer intersect(const PhrasePositions& left, const PhrasePositions& right, int32_t left_offset,
                          int32_t right_offset, PhrasePositions& out) {
    out.negated = left.negated && right.negated;
    const bool both = left.negated == right.negated;
    merge(left, right, left_offset, right_offset,
          {both, out.negated || (!left.negated && right.negated), out.negated || (left.negated && !right.negated)},
          out);
    return answer_of(out);
  }
  static Answer unite(const PhrasePositions& left, const PhrasePositions& right, int32_t left_offset,
                      int32_t right_offset, PhrasePositions& out) {
    out.negated = left.negated || right.negated;
    const bool both = left.negated == right.negated;
    merge(left, right, left_offset, right_offset,
          {both, !right.negated && !left.negated ? true : left.negated && !right.negated,
           !right.negated && !left.negated ? true : right.negated && !left.negated},
          out);
    return answer_of(out);
  }
  static Answer answer_of(const PhrasePositions& out) {
    return out.negated || !out.positions.empty() ? Answer::kYes : Answer::kNo;
  }

  struct Wanted {
    bool both, left_only, right_only;
  };
  static void merge(const PhrasePositions& left, const PhrasePositions& right, int32_t left_offset,
                    int32_t right_offset, Wanted wanted, PhrasePositions& out) {
    size_t l = 0, r = 0;
    while (l < left.positions.size() || r < right.positions.size()) {
      const int32_t a = l < left.positions.size() ? left.positions[l] + left_offset : INT_MAX;
      const int32_t b = r < right.positions.size() ? right.positions[r] + right_offset : INT_MAX;
      if (a == b ? wanted.both : a < b ? wanted.left_only : wanted.right_only) out.positions.push_back(std::min(a, b));
      l += a <= b;
      r += b <= a;
    }
    note_work(8 * (l + r));
  }

  const QueryTree& tree_;
  const QueryOperands& operands_;
};

class VectorOperands final : public QueryOperands {
 public:
  VectorOperands(const std::vector<LexemeView>& lexemes, const QueryTree& tree) : lexemes_(lexemes), tree_(tree) {}

  Answer find(uint32_t at_node, std::vector<int32_t>* found) const override {
    const QueryNode& node = tree_[at_node];
    auto at = std::lower_bound(lexemes_.begin(), lexemes_.end(), node.word,
                               [](const LexemeView& l, Str wanted) { return l.word < wanted; });
    Answer answer = Answer::kNo;
    for (; at != lexemes_.end() && (node.prefix ? at->word.starts_with(node.word) : at->word == node.word); ++at) {
      note_work(16);
      const Answer one = lexeme(*at, node, found);
      if (one == Answer::kNo) continue;
      answer = one;
      if (found == nullptr || one == Answer::kMaybe) break;
    }
    if (found != nullptr) {
      if (answer != Answer::kYes) {
        found->clear();
      } else if (node.prefix) {
        std::sort(found->begin(), found->end());
        found->erase(std::unique(found->begin(), found->end()), found->end());
      }
    }
    return answer;
  }

 private:
  // One lexeme: with `found` its positions of the wanted weights are added there.
  static Answer lexeme(const LexemeView& lexeme, const QueryNode& node, std::vector<int32_t>* found) {
    if (lexeme.places() == 0) return found != nullptr ? Answer::kMaybe : Answer::kYes;
    bool any = false;
    for (size_t i = 0; i < lexeme.places(); i++) {
      const uint16_t place = lexeme.place(i);
      if (node.weights != 0 && (node.weights >> place_weight(place) & 1) == 0) continue;
      any = true;
      if (found == nullptr) break;
      found->push_back(place_position(place));
    }
    return any ? Answer::kYes : Answer::kNo;
  }

  const std::vector<LexemeView>& lexemes_;
  const QueryTree& tree_;
};

}  // namespace

bool query_holds(const QueryTree& tree, const QueryOperands& operands) {
  return QueryMatcher(tree, operands).matches(0) == Answer::kYes;
}

bool tsquery_matches(FuncContext& context, Str vector, Str query) {
  const QueryTree tree = query_of(query);
  if (tree.empty() || !check_tree(context, tree)) return false;
  const std::vector<LexemeView> lexemes = lexemes_of(vector);
  return query_holds(tree, VectorOperands(lexemes, tree));
}

}  // namespace indigo::types
