// ts_rewrite: one part of a query put in another's place. AND and OR are taken as sets of operands, so that a & b is found in
// b & c & a.
// Thread safety: an object belongs to its caller.
#pragma once

#include <memory>
#include <vector>

#include "types/textsearch/tsquery.h"

namespace indigo::types {

struct RewriteNode;

class QueryRewriter {
 public:
  // The trees have been through check_tree; their words must outlive this.
  explicit QueryRewriter(const QueryTree& query);
  ~QueryRewriter();
  QueryRewriter(const QueryRewriter&) = delete;
  QueryRewriter& operator=(const QueryRewriter&) = delete;

  // `by` may be empty: what is found goes. `found` is not empty.
  void replace(const QueryTree& found, const QueryTree& by);
  // Makes sets of what replacements have put in, for the next one.
  void settle();
  bool empty() const { return root_ == nullptr; }
  // What is left, in the order of its nodes.
  QueryTree result() const;

 private:
  std::unique_ptr<RewriteNode> root_;
};

// `found` in `query` put `by` in its place. Null: the context has an error.
Datum rewrite_query(FuncContext& context, Str query, Str found, Str by);

}  // namespace indigo::types
