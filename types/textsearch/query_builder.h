// Makes a tsquery out of words and operators in the order of evaluation: both operands, then their operator. Stop words stand in
// it until it is whole; then they go, and distances of phrases grow by the places that they leave.
// Thread safety: belongs to its caller.
#pragma once

#include "types/textsearch/tsquery.h"

namespace indigo::types {

class QueryBuilder {
 public:
  // `text` is what messages show.
  QueryBuilder(FuncContext& context, Str text) : context_(context), text_(text) {}

  // False: the context has 54000.
  bool word(Str word, uint8_t weights, bool prefix);
  void stop_word();
  void apply(QueryOperator op, uint16_t distance = 0);
  // Null when there is an error. A query that is or becomes empty is told in a notice.
  Datum finish();

 private:
  FuncContext& context_;
  Str text_;
  QueryTree nodes_;  // in reverse of a tree's order
  size_t word_bytes_ = 0;
  bool has_stop_words_ = false;
};

}  // namespace indigo::types
