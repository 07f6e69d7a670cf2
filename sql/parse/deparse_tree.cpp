#include "sql/parse/deparse_tree.h"

#include <pg_query.h>

#include "base/sqlstate.h"
#include "sql/parse/grammar_call.h"
#include "sql/parse/parse_tree.h"

namespace indigo::sql {

Result<std::string> deparse_tree(const PgQuery__Node* statement) {
  PgQuery__RawStmt raw = PG_QUERY__RAW_STMT__INIT;
  raw.stmt = const_cast<PgQuery__Node*>(statement);
  PgQuery__RawStmt* list[] = {&raw};
  PgQuery__ParseResult root = PG_QUERY__PARSE_RESULT__INIT;
  root.version = 150000;
  root.n_stmts = 1;
  root.stmts = list;
  std::string bytes(pg_query__parse_result__get_packed_size(&root), '\0');
  pg_query__parse_result__pack(&root, reinterpret_cast<uint8_t*>(bytes.data()));
  const PgQueryProtobuf packed{bytes.size(), bytes.data()};
  const PgQueryDeparseResult answer = call_grammar([&] { return pg_query_deparse_protobuf(packed); });
  Result<std::string> out = std::string();
  if (answer.error) {
    out = Error(sqlstate::kInternalError, answer.error->message);
  } else {
    out = std::string(answer.query);
  }
  pg_query_free_deparse_result(answer);
  return out;
}

}  // namespace indigo::sql
