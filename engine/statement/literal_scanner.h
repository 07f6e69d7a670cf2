// Lifts the literals out of a statement's text, by PostgreSQL's lexical rules, so that statements that differ in their
// literals only share one cache entry and one plan (docs/architecture.md, "One query's way" step 2).
//
// The scanner only has to be right when it lifts: what it is unsure of it leaves in the text, which costs sharing, never
// correctness. The analyzer matches lifted literals with constants of the parse tree by location.
// Thread safety: none; a scanner is reused by one session (its buffers allocate nothing once grown).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sql/analyze/analyzer.h"

namespace indigo::engine {

struct ScannedText {
  // The text with each literal replaced by a marker byte of its class. Whitespace and comments stay as they are.
  std::string key;
  std::vector<sql::LiftedLiteral> literals;
  // Raw text of each literal: digits (with sign), or the string's contents with doubled quotes still doubled.
  struct Raw {
    std::string_view text;
    bool doubled_quotes = false;
  };
  std::vector<Raw> raw;
  // False: more than one statement, or something the scanner does not follow. Then parse without the cache.
  bool cacheable = false;
  // The statement begins with a word that lifting pays for (SELECT, INSERT, UPDATE, DELETE, WITH, VALUES, MERGE, TABLE).
  bool lifts = false;
};

// Views in `out` borrow from `text`.
void scan_literals(std::string_view text, ScannedText& out);

// The literal's value as the parser would have it ('' -> ').
std::string_view literal_value(const ScannedText::Raw& raw, std::string& buffer);

}  // namespace indigo::engine
