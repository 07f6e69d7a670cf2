// Errors for names that are not there, with the hints that PostgreSQL gives: near misses and names out of reach.
#include <algorithm>
#include <vector>

#include "base/utf8.h"
#include "sql/analyze/from/names.h"

namespace indigo::sql {
namespace {

constexpr int kMaxDistance = 3;

std::vector<char32_t> characters(std::string_view s) {
  std::vector<char32_t> out;
  for (size_t at = 0; at < s.size(); at += utf8_length(s[at])) out.push_back(utf8_decode(s, at));
  return out;
}

// The best column names so far, up to two of equal distance.
struct Nearest {
  int distance = kMaxDistance + 1;
  const Entry *first = nullptr, *second = nullptr;
  size_t first_column = 0, second_column = 0;

  void offer(const Entry& entry, size_t column, std::string_view wanted, int penalty) {
    const std::string& actual = entry.column_names[column];
    if (actual.empty() || penalty > distance) return;
    int d = edit_distance(actual, wanted, distance + 1 - penalty);
    if (d > static_cast<int>(wanted.size()) / 2) return;
    d += penalty;
    if (d < distance) {
      *this = {d, &entry, nullptr, column, 0};
    } else if (d == distance) {
      if (second) {
        *this = {d - 1, nullptr, nullptr, 0, 0};
      } else if (first) {
        second = &entry;
        second_column = column;
      }
    }
  }
};

std::string quoted_column(const Entry& entry, size_t column) {
  return "\"" + entry.alias + "." + entry.column_names[column] + "\"";
}

}  // namespace

int edit_distance(std::string_view a_text, std::string_view b_text, int limit) {
  const auto a = characters(a_text), b = characters(b_text);
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); j++) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); i++) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); j++) {
      const int above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return std::min(row[b.size()], limit + 1);
}

Error missing_column(Scope& scope, std::string_view relation, std::string_view column, int location) {
  std::string message = relation.empty()
                            ? "column \"" + std::string(column) + "\" does not exist"
                            : "column " + std::string(relation) + "." + std::string(column) + " does not exist";
  Error error = scope.error(sqlstate::kUndefinedColumn, std::move(message), location);
  Nearest nearest;
  for (Scope* level = &scope; level != nullptr; level = level->parent) {
    for (const Entry& entry : level->query->entries) {
      const int penalty = relation.empty() ? 0 : edit_distance(relation, entry.alias, kMaxDistance + 1);
      for (size_t i = 0; i < entry.column_names.size(); i++) {
        if (entry.column_names[i] == column && penalty == 0) {
          error.hint = "There is a column named \"" + std::string(column) + "\" in table \"" + entry.alias +
                       "\", but it cannot be referenced from this part of the query.";
          return error;
        }
        nearest.offer(entry, i, column, penalty);
      }
    }
  }
  if (nearest.second) {
    error.hint = "Perhaps you meant to reference the column " + quoted_column(*nearest.first, nearest.first_column) +
                 " or the column " + quoted_column(*nearest.second, nearest.second_column) + ".";
  } else if (nearest.first) {
    error.hint =
        "Perhaps you meant to reference the column " + quoted_column(*nearest.first, nearest.first_column) + ".";
  }
  return error;
}

namespace {

bool names_cte(const Scope& scope, const Entry& entry, std::string_view name) {
  if (entry.kind != EntryKind::kCte || entry.cte < 0) return false;
  const Scope* owner = &scope;
  for (int i = 0; i < entry.cte_levels_up && owner != nullptr; i++) owner = owner->parent;
  return owner != nullptr && static_cast<size_t>(entry.cte) < owner->query->ctes.size() &&
         owner->query->ctes[static_cast<size_t>(entry.cte)].name == name;
}

}  // namespace

Error missing_table(Scope& scope, std::string_view schema, std::string_view name, int location) {
  const auto relation = scope.catalog().find_relation(schema, name);
  for (Scope* level = &scope; level != nullptr; level = level->parent) {
    for (const Entry& entry : level->query->entries) {
      const bool same_table = relation && entry.relation && entry.relation->oid == relation->oid;
      const bool same_alias = entry.alias == name;
      const bool same_cte = schema.empty() && names_cte(*level, entry, name);
      if (!same_table && !same_alias && !same_cte) continue;
      Error error =
          scope.error(sqlstate::kUndefinedTable,
                      "invalid reference to FROM-clause entry for table \"" + std::string(name) + "\"", location);
      int levels_up = 0;
      const auto visible = find_table(scope, "", entry.alias, location, &levels_up);
      if (entry.alias != name && visible.ok() && *visible != nullptr) {
        error.hint = "Perhaps you meant to reference the table alias \"" + entry.alias + "\".";
      } else {
        error.hint = "There is an entry for table \"" + entry.alias +
                     "\", but it cannot be referenced from this part of the query.";
      }
      return error;
    }
  }
  return scope.error(sqlstate::kUndefinedTable, "missing FROM-clause entry for table \"" + std::string(name) + "\"",
                     location);
}

}  // namespace indigo::sql
