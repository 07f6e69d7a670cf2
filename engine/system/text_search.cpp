// Text search functions that run queries: ts_stat, and ts_rewrite by the rows of a query.
#include <map>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_context.h"
#include "engine/programs/nested_statement.h"
#include "engine/session/session_parts.h"
#include "engine/system/families.h"
#include "types/function/context.h"
#include "types/oids.h"
#include "types/textsearch/query_rewrite.h"
#include "types/textsearch/tsvector.h"

namespace indigo::engine {

namespace {

// An error's place in the query is told as such.
Error in_query(Error error, Str text) {
  if (error.position > 0 && error.internal_query.empty()) {
    error.internal_query = text;
    error.internal_position = error.position;
    error.position = 0;
  }
  return error;
}

// Runs one query as a function that changes nothing would; `mismatch` is the error when it has other columns.
Status run_search(SessionParts& session, Str text, std::span<const Oid> columns, const char* mismatch,
                  const std::function<Result<bool>(const Chunk&)>& rows) {
  auto parsed_text = programs::parse_statements(text, nullptr);
  if (!parsed_text) return in_query(parsed_text.error(), text);
  const auto& parsed = *parsed_text;
  if (parsed.size() != 1) {
    return Error(SqlState("42P11"),
                 parsed.empty() ? "cannot open empty query as cursor" : "cannot open multi-query plan as cursor");
  }
  programs::NestedStatement statement(parsed[0]);
  if (const Status prepared = statement.prepare(session); !prepared.ok()) return in_query(prepared.error(), text);
  const Error wrong(sqlstate::kInvalidParameterValue, mismatch);
  if (!statement.returns_rows()) return wrong;
  const auto& types = statement.columns(session)->types;
  if (types.size() != columns.size()) return wrong;
  for (size_t i = 0; i < types.size(); i++)
    if (types[i].oid != columns[i]) return wrong;
  INDIGO_TRY(statement.run(session, {}, false, 0, rows));
  return {};
}

struct WordCount {
  int32_t documents = 0, places = 0;
};

// Weights as bits; other letters count for nothing.
uint32_t weights_of(Str letters) {
  uint32_t weights = 0;
  for (const char c : letters)
    if (const int weight = types::weight_of_letter(c); weight >= 0) weights |= 1u << static_cast<uint32_t>(weight);
  return weights;
}

void count_words(Str vector, uint32_t weights, std::map<std::string, WordCount, std::greater<>>& counts) {
  for (const types::LexemeView& lexeme : types::lexemes_of(vector)) {
    auto places = static_cast<int32_t>(lexeme.places());
    if (weights == 0) {
      places = std::max(places, 1);
    } else {
      for (size_t i = 0; i < lexeme.places(); i++)
        places -= (weights >> types::place_weight(lexeme.place(i)) & 1) == 0 ? 1 : 0;
    }
    if (places == 0) continue;
    WordCount& count = counts[std::string(lexeme.word)];
    count.documents++;
    count.places += places;
  }
}

Status stat_rows(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  const uint32_t weights = arguments.size() > 1 ? weights_of(arguments[1].str) : 0;
  std::map<std::string, WordCount, std::greater<>> counts;
  constexpr Oid kColumns[] = {oid::kTsVector};
  INDIGO_TRY(run_search(session, arguments[0].str, kColumns, "ts_stat query must return one tsvector column",
                        [&](const Chunk& chunk) -> Result<bool> {
                          for (uint32_t i = 0; i < chunk.rows(); i++) {
                            const Datum vector = chunk.columns[0].datum(chunk.selection[i]);
                            if (!vector.null) count_words(vector.str, weights, counts);
                          }
                          return true;
                        }));
  for (const auto& [word, count] : counts) {
    const Datum row[] = {text_datum(word), Datum::of(count.documents), Datum::of(count.places)};
    sink(row);
  }
  return {};
}

Result<OwnedDatum> rewritten_by_query(SessionParts& session, std::span<const Datum> arguments) {
  const types::QueryTree query = types::query_of(arguments[0].str);
  if (query.empty()) return OwnedDatum(arguments[0]);
  types::FuncContext context(session.context());
  Arena arena;
  context.set_arena(&arena);
  if (!types::check_tree(context, query)) return context.take_error();
  types::QueryRewriter rewriter(query);
  constexpr Oid kColumns[] = {oid::kTsQuery, oid::kTsQuery};
  INDIGO_TRY(run_search(session, arguments[1].str, kColumns, "ts_rewrite query must return two tsquery columns",
                        [&](const Chunk& chunk) -> Result<bool> {
                          for (uint32_t i = 0; i < chunk.rows() && !rewriter.empty(); i++) {
                            const Datum found = chunk.columns[0].datum(chunk.selection[i]);
                            const Datum by = chunk.columns[1].datum(chunk.selection[i]);
                            if (found.null || by.null) continue;
                            const types::QueryTree wanted = types::query_of(context.arena().copy(found.str));
                            const types::QueryTree substitute = types::query_of(context.arena().copy(by.str));
                            if (wanted.empty()) continue;
                            if (!types::check_tree(context, wanted) || !types::check_tree(context, substitute))
                              return context.take_error();
                            rewriter.replace(wanted, substitute);
                            rewriter.settle();
                          }
                          return !rewriter.empty();
                        }));
  const Datum made = types::make_tsquery(context, rewriter.result());
  if (context.failed()) return context.take_error();
  return OwnedDatum(made);
}

constexpr SystemRows kTextSearchRows[] = {{"ts_stat1", stat_rows}, {"ts_stat2", stat_rows}};
constexpr SystemValue kTextSearchValues[] = {{"tsquery_rewrite_query", rewritten_by_query}};

}  // namespace

std::span<const SystemRows> text_search_rows() { return kTextSearchRows; }
std::span<const SystemValue> text_search_values() { return kTextSearchValues; }

}  // namespace indigo::engine
