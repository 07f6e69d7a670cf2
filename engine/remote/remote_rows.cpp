#include "engine/remote/remote_rows.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "base/utf8.h"

namespace indigo::engine {

Status check_remote_columns(size_t has, size_t expected) {
  if (has == expected) return {};
  return Error(sqlstate::kProtocolViolation, "invalid query response")
      .with_detail("Expected " + std::to_string(expected) + " fields, got " + std::to_string(has) + " fields.");
}

Status take_remote_rows(const Libpq& pq, const Libpq::Answer* answer, size_t columns, std::vector<RemoteRow>& out) {
  INDIGO_TRY(check_remote_columns(static_cast<size_t>(pq.column_count(answer)), columns));
  for (int r = 0; r < pq.row_count(answer); r++) {
    RemoteRow& row = out.emplace_back(columns);
    for (int c = 0; c < static_cast<int>(columns); c++) {
      if (pq.is_null(answer, r, c) != 0) continue;
      const std::string_view text(pq.value(answer, r, c), static_cast<size_t>(pq.length(answer, r, c)));
      INDIGO_TRY(check_client_text(text));
      row[static_cast<size_t>(c)] = text;
    }
  }
  return {};
}

std::string readable_text(const char* text) {
  std::string out = text == nullptr ? "" : text;
  for (size_t from = 0; from < out.size();) {
    const size_t at = find_invalid_utf8(std::string_view(out).substr(from));
    if (at == kAllValid) break;
    out[from + at] = '?';
    from += at + 1;
  }
  return out;
}

SqlState remote_state(const char* code, SqlState otherwise) {
  const std::string_view text = code == nullptr ? "" : code;
  const auto valid = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); };
  if (text.size() != 5 || !std::all_of(text.begin(), text.end(), valid)) return otherwise;
  char state[6] = "";
  text.copy(state, 5);
  return SqlState(state);
}

}  // namespace indigo::engine
