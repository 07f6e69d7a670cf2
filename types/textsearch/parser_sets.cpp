// The parser and dictionaries seen from SQL: ts_parse, ts_token_type, ts_lexize, ts_debug.
#include <optional>

#include "base/sqlstate.h"
#include "types/array/array_shape.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/oids.h"
#include "types/set/producer.h"
#include "types/system/object_name.h"
#include "types/textsearch/parser/default_parser.h"
#include "types/textsearch/session.h"

namespace indigo::types {

namespace {

Datum number(TokenType type) { return Datum::of(static_cast<int32_t>(type)); }

// False: the context has the error that there is no such parser. There is only one implementation of parsers.
bool check_parser(FuncContext& context, const Datum& parser) {
  if (parser.phys == Phys::kStr) {
    const Result<Oid> found = find_text_search_parser_oid(context, parser.str);
    if (!found) context.fail(Error(found.error()));
    return found.ok();
  }
  TextSearchSession* session = text_search_session(context);
  if (session == nullptr) return false;
  if (session->text_search_name(TextSearchKind::kParser, parser.oid())) return true;
  context.fail(sqlstate::kInternalError, "cache lookup failed for text search parser " + std::to_string(parser.oid()));
  return false;
}

std::unique_ptr<SetProducer> open_tokens(FuncContext& context, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments) || !check_parser(context, arguments[0])) return empty_set();
  auto rows = std::make_unique<RowSet>();
  DefaultParser parser(arguments[1].str);
  while (const std::optional<Token> token = parser.next())
    rows->add_in_turn({number(token->type), rows->text(token->text)});
  return rows;
}

std::unique_ptr<SetProducer> open_token_types(FuncContext& context, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments) || !check_parser(context, arguments[0])) return empty_set();
  auto rows = std::make_unique<RowSet>();
  int32_t type = 0;
  for (const TokenTypeName& name : token_type_names())
    rows->add_in_turn({Datum::of(++type), rows->text(name.alias), rows->text(name.description)});
  return rows;
}

// What one dictionary makes of one word, also of a phrase of this word alone.
Normals lexize_alone(const Dictionary& dictionary, Str word) {
  LexizeState state;
  Normals normals = dictionary.lexize(word, state);
  if (!state.wants_next) return normals;
  state.at_end = true;
  Normals at_end = dictionary.lexize(word, state);
  return at_end ? at_end : normals;
}

std::string lexeme_array(const std::vector<Normal>& normals) {
  std::vector<Datum> words;
  for (const Normal& normal : normals) words.push_back(Datum::of(Str(normal.word)));
  const ArrayDimensions dimensions =
      words.empty() ? ArrayDimensions{} : ArrayDimensions{{static_cast<int32_t>(words.size()), 1}};
  return make_array(oid::kText, Phys::kStr, dimensions, words);
}

std::optional<Str> lexize(FuncContext& context, int32_t dictionary, Str word) {
  TextSearchSession* session = text_search_session(context);
  if (session == nullptr) return std::nullopt;
  const Result<DictionaryPtr> found = session->text_search_dictionary(static_cast<Oid>(dictionary));
  if (!found) {
    context.fail(Error(found.error()));
    return std::nullopt;
  }
  const Normals normals = lexize_alone(**found, word);
  if (!normals) return std::nullopt;
  return context.arena().copy(lexeme_array(*normals));
}

void add_debug_row(RowSet& rows, const TextSearchConfiguration& configuration, const Token& token) {
  const auto& steps = configuration.steps[static_cast<size_t>(token.type)];
  const TokenTypeName& name = token_type_names()[static_cast<size_t>(token.type) - 1];
  std::vector<Datum> dictionaries;
  for (const auto& step : steps) dictionaries.push_back(Datum::of_oid(step.oid));
  const ArrayDimensions dimensions =
      steps.empty() ? ArrayDimensions{} : ArrayDimensions{{static_cast<int32_t>(steps.size()), 1}};
  std::vector<Datum> row = {rows.text(name.alias),
                            rows.text(name.description),
                            rows.text(token.text),
                            rows.text(make_array(oid::kRegDictionary, Phys::kI32, dimensions, dictionaries)),
                            steps.empty() ? Datum::make_null(Phys::kI32) : Datum::of_oid(steps[0].oid),
                            Datum::make_null(Phys::kStr)};
  for (const auto& step : steps) {
    const Normals normals = lexize_alone(*step.dictionary, token.text);
    if (!normals) continue;
    row[4] = Datum::of_oid(step.oid);
    row[5] = rows.text(lexeme_array(*normals));
    break;
  }
  rows.add(std::move(row));
}

std::unique_ptr<SetProducer> open_debug(FuncContext& context, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  TextSearchSession* session = text_search_session(context);
  if (session == nullptr) return empty_set();
  ConfigurationPtr configuration;
  if (arguments.size() == 1) {
    configuration = current_text_search_configuration(context);
  } else if (session->text_search_name(TextSearchKind::kConfiguration, arguments[0].oid())) {
    configuration = text_search_configuration(context, arguments[0].oid());
  }
  if (configuration == nullptr) return empty_set();
  auto rows = std::make_unique<RowSet>();
  DefaultParser parser(arguments.back().str);
  while (const std::optional<Token> token = parser.next()) add_debug_row(*rows, *configuration, *token);
  return rows;
}

const ScalarEntry kEntries[] = {{"ts_lexize", kernel<lexize>}};
const SetEntry kSets[] = {
    {"ts_parse_byid", open_tokens},           {"ts_parse_byname", open_tokens},
    {"ts_token_type_byid", open_token_types}, {"ts_token_type_byname", open_token_types},
    {"ts_debug(regconfig,text)", open_debug}, {"ts_debug(text)", open_debug},
};

}  // namespace

std::span<const ScalarEntry> text_search_dictionary_functions() { return kEntries; }
std::span<const SetEntry> text_search_parser_sets() { return kSets; }

}  // namespace indigo::types
