// Which of several signatures a call means (documentation, sections 10.2 step 4 and 10.3 step 3).
#include <algorithm>

#include "sql/analyze/expression/overloads.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

using Candidates = std::vector<Candidate>;

// Keeps the candidates with the highest score.
template <class Score>
Candidates best_by(const Candidates& candidates, Score&& score) {
  Candidates best;
  int highest = 0;
  for (const Candidate& c : candidates) {
    const int s = score(c);
    if (s > highest || best.empty()) {
      highest = s;
      best.clear();
      best.push_back(c);
    } else if (s == highest) {
      best.push_back(c);
    }
  }
  return best;
}

// The category that the candidates suggest for an unknown argument; 0: they disagree.
struct Suggestion {
  char category = 0;
  bool preferred = false;
};
Suggestion suggest(catalog::CatalogView& catalog, const Candidates& candidates, size_t argument) {
  Suggestion s;
  bool conflict = false;
  for (const Candidate& c : candidates) {
    const auto info = catalog.type(c.arguments[argument]);
    const char category = info ? info->category : 'X';
    const bool preferred = info && info->preferred;
    if (s.category == 0) {
      s = {category, preferred};
    } else if (category == s.category) {
      s.preferred = s.preferred || preferred;
    } else if (category == 'S') {
      s = {category, preferred};
    } else {
      conflict = true;
    }
  }
  if (conflict && s.category != 'S') s.category = 0;
  return s;
}

// Keeps the candidates whose types for the unknown arguments fit the suggestions; all of them when that leaves none.
Candidates fit_unknowns(catalog::CatalogView& catalog, std::span<const Oid> types, const Candidates& candidates) {
  std::vector<Suggestion> suggestions(types.size());
  for (size_t i = 0; i < types.size(); i++) {
    if (types[i] != oid::kUnknown) continue;
    suggestions[i] = suggest(catalog, candidates, i);
    if (suggestions[i].category == 0) return candidates;
  }
  Candidates kept;
  for (const Candidate& c : candidates) {
    bool fits = true;
    for (size_t i = 0; i < types.size() && fits; i++) {
      if (types[i] != oid::kUnknown) continue;
      const auto info = catalog.type(c.arguments[i]);
      fits = info && info->category == suggestions[i].category && (!suggestions[i].preferred || info->preferred);
    }
    if (fits) kept.push_back(c);
  }
  return kept.empty() ? candidates : kept;
}

}  // namespace

Candidates matching(catalog::CatalogView& catalog, std::span<const Oid> types, Candidates candidates) {
  std::erase_if(candidates,
                [&](const Candidate& c) { return !can_coerce(catalog, types, c.arguments, Coercion::kImplicit); });
  return candidates;
}

std::optional<Candidate> select_best(catalog::CatalogView& catalog, std::span<const Oid> given, Candidates candidates) {
  std::vector<Oid> types(given.begin(), given.end());
  std::vector<char> categories(types.size(), 0);
  size_t unknown = 0;
  for (size_t i = 0; i < types.size(); i++) {
    if (types[i] == oid::kUnknown) {
      unknown++;
    } else {
      types[i] = base_type(catalog, types[i]);
      categories[i] = category_of(catalog, types[i]);
    }
  }
  // Most exact matches; then most exact matches or preferred types.
  candidates = best_by(candidates, [&](const Candidate& c) {
    int score = 0;
    for (size_t i = 0; i < types.size(); i++) score += types[i] != oid::kUnknown && types[i] == c.arguments[i];
    return score;
  });
  if (candidates.size() == 1) return candidates[0];
  candidates = best_by(candidates, [&](const Candidate& c) {
    int score = 0;
    for (size_t i = 0; i < types.size(); i++) {
      if (types[i] == oid::kUnknown) continue;
      score += types[i] == c.arguments[i] || is_preferred(catalog, categories[i], c.arguments[i]);
    }
    return score;
  });
  if (candidates.size() == 1) return candidates[0];
  if (unknown == 0) return std::nullopt;
  candidates = fit_unknowns(catalog, types, candidates);
  if (candidates.size() == 1) return candidates[0];
  // All known arguments of one type: suppose that the unknown ones have it too.
  if (unknown < types.size()) {
    Oid known = kInvalidOid;
    for (const Oid type : types) {
      if (type == oid::kUnknown) continue;
      if (known != kInvalidOid && known != type) return std::nullopt;
      known = type;
    }
    const std::vector<Oid> all(types.size(), known);
    candidates = matching(catalog, all, std::move(candidates));
    if (candidates.size() == 1) return candidates[0];
  }
  return std::nullopt;
}

}  // namespace indigo::sql
