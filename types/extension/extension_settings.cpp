#include "types/extension/extension_settings.h"

#include <algorithm>
#include <cmath>

#include "base/sqlstate.h"
#include "types/number/float.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

using Kind = ExtensionSetting::Kind;

constexpr double kMostInteger = 2147483647;

constexpr ExtensionSetting kSettings[] = {
    {"hnsw.ef_search", Kind::kInteger, "40", 1, 1000},
    {"hnsw.iterative_scan", Kind::kWord, "off", 0, 0, "off, relaxed_order, strict_order"},
    {"hnsw.max_scan_tuples", Kind::kInteger, "20000", 1, kMostInteger},
    {"hnsw.scan_mem_multiplier", Kind::kReal, "1", 1, 1000},
    {"ivfflat.iterative_scan", Kind::kWord, "off", 0, 0, "off, relaxed_order"},
    {"ivfflat.max_probes", Kind::kInteger, "32768", 1, 32768},
    {"ivfflat.probes", Kind::kInteger, "1", 1, 32768},
    {"pg_trgm.similarity_threshold", Kind::kReal, "0.3", 0, 1},
    {"pg_trgm.strict_word_similarity_threshold", Kind::kReal, "0.5", 0, 1},
    {"pg_trgm.word_similarity_threshold", Kind::kReal, "0.6", 0, 1},
};

std::string number_text(double number) {
  std::string out;
  append_double(number, 1, out);
  return out;
}

}  // namespace

Result<std::string> ExtensionSetting::parse(std::string_view text) const {
  const Error invalid(sqlstate::kInvalidParameterValue,
                      "invalid value for parameter \"" + std::string(name) + "\": \"" + std::string(text) + "\"");
  if (kind == Kind::kWord) {
    const std::string word = to_lower(text);
    for (std::string_view rest = words; !rest.empty();) {
      const std::string_view one = rest.substr(0, rest.find(", "));
      if (one == word) return word;
      rest.remove_prefix(std::min(one.size() + 2, rest.size()));
    }
    return Error(invalid).with_hint("Available values: " + std::string(words) + ".");
  }
  double number = 0;
  if (parse_double(text, number) != FloatParse::kOk || std::isnan(number)) return invalid;
  if (kind == Kind::kInteger) number = std::rint(number);
  if (number < least || number > most) {
    return Error(sqlstate::kInvalidParameterValue,
                 number_text(number) + " is outside the valid range for parameter \"" + std::string(name) + "\" (" +
                     number_text(least) + " .. " + number_text(most) + ")");
  }
  return number_text(number);
}

const ExtensionSetting* find_extension_setting(std::string_view name) {
  const std::string lower = to_lower(name);
  const auto* found = std::find_if(std::begin(kSettings), std::end(kSettings),
                                   [&](const ExtensionSetting& s) { return s.name == lower; });
  return found == std::end(kSettings) ? nullptr : found;
}

}  // namespace indigo::types
