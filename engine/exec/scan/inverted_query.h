// Which keys an inverted index is asked for by several conditions on its columns.
// Thread safety: one session's.
#pragma once

#include <span>

#include "base/error.h"
#include "catalog/descriptor/inverted_key.h"
#include "types/function/context.h"
#include "types/inverted/key_query.h"

namespace indigo::engine::exec {

// `column OPERATOR value` by the strategy that the operator is of the column's class.
struct InvertedQuestion {
  size_t column;
  int strategy;
  Datum value;
};

// `keys`: those of all the index's columns. A null value: no row, as the operators are strict.
Result<types::KeyQuery> inverted_query(types::FuncContext& context, std::span<const catalog::InvertedKey> keys,
                                       std::span<const InvertedQuestion> questions);

}  // namespace indigo::engine::exec
