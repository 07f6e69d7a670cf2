// to_tsquery and its kin: queries whose words a configuration's dictionaries make.
#include "base/sqlstate.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/textsearch/document.h"
#include "types/textsearch/query_parser.h"
#include "types/textsearch/query_rewrite.h"
#include "types/textsearch/session.h"

namespace indigo::types {

namespace {

// One operand of what the dictionaries make of `text`: tokens joined by `op`, with the places of stop words between them;
// variants of one token joined by OR, lexemes of one variant by AND.
bool add_lexemes(FuncContext& context, const ConfigurationPtr& configuration, QueryOperator op, QueryBuilder& query,
                 Str text, uint8_t weights, bool prefix) {
  Document document(context, configuration);
  document.add(text);
  const std::vector<DocumentWord>& words = document.words();
  if (words.empty()) {
    query.stop_word();
    return true;
  }
  bool joined = false;
  const auto join = [&] {
    if (joined) query.apply(op, 1);
    joined = true;
  };
  int64_t position = 0;
  for (size_t i = 0; i < words.size();) {
    for (; position > 0 && position + 1 < words[i].position; position++) {
      query.stop_word();
      join();
    }
    position = words[i].position;
    bool several = false;
    while (i < words.size() && words[i].position == position) {
      const uint16_t variant = words[i].variant;
      bool together = false;
      for (; i < words.size() && words[i].position == position && words[i].variant == variant; i++) {
        if (!query.word(words[i].word, weights, prefix || words[i].prefix)) return false;
        if (together) query.apply(QueryOperator::kAnd);
        together = true;
      }
      if (several) query.apply(QueryOperator::kOr);
      several = true;
    }
    join();
  }
  return true;
}

QueryWordReader lexeme_reader(FuncContext& context, const ConfigurationPtr& configuration, QueryOperator op) {
  return [&context, configuration, op](QueryBuilder& query, Str word, uint8_t weights, bool prefix) {
    return add_lexemes(context, configuration, op, query, word, weights, prefix);
  };
}

Datum no_query() { return Datum::make_null(Phys::kStr); }

using QueryMaker = Datum (*)(FuncContext& context, const ConfigurationPtr& configuration, Str text);

Datum standard_query(FuncContext& context, const ConfigurationPtr& configuration, Str text) {
  QueryBuilder query(context, text);
  if (!parse_query(context, text, lexeme_reader(context, configuration, QueryOperator::kPhrase), query))
    return no_query();
  return query.finish();
}
Datum web_query(FuncContext& context, const ConfigurationPtr& configuration, Str text) {
  QueryBuilder query(context, text);
  if (!parse_web_query(context, text, lexeme_reader(context, configuration, QueryOperator::kPhrase), query))
    return no_query();
  return query.finish();
}
Datum whole_text_query(FuncContext& context, const ConfigurationPtr& configuration, Str text, QueryOperator op) {
  QueryBuilder query(context, text);
  if (!text.empty() && !add_lexemes(context, configuration, op, query, text, 0, false)) return no_query();
  return query.finish();
}
Datum all_words_query(FuncContext& context, const ConfigurationPtr& configuration, Str text) {
  return whole_text_query(context, configuration, text, QueryOperator::kAnd);
}
Datum phrase_query(FuncContext& context, const ConfigurationPtr& configuration, Str text) {
  return whole_text_query(context, configuration, text, QueryOperator::kPhrase);
}

template <QueryMaker kMake>
Datum current(FuncContext& context, Str text) {
  const ConfigurationPtr configuration = current_text_search_configuration(context);
  return configuration == nullptr ? no_query() : kMake(context, configuration, text);
}
template <QueryMaker kMake>
Datum configured(FuncContext& context, int32_t oid, Str text) {
  const ConfigurationPtr configuration = text_search_configuration(context, static_cast<Oid>(oid));
  return configuration == nullptr ? no_query() : kMake(context, configuration, text);
}

const ScalarEntry kQueryEntries[] = {
    {"to_tsquery", kernel<current<standard_query>>},
    {"to_tsquery_byid", kernel<configured<standard_query>>},
    {"plainto_tsquery", kernel<current<all_words_query>>},
    {"plainto_tsquery_byid", kernel<configured<all_words_query>>},
    {"phraseto_tsquery", kernel<current<phrase_query>>},
    {"phraseto_tsquery_byid", kernel<configured<phrase_query>>},
    {"websearch_to_tsquery", kernel<current<web_query>>},
    {"websearch_to_tsquery_byid", kernel<configured<web_query>>},
    {"tsquery_rewrite", kernel<rewrite_query>},
};

}  // namespace

Datum plain_query(FuncContext& context, const ConfigurationPtr& configuration, Str text) {
  return configuration == nullptr ? no_query() : all_words_query(context, configuration, text);
}

std::span<const ScalarEntry> text_search_query_functions() { return kQueryEntries; }

}  // namespace indigo::types
