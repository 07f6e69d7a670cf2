// PostgreSQL's regular expressions on RE2: the pattern is translated, compiled once and kept for the query.
//
// Translated: embedded options (***=, (?i)), flags, word boundaries (\y \m \M), \A \Z, classes, expanded syntax. Matches are
// leftmost-longest, as POSIX wants them, unless the pattern has a non-greedy quantifier.
// Not supported, answered by 0A000: back references and look-around; RE2 has neither, and runs in linear time for it.
// Thread safety: a cache belongs to one FuncContext.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>

#include <re2/re2.h>

#include "sql/func/context.h"

namespace indigo::sql {

struct RegexFlags {
  bool ignore_case = false;
  bool global = false;
  bool literal = false;          // q
  bool expanded = false;         // x
  bool newline_stops = false;    // n, p: . and [^...] do not match a newline
  bool newline_anchors = false;  // n, w: ^ and $ match at line ends
};
// False: the context has 22023 `invalid regular expression option: "z"`.
bool parse_regex_flags(FuncContext& context, Str text, RegexFlags& flags);

class Regex {
 public:
  // Null: the context has the error.
  static const Regex* compile(FuncContext& context, Str pattern, const RegexFlags& flags);

  int groups() const { return re_->NumberOfCapturingGroups(); }
  // The leftmost match at or after `from`; found[0] is the whole match, found[i] group i (null data when it took no part).
  bool find(Str text, size_t from, std::span<Str> found) const;

 private:
  std::unique_ptr<re2::RE2> re_;
  friend struct RegexCache;
};

// SIMILAR TO's pattern as a regular expression; `escape` is empty when there is none.
std::string similar_to_regex(FuncContext& context, Str pattern, Str escape);

}  // namespace indigo::sql
