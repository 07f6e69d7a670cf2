// What other servers say, as texts: nobody has promised that it has the shape that was asked for, or is UTF-8. Whoever reads rows
// of theirs by column numbers gets them here.
// Thread safety: pure functions; the answer belongs to one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/remote/libpq.h"

namespace indigo::engine {

using RemoteRow = std::vector<std::optional<std::string>>;

// 08P01.
Status check_remote_columns(size_t has, size_t expected);
// Appends the rows of an answer that has some. 08P01 unless it has so many columns, 22021 for what is not UTF-8.
Status take_remote_rows(const Libpq& pq, const Libpq::Answer* answer, size_t columns, std::vector<RemoteRow>& out);

// What is not UTF-8 becomes question marks: for messages.
std::string readable_text(const char* text);
// The SQLSTATE of a remote error; `otherwise` where it is none.
SqlState remote_state(const char* code, SqlState otherwise);

}  // namespace indigo::engine
