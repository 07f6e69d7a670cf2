// How much of a text each part of a regular expression takes (PostgreSQL's manual, 9.7.3.5), where RE2 alone says otherwise:
// an expression, and each part of it, prefers the longest or the shortest match as a whole, and not quantifier by quantifier.
// The greediness of a branch is that of its first quantified atom that has one; with a | an expression prefers the longest.
//
// The expression is read as a tree of parts, and RE2 is asked what each of them can match, where between its ends.
// Thread safety: none; it belongs to one cache.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <re2/re2.h>

#include "types/value/physical.h"

namespace indigo::types {

class RegexParts {
 public:
  ~RegexParts();
  // `text` is what RE2 has accepted with these options, behind `prefix`. Null: it is too deep or too long for this.
  static std::unique_ptr<RegexParts> read(Str text, const std::string& prefix, const re2::RE2::Options& options);

  bool prefers_shortest() const;
  // Where the shortest match from `begin` ends, when one ends at `end`.
  size_t shortest(Str text, size_t begin, size_t end) const;
  // Sets the groups of the match from `begin` to `end`; found[0] is left alone.
  void find_groups(Str text, size_t begin, size_t end, std::span<Str> found) const;

 private:
  struct Part;
  class Reader;
  class Finder;
  RegexParts();

  std::string text_, prefix_;
  std::deque<std::string> made_;  // texts of parts that do not stand in it
  re2::RE2::Options options_;
  std::unique_ptr<Part> root_;
};

}  // namespace indigo::types
