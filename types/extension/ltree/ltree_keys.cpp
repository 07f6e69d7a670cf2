// gist_ltree_ops and gist__ltree_ops: a path is its own key, in the paths' order; what is below a path begins with it.
#include "types/extension/ltree/ltree.h"
#include "types/inverted/inverted_class.h"
#include "types/value/array_format.h"

namespace indigo::types::ltree {

namespace {

constexpr char kPath = 'p';
enum Strategy : uint8_t {
  kLess = 1,
  kLessEqual = 2,
  kEqual = 3,
  kGreaterEqual = 4,
  kGreater = 5,
  kAbove = 10,  // of paths; of arrays: one of them is below
  kBelow = 11,
  kMatches = 12,
  kMatched = 13,
};
// A path with more ancestors than this is not looked up by each of them.
constexpr size_t kMostAncestors = 64;

std::string key_of(Str path) { return inverted_key(kPath, path); }

void path_keys_of(const InvertedColumn&, const Datum& value, std::vector<std::string>& keys) {
  keys.push_back(key_of(value.str));
}
void array_keys_of(const InvertedColumn&, const Datum& value, std::vector<std::string>& keys) {
  const ArrayView paths(value.str);
  for (int32_t i = 0; i < paths.count(); i++) {
    if (!paths.is_null(i)) keys.push_back(key_of(paths.element(i).str));
  }
}

KeyQuery below(Str path) {
  if (path.empty()) return every_row();
  return with_any({with_key(key_of(path)), with_prefix(key_of(std::string(path) + '.'))});
}

KeyQuery above(Str path) {
  const std::vector<Str> labels = labels_of(path);
  if (labels.size() > kMostAncestors) return every_row();
  std::vector<KeyQuery> ancestors;
  for (size_t i = 0; i <= labels.size(); i++) ancestors.push_back(with_key(key_of(path_of(labels, 0, i))));
  return with_any(std::move(ancestors));
}

// The labels that a pattern begins with.
KeyQuery matching(FuncContext& context, Str text) {
  const auto pattern = read_pattern(context, text);
  if (!pattern) return every_row();
  std::string path;
  for (const Item& item : *pattern) {
    if (item.words.size() != 1 || item.negated || item.counted) break;
    const Word& word = item.words[0];
    if (word.beginning || word.any_case || word.by_words) break;
    path += (path.empty() ? "" : ".") + word.text;
  }
  return path.empty() ? every_row() : with_prefix(key_of(path));
}

KeyQuery path_query_of(FuncContext& context, const InvertedColumn&, int strategy, const Datum& value) {
  switch (strategy) {
    case kLess:
    case kLessEqual: return with_key_between(std::string(1, kPath), key_of(value.str), true);
    case kEqual: return with_key(key_of(value.str));
    case kGreaterEqual:
    case kGreater: return with_key_between(key_of(value.str), {}, false);
    case kAbove: return above(value.str);
    case kBelow: return below(value.str);
    default: return matching(context, value.str);
  }
}

KeyQuery array_query_of(FuncContext& context, const InvertedColumn&, int strategy, const Datum& value) {
  return strategy == kAbove ? below(value.str) : matching(context, value.str);
}

}  // namespace

const InvertedClass kPathGist = {
    "ltree_consistent", InvertedClass::Element::kNone,
    StrategySet{kLess, kLessEqual, kEqual, kGreaterEqual, kGreater, kAbove, kBelow, kMatches, kMatched}, path_keys_of,
    path_query_of};
const InvertedClass kPathArrayGist = {"_ltree_consistent", InvertedClass::Element::kNone,
                                      StrategySet{kAbove, kMatches, kMatched}, array_keys_of, array_query_of};

}  // namespace indigo::types::ltree
