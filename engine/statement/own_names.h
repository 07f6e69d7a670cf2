// Statements that differ in the names that they give to their own relations and columns share one plan, as those do that
// differ in literals (literal_scanner.h): names that a statement's text may give itself are lifted out of it, and of a
// statement that is kept for all of them the parse tree tells which of these matter to nobody else (sql/parse/name_roles.h).
// The others are part of what the plan is found by.
//
// Lifted are lower-case words that are no keywords, quoted or not, of which each stands before a dot, alone, or behind AS,
// another name or a value, and one at least in the last of these ways. Different names stay different, so what a name means
// in one text it means in every other with this key.
// Thread safety: none; belongs to a session, as the scanned text does.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/row_sink.h"
#include "engine/statement/literal_scanner.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine {

struct LiftedNames {
  // The key without literals and names; raw: of the literals, then the names, which borrow from the key that they stood in.
  ScannedText scanned;
  std::vector<uint32_t> times;  // by name, that it stands in the text
  size_t names() const { return times.size(); }
  std::string_view name(size_t i) const { return scanned.raw[scanned.literals.size() + i].text; }
};

// What a plan knows of the names in the text that it was made of.
struct OwnNames {
  std::vector<bool> free;                             // by name: another may stand in its place
  std::vector<std::pair<uint32_t, uint32_t>> labels;  // result's columns, and the name that each is called by
};

// Labels of a result's columns that differ from the plan's.
using ColumnLabels = std::vector<std::pair<uint32_t, std::string>>;

// Whether any names are lifted. `out` borrows from `scanned`.
bool lift_names(const ScannedText& scanned, LiftedNames& out);

// `shape` is the result of `statement`, which has these names. Null when none of them is free.
std::shared_ptr<const OwnNames> own_names(const PgQuery__Node& statement, const ResultShape* shape,
                                          const LiftedNames& lifted);

// What the columns are called in the text that `lifted` is of.
void take_labels(const OwnNames& own, const LiftedNames& lifted, ColumnLabels& out);
std::shared_ptr<const ResultShape> with_labels(const std::shared_ptr<const ResultShape>& shape,
                                               const ColumnLabels& labels);

}  // namespace indigo::engine
