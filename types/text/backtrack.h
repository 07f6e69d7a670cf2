// Regular expressions that RE2 has no answer for: back references, lookahead and lookbehind. A backtracking machine over
// the syntax that the translator in regex.cpp writes, plus \1 .. \9, (?=, (?!, (?<= and (?<!.
//
// Letters, digits and spaces are ASCII's, or Unicode's (by ICU) where the options say so.
// Without non-greedy quantifiers the longest of the leftmost matches is found, as POSIX wants it. The work of one search is
// bounded by kMaxSteps.
// Thread safety: immutable after compilation.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "types/value/physical.h"

namespace indigo::types {

struct BacktrackOptions {
  bool ignore_case = false;  // of back references; the translator writes letters in all their cases
  bool dot_newline = true;
  bool multi_line = false;
  bool longest = true;
  bool unicode = false;
};

class BacktrackRegex {
 public:
  static constexpr uint64_t kMaxSteps = 20'000'000;
  static constexpr size_t kMaxInstructions = 100'000;
  enum class Outcome : uint8_t { kMatch, kNone, kTooComplex };

  // Null: `error` says what is wrong with the pattern, in PostgreSQL's words.
  static std::unique_ptr<BacktrackRegex> compile(Str pattern, const BacktrackOptions& options, const char*& error);

  int groups() const { return groups_; }
  Outcome find(Str text, size_t from, std::span<Str> found) const;

  struct CharacterSet {
    std::bitset<256> ascii;                             // its first 128
    std::vector<std::pair<uint32_t, uint32_t>> ranges;  // beyond ASCII; in order and apart once compiled
    uint32_t categories = 0;                            // of Unicode, bits as in ICU's U_GET_GC_MASK
    bool negated = false;
    bool has(uint32_t c) const;
  };
  enum class Op : uint8_t {
    kCharacter,
    kAny,
    kSet,
    kSplit,      // x first, then y
    kJump,       // x
    kSave,       // register x
    kProgress,   // fails when the position is register x's: an empty round of a loop
    kAssert,     // x: the character of the assertion
    kReference,  // group x
    kAhead,      // the program at pc + 1 ends before y; negated: flag
    kBehind,     // the same, ending here
    kMatch,
  };
  struct Instruction {
    Op op;
    bool flag = false;
    uint32_t x = 0, y = 0;
  };

 private:
  class Compiler;
  class Machine;
  std::vector<Instruction> code_;
  std::vector<CharacterSet> sets_;
  BacktrackOptions options_;
  int groups_ = 0;
  uint32_t registers_ = 0;
};

}  // namespace indigo::types
