// tsvector's functions and operators.
#include <algorithm>

#include "base/fiber/long_sort.h"
#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/array/array_shape.h"
#include "types/function/compare.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/oids.h"
#include "types/set/producer.h"
#include "types/textsearch/rank.h"
#include "types/textsearch/tsquery.h"
#include "types/textsearch/tsvector.h"

namespace indigo::types {

namespace {

using VectorCompare = Compare<compare_tsvectors>;

int32_t vector_length(Str vector) { return static_cast<int32_t>(lexemes_of(vector).size()); }

Datum no_vector() { return Datum::make_null(Phys::kStr); }

Datum strip(FuncContext& context, Str vector) {
  std::vector<Lexeme> lexemes = copy_lexemes(vector);
  for (Lexeme& lexeme : lexemes) lexeme.places.clear();
  return make_tsvector(context, lexemes);
}

// -1: the context has the error, which names the weight as a number.
int weight_of(FuncContext& context, Str letter) {
  const int weight = letter.empty() ? -1 : weight_of_letter(letter[0]);
  if (weight < 0)
    context.fail(sqlstate::kInternalError, "unrecognized weight: " + std::to_string(letter.empty() ? 0 : letter[0]));
  return weight;
}
void set_weight(Lexeme& lexeme, int weight) {
  for (uint16_t& place : lexeme.places) place = make_place(place_position(place), static_cast<uint16_t>(weight));
}
Datum set_all_weights(FuncContext& context, Str vector, Str letter) {
  const int weight = weight_of(context, letter);
  if (weight < 0) return no_vector();
  std::vector<Lexeme> lexemes = copy_lexemes(vector);
  for (Lexeme& lexeme : lexemes) set_weight(lexeme, weight);
  return make_tsvector(context, lexemes);
}

// The lexeme of a word; null: there is none.
Lexeme* find_lexeme(std::vector<Lexeme>& lexemes, Str word) {
  const auto at = std::lower_bound(lexemes.begin(), lexemes.end(), word,
                                   [](const Lexeme& lexeme, Str wanted) { return lexeme.word < wanted; });
  return at != lexemes.end() && at->word == word ? &*at : nullptr;
}

// The words of an array; nulls count for nothing.
std::vector<Str> words_of(Str array) {
  std::vector<Str> words;
  const ArrayView view(array);
  for (int32_t i = 0; i < view.count(); i++) {
    note_work(16);
    if (!view.is_null(i)) words.push_back(view.element(i).str);
  }
  return words;
}

Datum set_some_weights(FuncContext& context, Str vector, Str letter, Str array) {
  const int weight = weight_of(context, letter);
  if (weight < 0) return no_vector();
  std::vector<Lexeme> lexemes = copy_lexemes(vector);
  for (const Str word : words_of(array))
    if (Lexeme* lexeme = find_lexeme(lexemes, word)) set_weight(*lexeme, weight);
  return make_tsvector(context, lexemes);
}

Datum delete_words(FuncContext& context, Str vector, std::vector<Str> words) {
  std::sort(words.begin(), words.end(), noted_order());
  std::vector<Lexeme> lexemes = copy_lexemes(vector);
  std::erase_if(lexemes, [&words](const Lexeme& lexeme) {
    return std::binary_search(words.begin(), words.end(), Str(lexeme.word));
  });
  return make_tsvector(context, lexemes);
}
Datum delete_word(FuncContext& context, Str vector, Str word) { return delete_words(context, vector, {word}); }
Datum delete_array(FuncContext& context, Str vector, Str array) {
  return delete_words(context, vector, words_of(array));
}

Datum filter(FuncContext& context, Str vector, Str letters) {
  const ArrayView view(letters);
  uint32_t wanted = 0;
  for (int32_t i = 0; i < view.count(); i++) {
    if (view.is_null(i)) {
      context.fail(sqlstate::kNullValueNotAllowed, "weight array may not contain nulls");
      return no_vector();
    }
    const Str letter = view.element(i).str;
    const int weight = letter.empty() ? -1 : weight_of_letter(letter[0]);
    if (weight < 0) {
      context.fail(sqlstate::kInvalidParameterValue, "unrecognized weight: \"" + std::string(letter) + "\"");
      return no_vector();
    }
    wanted |= 1u << static_cast<uint32_t>(weight);
  }
  std::vector<Lexeme> lexemes = copy_lexemes(vector);
  for (Lexeme& lexeme : lexemes)
    std::erase_if(lexeme.places, [wanted](uint16_t place) { return (wanted >> place_weight(place) & 1) == 0; });
  std::erase_if(lexemes, [](const Lexeme& lexeme) { return lexeme.places.empty(); });
  return make_tsvector(context, lexemes);
}

Str text_array(FuncContext& context, const std::vector<Datum>& words) {
  const ArrayDimensions dimensions =
      words.empty() ? ArrayDimensions{} : ArrayDimensions{{static_cast<int32_t>(words.size()), 1}};
  return build_array(context, oid::kText, Phys::kStr, dimensions, words);
}
Str to_array(FuncContext& context, Str vector) {
  std::vector<Datum> words;
  for (const LexemeView& lexeme : lexemes_of(vector)) words.push_back(Datum::of(lexeme.word));
  return text_array(context, words);
}
Datum from_array(FuncContext& context, Str array) {
  const ArrayView view(array);
  std::vector<Lexeme> lexemes;
  for (int32_t i = 0; i < view.count(); i++) {
    if (view.is_null(i)) {
      context.fail(sqlstate::kNullValueNotAllowed, "lexeme array may not contain nulls");
      return no_vector();
    }
    const Str word = view.element(i).str;
    if (word.empty()) {
      context.fail(Error(SqlState{"2200F"}, "lexeme array may not contain empty strings"));
      return no_vector();
    }
    if (word.size() > kMaxLexemeBytes) {
      context.fail(sqlstate::kProgramLimitExceeded, "word is too long (" + std::to_string(word.size()) +
                                                        " bytes, max " + std::to_string(kMaxLexemeBytes) + " bytes)");
      return no_vector();
    }
    lexemes.push_back({std::string(word), {}});
  }
  normalise_lexemes(lexemes);
  return make_tsvector(context, lexemes);
}

// The second vector's positions go on after the first one's last.
void append_places(const std::vector<uint16_t>& from, int32_t shift, std::vector<uint16_t>& to) {
  for (const uint16_t place : from) {
    if (to.size() == kMaxPlaces) break;
    if (!to.empty() && place_position(to.back()) == kMaxPlacePosition) break;
    to.push_back(make_place(place_position(place) + shift, place_weight(place)));
  }
}
Datum concatenate_vectors(FuncContext& context, Str a, Str b) {
  std::vector<Lexeme> left = copy_lexemes(a), right = copy_lexemes(b);
  int32_t shift = 0;
  for (const Lexeme& lexeme : left)
    if (!lexeme.places.empty()) shift = std::max<int32_t>(shift, place_position(lexeme.places.back()));
  std::vector<Lexeme> all;
  size_t l = 0, r = 0;
  while (l < left.size() || r < right.size()) {
    if (r == right.size() || (l < left.size() && left[l].word < right[r].word)) {
      all.push_back(std::move(left[l++]));
      continue;
    }
    if (l < left.size() && left[l].word == right[r].word) {
      all.push_back(std::move(left[l++]));
    } else {
      all.push_back({right[r].word, {}});
    }
    append_places(right[r++].places, shift, all.back().places);
  }
  return make_tsvector(context, all);
}

bool matches_vector(FuncContext& context, Str vector, Str query) { return tsquery_matches(context, vector, query); }
bool query_matches(FuncContext& context, Str query, Str vector) { return tsquery_matches(context, vector, query); }

float rank_by_weights_and_method(FuncContext& context, Str array, Str vector, Str query, int32_t method) {
  RankWeights weights = kDefaultRankWeights;
  return read_rank_weights(context, array, weights) ? text_search_rank(weights, vector, query, method) : 0;
}
float rank_by_weights(FuncContext& context, Str array, Str vector, Str query) {
  return rank_by_weights_and_method(context, array, vector, query, 0);
}
float rank_by_method(Str vector, Str query, int32_t method) {
  return text_search_rank(kDefaultRankWeights, vector, query, method);
}
float rank(Str vector, Str query) { return rank_by_method(vector, query, 0); }

// (lexeme, positions, weights); a word without places has nulls.
std::unique_ptr<SetProducer> open_lexemes(FuncContext&, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  auto rows = std::make_unique<RowSet>();
  for (const LexemeView& lexeme : lexemes_of(arguments[0].str)) {
    std::vector<Datum> row = {rows->text(lexeme.word), Datum::make_null(Phys::kStr), Datum::make_null(Phys::kStr)};
    if (lexeme.places() > 0) {
      std::vector<Datum> positions, weights;
      for (size_t i = 0; i < lexeme.places(); i++) {
        positions.push_back(Datum::of(static_cast<int16_t>(place_position(lexeme.place(i)))));
        weights.push_back(Datum::of(Str("DCBA").substr(place_weight(lexeme.place(i)), 1)));
      }
      const ArrayDimensions dimensions = {{static_cast<int32_t>(lexeme.places()), 1}};
      row[1] = rows->text(make_array(oid::kInt2, Phys::kI16, dimensions, positions));
      row[2] = rows->text(make_array(oid::kText, Phys::kStr, dimensions, weights));
    }
    rows->add_in_turn(std::move(row));
  }
  return rows;
}

const ScalarEntry kTsVectorEntries[] = {
    {"tsvector_lt", kernel<VectorCompare::lt>},
    {"tsvector_le", kernel<VectorCompare::le>},
    {"tsvector_eq", kernel<VectorCompare::eq>},
    {"tsvector_ne", kernel<VectorCompare::ne>},
    {"tsvector_ge", kernel<VectorCompare::ge>},
    {"tsvector_gt", kernel<VectorCompare::gt>},
    {"tsvector_cmp", kernel<VectorCompare::cmp>},
    {"tsvector_length", kernel<vector_length>},
    {"tsvector_strip", kernel<strip>},
    {"tsvector_setweight", kernel<set_all_weights>},
    {"tsvector_setweight_by_filter", kernel<set_some_weights>},
    {"tsvector_concat", kernel<concatenate_vectors>},
    {"tsvector_delete_str", kernel<delete_word>},
    {"tsvector_delete_arr", kernel<delete_array>},
    {"tsvector_filter", kernel<filter>},
    {"tsvector_to_array", kernel<to_array>},
    {"array_to_tsvector", kernel<from_array>},
    {"ts_match_vq", kernel<matches_vector>},
    {"ts_match_qv", kernel<query_matches>},
    {"ts_rank_wttf", kernel<rank_by_weights_and_method>},
    {"ts_rank_wtt", kernel<rank_by_weights>},
    {"ts_rank_ttf", kernel<rank_by_method>},
    {"ts_rank_tt", kernel<rank>},
};
const SetEntry kTextSearchSets[] = {{"tsvector_unnest", open_lexemes}};

}  // namespace

std::span<const ScalarEntry> tsvector_functions() { return kTsVectorEntries; }
std::span<const SetEntry> text_search_sets() { return kTextSearchSets; }

}  // namespace indigo::types
