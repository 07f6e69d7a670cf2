// fuzzystrmatch 1.1.
#include "types/extension/extension.h"

#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/extension/fuzzystrmatch/fuzzystrmatch.h"
#include "types/extension/script.h"
#include "types/function/kernel.h"

namespace indigo::types {

namespace {

constexpr ScriptFunction kScalars[] = {
    {"levenshtein(text, text)", "int"},
    {"levenshtein(text, text, int, int, int)", "int", "levenshtein_with_costs"},
    {"levenshtein_less_equal(text, text, int)", "int"},
    {"levenshtein_less_equal(text, text, int, int, int, int)", "int", "levenshtein_less_equal_with_costs"},
    {"metaphone(text, int)", "text"},
    {"soundex(text)", "text"},
    {"text_soundex(text)", "text", "soundex"},
    {"difference(text, text)", "int"},
    {"dmetaphone(text)", "text"},
    {"dmetaphone_alt(text)", "text"},
};

// Costs are any numbers of a client: sums wrap.
struct Costs {
  uint32_t insert = 1, remove = 1, replace = 1;
};
uint32_t least(uint32_t a, uint32_t b) { return static_cast<int32_t>(a) < static_cast<int32_t>(b) ? a : b; }

std::vector<uint32_t> characters(Str text) {
  std::vector<uint32_t> out;
  for (size_t at = 0; at < text.size(); at += utf8_length(text[at])) out.push_back(utf8_decode(text, at));
  return out;
}

// With `most` and a distance above it: one more than `most`.
int32_t distance(FuncContext& context, Str from, Str to, Costs costs, std::optional<int32_t> most = std::nullopt) {
  constexpr int64_t kMostCharacters = 255;
  const int64_t from_count = utf8_count(from), to_count = utf8_count(to);
  if (from_count == 0) return static_cast<int32_t>(static_cast<uint32_t>(to_count) * costs.insert);
  if (to_count == 0) return static_cast<int32_t>(static_cast<uint32_t>(from_count) * costs.remove);
  if (from_count > kMostCharacters || to_count > kMostCharacters) {
    context.fail(sqlstate::kInvalidParameterValue,
                 "levenshtein argument exceeds maximum length of " + std::to_string(kMostCharacters) + " characters");
    return 0;
  }
  const std::vector<uint32_t> a = characters(from), b = characters(to);
  std::vector<uint32_t> row(a.size() + 1);  // distances of a's beginnings from the part of b that has been seen
  for (size_t i = 0; i < row.size(); i++) row[i] = static_cast<uint32_t>(i) * costs.remove;
  for (const uint32_t c : b) {
    uint32_t diagonal = row[0];
    row[0] += costs.insert;
    for (size_t i = 0; i < a.size(); i++) {
      const uint32_t replaced = diagonal + (a[i] == c ? 0 : costs.replace);
      diagonal = row[i + 1];
      row[i + 1] = least(least(row[i + 1] + costs.insert, row[i] + costs.remove), replaced);
    }
  }
  note_work(a.size() * b.size());
  const auto found = static_cast<int32_t>(row.back());
  return most && *most >= 0 && found > *most ? static_cast<int32_t>(static_cast<uint32_t>(*most) + 1) : found;
}

Costs costs_of(int32_t insert, int32_t remove, int32_t replace) {
  return {static_cast<uint32_t>(insert), static_cast<uint32_t>(remove), static_cast<uint32_t>(replace)};
}
int32_t levenshtein(FuncContext& context, Str from, Str to) { return distance(context, from, to, {}); }
int32_t levenshtein_with_costs(FuncContext& context, Str from, Str to, int32_t insert, int32_t remove,
                               int32_t replace) {
  return distance(context, from, to, costs_of(insert, remove, replace));
}
int32_t levenshtein_less_equal(FuncContext& context, Str from, Str to, int32_t most) {
  return distance(context, from, to, {}, most);
}
int32_t levenshtein_less_equal_with_costs(FuncContext& context, Str from, Str to, int32_t insert, int32_t remove,
                                          int32_t replace, int32_t most) {
  return distance(context, from, to, costs_of(insert, remove, replace), most);
}

std::string metaphone(FuncContext& context, Str text, int32_t most) {
  constexpr size_t kMostBytes = 255;
  if (text.empty()) return {};
  if (text.size() > kMostBytes) {
    context.fail(sqlstate::kInvalidParameterValue, "argument exceeds the maximum length of 255 bytes");
  } else if (most > static_cast<int32_t>(kMostBytes)) {
    context.fail(sqlstate::kInvalidParameterValue, "output exceeds the maximum length of 255 bytes");
  } else if (most <= 0) {
    context.fail(SqlState("2200F"), "output cannot be empty string");
  } else {
    return fuzzystrmatch::metaphone(text, static_cast<size_t>(most));
  }
  return {};
}

// How many places of both codes are alike.
int32_t difference(Str a, Str b) {
  constexpr size_t kLength = 4;
  std::string left = fuzzystrmatch::soundex(a), right = fuzzystrmatch::soundex(b);
  left.resize(kLength), right.resize(kLength);
  return std::inner_product(left.begin(), left.end(), right.begin(), 0, std::plus<>(), std::equal_to<>());
}

std::string first_code(Str text) { return fuzzystrmatch::double_metaphone(text).first; }
std::string second_code(Str text) { return fuzzystrmatch::double_metaphone(text).second; }

constexpr ScalarEntry kFunctions[] = {
    {"levenshtein", kernel<levenshtein>},
    {"levenshtein_with_costs", kernel<levenshtein_with_costs>},
    {"levenshtein_less_equal", kernel<levenshtein_less_equal>},
    {"levenshtein_less_equal_with_costs", kernel<levenshtein_less_equal_with_costs>},
    {"metaphone", kernel<metaphone>},
    {"soundex", kernel<fuzzystrmatch::soundex>},
    {"difference", kernel<difference>},
    {"dmetaphone", kernel<first_code>},
    {"dmetaphone_alt", kernel<second_code>},
};

}  // namespace

const Extension& fuzzystrmatch_extension() {
  static const std::string script = function_script(kScalars);
  static const Extension extension{.name = "fuzzystrmatch",
                                   .version = "1.1",
                                   .comment = "determine similarities and distance between strings",
                                   .schema = {},
                                   .required = {},
                                   .definitions = script,
                                   .functions = kFunctions};
  return extension;
}

}  // namespace indigo::types
