// PostgreSQL's regular expressions on RE2: the pattern is translated, compiled once and kept for the query.
//
// The leftmost match at or after `from`; found[0] is the whole match, found[i] group i (null data when it took no part).
// A search that outgrows its bounds fails the context and finds nothing.
// Leftmost-longest, as POSIX wants them; what non-greedy quantifiers change, and what the groups take, is told by regex_parts.h.
// Back references and look-around, which RE2 does not have, go to a backtracking machine (backtrack.h) whose work is
// bounded; everything else runs in linear time.
// Thread safety: a cache belongs to one FuncContext.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>

#include <re2/re2.h>

#include "types/function/context.h"
#include "types/text/backtrack.h"
#include "types/text/regex_parts.h"

namespace indigo::types {

struct RegexFlags {
  bool ignore_case = false;
  bool global = false;
  bool literal = false;          // q
  bool expanded = false;         // x
  bool newline_stops = false;    // n, p: . and [^...] do not match a newline
  bool newline_anchors = false;  // n, w: ^ and $ match at line ends
  bool unicode = false;          // classes are of Unicode's letters (set by Regex::compile)
};
// False: the context has 22023 `invalid regular expression option: "z"`.
bool parse_regex_flags(FuncContext& context, Str text, RegexFlags& flags);

// While it lives, patterns are compiled for text of which letters are Unicode's, as other collations than C want it.
class UnicodeRegexes {
 public:
  UnicodeRegexes(FuncContext& context, bool wanted);
  ~UnicodeRegexes();
  UnicodeRegexes(const UnicodeRegexes&) = delete;
  UnicodeRegexes& operator=(const UnicodeRegexes&) = delete;

 private:
  bool* flag_ = nullptr;
  bool before_ = false;
};

class Regex {
 public:
  // Null: the context has the error.
  static const Regex* compile(FuncContext& context, Str pattern, const RegexFlags& flags);

  int groups() const { return re_ != nullptr ? re_->NumberOfCapturingGroups() : slow_->groups(); }
  // The leftmost match at or after `from`; found[0] is the whole match, found[i] group i (null data when it took no part).
  // A search that outgrows its bounds fails the context and finds nothing.
  bool find(Str text, size_t from, std::span<Str> found) const;

 private:
  std::unique_ptr<re2::RE2> re_;
  std::unique_ptr<BacktrackRegex> slow_;  // instead of re_
  std::unique_ptr<RegexParts> parts_;     // where RE2's own preferences are not PostgreSQL's
  FuncContext* context_ = nullptr;
  friend struct RegexCache;
};

// SIMILAR TO's pattern as a regular expression; `escape` is empty when there is none.
std::string similar_to_regex(FuncContext& context, Str pattern, Str escape);

}  // namespace indigo::types
