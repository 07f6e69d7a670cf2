// ts_rank: how often, and how close to each other, a tsvector has the words of a tsquery.
// A query that is an AND or a phrase at its top is ranked by the distances between its words, any other by their number.
// Source: PostgreSQL 15's manual, "Ranking Search Results".
// Thread safety: pure functions.
#pragma once

#include <array>
#include <cstdint>

#include "types/function/context.h"
#include "types/value/datum.h"

namespace indigo::types {

// What an occurrence counts for, 0 to 1, by its place's weight: D, C, B, A.
using RankWeights = std::array<float, 4>;
inline constexpr RankWeights kDefaultRankWeights = {0.1f, 0.2f, 0.4f, 1.0f};

// Bits of the method: what a rank is divided by. Others have no effect.
inline constexpr int32_t kRankByLogLength = 1, kRankByLength = 2, kRankByWords = 8, kRankByLogWords = 16,
                         kRankToBelowOne = 32;

float text_search_rank(const RankWeights& weights, Str vector, Str query, int32_t method);
// Of a real[]; a negative weight stands for the default. False: the context has the error.
bool read_rank_weights(FuncContext& context, Str array, RankWeights& weights);

}  // namespace indigo::types
