// Paths of labels ("Top.Science"), and the two kinds of conditions on them.
//
// The image of a path is its text: labels of letters, digits and underscores, with dots between. A dot comes before all of
// these, so that the order of the bytes is the order of the paths, label by label. Conditions are kept as the text that they
// print as, and are read again where they are used.
// Thread safety: values; what is read from a text belongs to the caller.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "types/extension/extension.h"
#include "types/function/context.h"
#include "types/io/type_definition.h"
#include "types/value/datum.h"

namespace indigo::types::ltree {

inline constexpr size_t kMostLabels = 65535;
inline constexpr size_t kMostLabelBytes = 255;

inline bool is_label_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// A path's labels; they borrow from its image.
std::vector<Str> labels_of(Str path);
// Labels first .. last - 1 as a path.
std::string path_of(const std::vector<Str>& labels, size_t first, size_t last);

// How a word of a condition is compared: name* is a beginning, name@ ignores case, name% takes the words between underscores
// one by one, in any order.
struct Word {
  std::string text;
  bool beginning = false, any_case = false, by_words = false;
};
bool matches(const Word& word, Str label);
void print(const Word& word, std::string& out);
// "label string is too long": `at` counts characters from one.
Error too_long(size_t length, size_t at);

// lquery: a pattern over the whole path. Each item takes from `least` to `most` labels: any, or such as one of its words
// matches (none of them, when negated).
struct Item {
  std::vector<Word> words;  // none: any label
  bool negated = false, counted = false;
  size_t least = 1, most = 1;
};
using Pattern = std::vector<Item>;
std::optional<Pattern> read_pattern(FuncContext& context, Str text);  // empty: it failed
std::string print(const Pattern& pattern);
bool matches(const Pattern& pattern, const std::vector<Str>& labels);

// ltxtquery: words joined by !, & and |, each of which some label of the path matches or none does.
struct Term {
  enum class Kind : uint8_t { kWord, kNot, kAnd, kOr } kind = Kind::kWord;
  Word word;
  size_t left = 0, right = 0;  // of operators, by number; kNot has a right one only
};
using Terms = std::vector<Term>;  // the last one is the whole condition
std::optional<Terms> read_terms(FuncContext& context, Str text);
std::string print(const Terms& terms);
bool matches(const Terms& terms, const std::vector<Str>& labels);

extern const TypeDefinition kPathForms, kPatternForms, kTermsForms;
std::span<const ScalarEntry> form_functions();
std::span<const ScalarEntry> path_functions();
std::span<const ScalarEntry> condition_functions();

}  // namespace indigo::types::ltree
