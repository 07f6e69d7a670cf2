// Values of options as statements write them: WITH (fillfactor = 70), EXPLAIN (ANALYZE), COPY ... (FORMAT csv).
// Thread safety: pure functions.
#pragma once

#include <string>

#include "base/error.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

// The text of a word, a string or a number; empty when there is none.
std::string option_text(const PgQuery__Node* value);
// true, false, on, off, 1 or 0; an option without a value is on. 42601 for anything else.
Result<bool> option_boolean(const PgQuery__DefElem& option);

}  // namespace indigo::sql
