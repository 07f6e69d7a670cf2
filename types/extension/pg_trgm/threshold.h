// From how similar on two texts match, by settings of the session.
// Thread safety: as FuncContext.
#pragma once

#include <cstdint>
#include <optional>

#include "types/function/context.h"

namespace indigo::types::trgm {

inline constexpr const char* kSimilarityThreshold = "pg_trgm.similarity_threshold";

enum class Match : uint8_t { kText, kWord, kStrictWord };
// 0 to 1; nothing, and the context's error, when the setting is no such number.
std::optional<double> threshold(FuncContext& context, Match match);

}  // namespace indigo::types::trgm
