#include "types/extension/pg_trgm/threshold.h"

#include <charconv>
#include <string>

#include "base/sqlstate.h"

namespace indigo::types::trgm {

namespace {

struct Threshold {
  const char* setting;
  double value;  // unless set
};
constexpr Threshold kThresholds[] = {{kSimilarityThreshold, 0.3},
                                     {"pg_trgm.word_similarity_threshold", 0.6},
                                     {"pg_trgm.strict_word_similarity_threshold", 0.5}};

}  // namespace

std::optional<double> threshold(FuncContext& context, Match match) {
  const Threshold& t = kThresholds[static_cast<size_t>(match)];
  std::string text;
  if (!context.session().setting(t.setting, text) || text.empty()) return t.value;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= 1) return value;
  context.fail(sqlstate::kInvalidParameterValue,
               "invalid value for parameter \"" + std::string(t.setting) + "\": \"" + text + "\"");
  return std::nullopt;
}

}  // namespace indigo::types::trgm
