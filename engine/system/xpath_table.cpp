// xml2's xpath_table: a key and a document from each row of a query, the key and what each path finds in the document.
#include "base/sqlstate.h"
#include "engine/row_sink.h"
#include "engine/session/session_parts.h"
#include "engine/system/families.h"
#include "engine/system/query_rows.h"
#include "types/extension/xml2/documents.h"

namespace indigo::engine {

namespace {

using namespace query_rows;  // NOLINT(google-build-using-namespace): its rows are all that this file makes

// As many as there are columns for.
std::vector<std::string> paths_of(std::string_view text, size_t most) {
  std::vector<std::string> out;
  while (out.size() < most) {
    const size_t end = text.find('|');
    out.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return out;
}

Status xpath_table(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  RowMaker maker(session, arguments.back().str, sink);
  const std::vector<std::string> paths = paths_of(arguments[3].str, maker.types().size() - 1);
  std::string query = "SELECT ";
  query.append(arguments[0].str).append(", ").append(arguments[1].str).append(" FROM ").append(arguments[2].str);
  query.append(" WHERE ").append(arguments[4].str);
  INDIGO_ASSIGN(const Answer answer, ask(session, query));
  if (answer.types.size() != 2) {
    return Error(sqlstate::kInvalidParameterValue,
                 "expression returning multiple columns is not valid in parameter list")
        .with_detail("Expected two columns in SPI result, got " + std::to_string(answer.types.size()) + ".");
  }
  for (const std::vector<Text>& row : answer.rows) {
    std::vector<types::xml2::Cells> found;
    std::vector<int> unsupported;
    bool well_formed = false;
    if (row[1]) {
      INDIGO_ASSIGN(well_formed, types::xml2::rows_of(*row[1], paths, found, unsupported));
    }
    if (!well_formed) found.emplace_back();
    for (const int type : unsupported) {
      session.notice(Severity::kNotice, Error(sqlstate::kSuccessfulCompletion, types::xml2::unsupported_notice(type)));
    }
    for (types::xml2::Cells& cells : found) {
      cells.insert(cells.begin(), row[0]);
      INDIGO_TRY(maker.add(cells));
    }
  }
  return {};
}

constexpr SystemRows kXPathTableRows[] = {{"xml2_xpath_table", xpath_table}};

}  // namespace

std::span<const SystemRows> xpath_table_rows() { return kXPathTableRows; }

}  // namespace indigo::engine
