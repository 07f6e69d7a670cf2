// Keys of one statement that ask for the same: only the first is made, with the name of whichever has one.
// Thread safety: part of one definition statement.
#pragma once

#include <deque>
#include <vector>

#include "engine/ddl/table/create_table.h"

namespace indigo::engine::ddl {

// Takes the later ones out of the columns' keys and of `constraints`; `kept` holds those that got another's name.
// PRIMARY KEY comes before UNIQUE, then those of columns before those of the table.
void merge_equal_keys(std::vector<ColumnSpec>& columns, std::vector<const PgQuery__Constraint*>& constraints,
                      std::deque<PgQuery__Constraint>& kept);

}  // namespace indigo::engine::ddl
