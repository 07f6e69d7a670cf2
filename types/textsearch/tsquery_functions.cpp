// tsquery's functions and operators.
#include <algorithm>

#include "base/fiber/long_sort.h"
#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/function/compare.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/textsearch/tsquery.h"

namespace indigo::types {

namespace {

using QueryCompare = Compare<compare_queries>;

int32_t number_of_nodes(Str query) { return static_cast<int32_t>(query_of(query).size()); }

// An empty query joins as if it were not there.
template <QueryOperator kOp>
Datum joined(FuncContext& context, Str a, Str b) {
  const QueryTree left = query_of(a), right = query_of(b);
  if (left.empty()) return Datum::of(b);
  if (right.empty()) return Datum::of(a);
  return make_tsquery(context, join_queries(kOp, 0, left, right));
}
Datum followed_at(FuncContext& context, Str a, Str b, int32_t distance) {
  if (distance < 0 || distance > kMaxPhraseDistance) {
    context.fail(sqlstate::kInvalidParameterValue,
                 "distance in phrase operator must be an integer value between zero and " +
                     std::to_string(kMaxPhraseDistance) + " inclusive");
    return Datum::make_null(Phys::kStr);
  }
  const QueryTree left = query_of(a), right = query_of(b);
  if (left.empty()) return Datum::of(b);
  if (right.empty()) return Datum::of(a);
  return make_tsquery(context, join_queries(QueryOperator::kPhrase, static_cast<uint16_t>(distance), left, right));
}
Datum followed(FuncContext& context, Str a, Str b) { return followed_at(context, a, b, 1); }
Datum negated(FuncContext& context, Str query) {
  QueryTree tree = query_of(query);
  if (tree.empty()) return Datum::of(query);
  tree.insert(tree.begin(), QueryNode{.op = QueryOperator::kNot, .word = {}});
  return make_tsquery(context, tree);
}

std::vector<Str> distinct_words(Str query) {
  std::vector<Str> words;
  for (const QueryNode& node : query_of(query))
    if (node.op == QueryOperator::kWord) words.push_back(node.word);
  std::sort(words.begin(), words.end(), noted_order());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}
bool contains_words(Str a, Str b) {
  const std::vector<Str> all = distinct_words(a), wanted = distinct_words(b);
  return std::includes(all.begin(), all.end(), wanted.begin(), wanted.end());
}
bool words_contained(Str a, Str b) { return contains_words(b, a); }

// What of a query an index could look for: NOT and what depends on it is left out, and an OR with such a side goes whole.
// From the last node to the first, so that operands are done before their operators.
QueryTree without_negations(const QueryTree& tree) {
  std::vector<QueryTree> done;
  for (size_t i = tree.size(); i-- > 0;) {
    note_work(32);
    const QueryNode& node = tree[i];
    if (node.op == QueryOperator::kWord) {
      done.push_back({node});
      continue;
    }
    if (node.op == QueryOperator::kNot) {
      done.back().clear();
      continue;
    }
    QueryTree right = std::move(done.back());
    done.pop_back();
    QueryTree& left = done.back();
    if (left.empty() || right.empty()) {
      if (node.op == QueryOperator::kOr) {
        left.clear();
      } else if (left.empty()) {
        left = std::move(right);
      }
    } else {
      // Kept back to front, so that nothing is moved to make room: an operator comes after its operands.
      left.insert(left.end(), right.begin(), right.end());
      left.push_back(node);
    }
  }
  QueryTree result = std::move(done.front());
  std::reverse(result.begin(), result.end());
  link_query(result);
  return result;
}
std::string index_part(Str query) {
  const QueryTree tree = query_of(query);
  if (tree.empty()) return {};
  const QueryTree positive = without_negations(tree);
  if (positive.empty()) return "T";
  std::string text;
  append_query_text(positive, text);
  return text;
}

const ScalarEntry kTsQueryEntries[] = {
    {"tsquery_lt", kernel<QueryCompare::lt>},
    {"tsquery_le", kernel<QueryCompare::le>},
    {"tsquery_eq", kernel<QueryCompare::eq>},
    {"tsquery_ne", kernel<QueryCompare::ne>},
    {"tsquery_ge", kernel<QueryCompare::ge>},
    {"tsquery_gt", kernel<QueryCompare::gt>},
    {"tsquery_cmp", kernel<QueryCompare::cmp>},
    {"tsquery_numnode", kernel<number_of_nodes>},
    {"tsquerytree", kernel<index_part>},
    {"tsquery_and", kernel<joined<QueryOperator::kAnd>>},
    {"tsquery_or", kernel<joined<QueryOperator::kOr>>},
    {"tsquery_not", kernel<negated>},
    {"tsquery_phrase", kernel<followed>},
    {"tsquery_phrase_distance", kernel<followed_at>},
    {"tsq_mcontains", kernel<contains_words>},
    {"tsq_mcontained", kernel<words_contained>},
};

}  // namespace

std::span<const ScalarEntry> tsquery_functions() { return kTsQueryEntries; }

}  // namespace indigo::types
