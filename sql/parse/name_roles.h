// Which names of a statement matter to nobody but itself: aliases of its relations, where they stand before a dot, and labels
// of its result's columns. With other names in their places, different from each other and from all others of its text,
// the statement means the same; only its labels differ.
//
// Thread safety: pure functions. Source: PostgreSQL's rules of names (parse_relation.c, parse_clause.c): "a.b" looks for a
// relation called a in the statement's own range table first, and what ORDER BY alone names is a label before it is a column.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sql/parse/tree_names.h"

namespace indigo::sql {

struct NameRole {
  uint32_t own = 0;    // times that it is an alias, stands before a dot for one, or is a label
  uint32_t other = 0;  // times that it is anything else
};

struct NameRoles {
  std::vector<NameRole> names;  // as asked for
  struct Label {
    uint32_t column, name;
  };
  std::vector<Label> labels;  // of the result's columns
  uint32_t columns = 0;       // of the result, when there are labels
};

// `names` are lower-case and differ. SELECT, INSERT, UPDATE and DELETE have roles; in all else, and where a relation has a
// name that does not stand in the text, each name is something else.
NameRoles name_roles(const PgQuery__Node& statement, std::span<const std::string_view> names);

}  // namespace indigo::sql
