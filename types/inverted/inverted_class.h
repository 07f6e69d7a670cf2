// How an operator class of an inverted index (gin) takes values apart: into the keys of a value, and a condition into the keys that
// its rows have. A class of the catalog is known by its support function 3 (extractQuery), which says what its strategies mean.
//
// Invariant: a row that satisfies a condition has keys that satisfy the condition's query, whatever the two values are.
// Thread safety: constants and pure functions.
// Source: PostgreSQL 15's manual, "GIN Indexes" and "GIN Operator Classes"; which keys a value has is ours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "types/function/context.h"
#include "types/inverted/key_query.h"
#include "types/value/datum.h"
#include "types/value/key_codec.h"

namespace indigo::types {

// A column of an inverted index.
struct InvertedColumn {
  // The column's values; of an array class their elements.
  KeyLayout element;
};

struct InvertedClass {
  std::string_view extract_query;  // pg_proc.prosrc; empty: classes without support functions (btree_gin's)
  bool of_arrays;                  // `element` is the elements' type
  bool of_scalars;                 // `element` is the column's type; else it is not looked at
  uint32_t strategies;             // bit s: query_of knows strategy s (pg_amop.amopstrategy)
  // Appends the keys of a value that is not null, in any order, perhaps more than once.
  void (*keys_of)(const InvertedColumn& column, const Datum& value, std::vector<std::string>& keys);
  // The query of `column OPERATOR value`, with neither of them null.
  KeyQuery (*query_of)(FuncContext& context, const InvertedColumn& column, int strategy, const Datum& value);

  bool knows(int strategy) const { return strategy > 0 && strategy < 32 && (strategies >> strategy & 1) != 0; }
};

// Null: a function that is not known.
const InvertedClass* inverted_class(std::string_view extract_query);

// Longer keys are cut: what is found by one is looked at again.
inline constexpr size_t kMaxInvertedKeyBytes = 2048;
// A key of `kind`, which tells keys of different sorts apart.
std::string inverted_key(char kind, Str bytes);

// Each type's own, in its file.
extern const InvertedClass kArrayKeys, kJsonbKeys, kJsonbPathKeys, kTextSearchKeys, kScalarKeys;
namespace trgm {
extern const InvertedClass kTrigramKeys;
}
namespace hstore {
extern const InvertedClass kHstoreKeys;
}

}  // namespace indigo::types
