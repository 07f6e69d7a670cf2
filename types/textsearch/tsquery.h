// tsquery: an expression over words, as nodes in prefix order, the right operand before the left one.
//
//   image: uint32 number of nodes, then for each node uint8 kind and, of a word: uint8 weights (a bit for each, 0: any), uint8
//   prefix, the bytes, a zero byte; of an operator: uint8 which, and uint16 distance of a phrase's. All big-endian: the binary
//   form of the protocol is the image.
// Invariant: the nodes are one whole tree, or there is none. Recursion over a tree is bounded by check_tree, which fails with
// 54001 before anybody descends.
// Thread safety: values and pure functions; nodes of an image borrow it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "types/function/context.h"
#include "types/function/registry.h"
#include "types/value/datum.h"

namespace indigo::types {

inline constexpr int32_t kMaxPhraseDistance = 1 << 14;

enum class QueryOperator : uint8_t { kWord = 0, kNot = 1, kAnd = 2, kOr = 3, kPhrase = 4 };

struct QueryNode {
  QueryOperator op = QueryOperator::kWord;
  uint8_t weights = 0;
  bool prefix = false;
  bool stop = false;  // a stop word's place: in no query that is whole (query_builder.h)
  uint16_t distance = 0;
  Str word;
  uint32_t left = 0;  // of a binary operator; the right operand, or a NOT's only one, is the next node
};
using QueryTree = std::vector<QueryNode>;

QueryTree query_of(Str image);
// Fills in `left` from the order of the nodes. False: they are no whole tree.
bool link_query(QueryTree& tree);
std::string query_image(const QueryTree& tree);
// As `query_image` in the arena, or null and the error that it is too large.
Datum make_tsquery(FuncContext& context, const QueryTree& tree);
// The tree under a new operator; nodes' words are shared.
QueryTree join_queries(QueryOperator op, uint16_t distance, const QueryTree& left, const QueryTree& right);
// The nodes of the subtree at `node`: [node, end).
uint32_t query_end(const QueryTree& tree, uint32_t node);
// False, and 54001, when the tree is too deep to be walked on this stack.
bool check_tree(FuncContext& context, const QueryTree& tree);
void append_query_text(const QueryTree& tree, std::string& out);
int compare_queries(Str a, Str b);
// Bytes in the same order.
void append_tsquery_key(Str image, std::string& out);
// PostgreSQL orders words by this first.
int32_t query_word_checksum(Str word);
bool tsquery_matches(FuncContext& context, Str vector, Str query);

Datum tsquery_input(FuncContext& context, const TypeRef& type, Str text);
void tsquery_output(FuncContext& context, const TypeRef& type, const Datum& value, std::string& out);
Datum tsquery_receive(FuncContext& context, const TypeRef& type, Str bytes);
extern const TypeOrder kTsQueryOrder;

}  // namespace indigo::types
