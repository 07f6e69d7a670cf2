// How an operator class of an inverted index (gin, gist, spgist) takes values apart: into the keys of a value, and a condition into
// the keys that its rows have. A class of the catalog is known by the support function that says what its strategies mean:
// extractQuery of gin, consistent of gist, config of spgist.
//
// Invariant: a row that satisfies a condition has keys that satisfy the condition's query, whatever the two values are.
// Thread safety: constants and pure functions.
// Source: PostgreSQL 15's manual, "GIN Indexes", "GiST Indexes" and "SP-GiST Indexes" and their operator classes; which keys a
// value has is ours.
#pragma once

#include <initializer_list>
#include <iterator>
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
  Oid type = kInvalidOid;  // no domain
  // The column's values; of an array class their elements, of ranges their bounds.
  KeyLayout element;
  bool c_letters = true;             // of texts: only ASCII letters have two cases
  std::vector<std::string> options;  // parameters of the class, as "name=value"
};

class StrategySet {
 public:
  constexpr StrategySet(std::initializer_list<int> strategies) {
    for (const int s : strategies) words_[static_cast<size_t>(s) / 64] |= uint64_t{1} << s % 64;
  }
  constexpr StrategySet operator|(const StrategySet& other) const {
    StrategySet out = *this;
    for (size_t i = 0; i < std::size(words_); i++) out.words_[i] |= other.words_[i];
    return out;
  }
  bool has(int strategy) const {
    return strategy > 0 && strategy < 128 && (words_[static_cast<size_t>(strategy) / 64] >> strategy % 64 & 1) != 0;
  }

 private:
  uint64_t words_[2] = {0, 0};
};

// How a class finds rows by their distance from a place: those within a small distance first, then those within greater ones.
struct Rings {
  StrategySet strategies;  // the operators that it orders by (pg_amop.amopstrategy)
  // The query of what comes within this distance of the place, by any of them.
  KeyQuery (*around)(const InvertedColumn& column, const Datum& place, double distance);
  // A distance within which few rows are, probably; and how many times wider than the one before a ring may be, or the next ring
  // itself where the distance from the place does not tell how many rows there are.
  double (*first)(const InvertedColumn& column, const Datum& place);
  double most_growth = 8;
  double (*next)(double radius) = nullptr;

  // Whether it takes little to find that a ring has too many rows: then a narrower one is tried.
  bool narrows() const { return next == nullptr; }
};

struct InvertedClass {
  // What InvertedColumn::element is: nothing that is looked at, the type of the array's elements, the column's own, the
  // type of the range's bounds.
  enum class Element : uint8_t { kNone, kOfArray, kOwn, kOfRange };

  std::string_view support;  // pg_proc.prosrc; empty: classes without support functions
  Element element;
  StrategySet strategies;  // those that query_of knows (pg_amop.amopstrategy)
  // Appends the keys of a value that is not null, in any order, perhaps more than once.
  void (*keys_of)(const InvertedColumn& column, const Datum& value, std::vector<std::string>& keys);
  // The query of `column OPERATOR value`, with neither of them null.
  KeyQuery (*query_of)(FuncContext& context, const InvertedColumn& column, int strategy, const Datum& value);

  bool of_cells = false;         // a value has one key, a cell (types/inverted/cells.h) or what stands for one
  const Rings* rings = nullptr;  // null: the class orders by no distance
  bool any_order = false;        // of texts: it serves every deterministic collation, not C alone
  // Refuses values that an index of the class does not take; null: it takes all.
  Status (*check)(const InvertedColumn& column, const Datum& value) = nullptr;

  bool of_scalars() const { return element == Element::kOwn; }
  bool knows(int strategy) const { return strategies.has(strategy); }
};

// The first ring around a place that is so far from zero.
double first_ring_of(double extent);

// Null: a function that is not known.
const InvertedClass* inverted_class(std::string_view support);

// Longer keys are cut: what is found by one is looked at again.
inline constexpr size_t kMaxInvertedKeyBytes = 2048;
// A key of `kind`, which tells keys of different sorts apart.
std::string inverted_key(char kind, Str bytes);

// Each type's own, in its file.
// The strategy of equality of classes of scalars.
inline constexpr int kScalarEqual = 3;
extern const InvertedClass kArrayKeys, kJsonbKeys, kJsonbPathKeys, kTextSearchKeys, kTextSearchGist, kScalarKeys;
extern const InvertedClass kRangeGist, kRangeSpgist, kMultirangeGist, kNetworkGist, kNetworkSpgist;
extern const InvertedClass kBoxGist, kBoxSpgist, kPolygonGist, kPolygonSpgist, kCircleGist, kPointGist,
    kPointQuadSpgist, kPointKdSpgist;
namespace trgm {
extern const InvertedClass kTrigramKeys, kTrigramGist;
}
namespace hstore {
extern const InvertedClass kHstoreKeys, kHstoreGist;
}
namespace ltree {
extern const InvertedClass kPathGist, kPathArrayGist;
}
namespace cube {
extern const InvertedClass kCubeGist;
}

}  // namespace indigo::types
