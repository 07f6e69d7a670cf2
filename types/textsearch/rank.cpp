// ts_rank. Sums are of float and double where PostgreSQL's are, so that results agree to the last digit.
#include "types/textsearch/rank.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/array/array_shape.h"
#include "types/textsearch/tsquery.h"
#include "types/textsearch/tsvector.h"

namespace indigo::types {

namespace {

// A lexeme's places; one without any counts as standing once, with weight D, at a place far from all others.
std::vector<uint16_t> places_of(const LexemeView& lexeme) {
  std::vector<uint16_t> places;
  for (size_t i = 0; i < lexeme.places(); i++) places.push_back(lexeme.place(i));
  if (places.empty()) places.push_back(make_place(kMaxPlacePosition, 0));
  return places;
}

// One word's places: `assumed` where the vector has none of its own.
struct Occurrences {
  std::vector<uint16_t> places;
  bool assumed = false;
};

class Ranker {
 public:
  Ranker(const std::vector<LexemeView>& lexemes, const QueryTree& tree, const RankWeights& weights)
      : lexemes_(lexemes), weights_(weights) {
    for (const QueryNode& node : tree)
      if (node.op == QueryOperator::kWord) words_.push_back(node);
    std::stable_sort(words_.begin(), words_.end(),
                     [](const QueryNode& a, const QueryNode& b) { return a.word < b.word; });
    words_.erase(std::unique(words_.begin(), words_.end(),
                             [](const QueryNode& a, const QueryNode& b) { return a.word == b.word; }),
                 words_.end());
  }

  size_t words() const { return words_.size(); }

  // The mean over the query's words: each occurrence adds its weight, the heaviest wholly, others by the square of their number.
  float by_occurrence() const {
    float rank = 0;
    for (const QueryNode& word : words_) {
      for (const LexemeView& lexeme : matching(word)) {
        float sum = 0, heaviest = -1;
        int32_t heaviest_at = 0, number = 0;
        for (const uint16_t place : places_of(lexeme)) {
          const float weight = weights_[place_weight(place)];
          const int32_t square = (number + 1) * (number + 1);
          sum += weight / static_cast<float>(square);
          if (weight > heaviest) {
            heaviest = weight;
            heaviest_at = number;
          }
          number++;
        }
        note_work(8 * static_cast<size_t>(number));
        const int32_t square = (heaviest_at + 1) * (heaviest_at + 1);
        const float term = heaviest + sum - heaviest / static_cast<float>(square);
        constexpr double kLimit = 1.64493406685;  // of the sum of 1/n^2
        rank = static_cast<float>(rank + term / kLimit);
      }
    }
    return words_.empty() ? rank : rank / static_cast<float>(words_.size());
  }

  // Every pair of places of two different words adds, the more the closer they are; below 0 where no two words meet.
  float by_proximity() const {
    float rank = -1;
    std::vector<Occurrences> before;  // of the words up to here; a prefix leaves those of its last lexeme
    for (const QueryNode& word : words_) {
      Occurrences own;
      for (const LexemeView& lexeme : matching(word)) {
        own = {places_of(lexeme), lexeme.places() == 0};
        for (const Occurrences& other : before) add_pairs(own, other, rank);
      }
      if (!own.places.empty()) before.push_back(std::move(own));
    }
    return rank;
  }

 private:
  std::span<const LexemeView> matching(const QueryNode& word) const {
    const auto first = std::lower_bound(lexemes_.begin(), lexemes_.end(), word.word,
                                        [](const LexemeView& l, Str wanted) { return l.word < wanted; });
    auto end = first;
    while (end != lexemes_.end() && (word.prefix ? end->word.starts_with(word.word) : end->word == word.word)) ++end;
    note_work(16 + 4 * static_cast<size_t>(end - first));
    return {first, end};
  }

  void add_pairs(const Occurrences& a, const Occurrences& b, float& rank) const {
    for (const uint16_t one : a.places) {
      note_work(16 * b.places.size());
      for (const uint16_t other : b.places) {
        int32_t distance = std::abs(place_position(one) - place_position(other));
        if (distance == 0) {
          if (!a.assumed && !b.assumed) continue;
          distance = kMaxPlacePosition + 1;
        }
        const float product = weights_[place_weight(one)] * weights_[place_weight(other)] * closeness(distance);
        const auto strength = static_cast<float>(std::sqrt(static_cast<double>(product)));
        rank = rank < 0 ? strength : static_cast<float>(1.0 - (1.0 - rank) * (1.0 - strength));
      }
    }
  }

  static float closeness(int32_t distance) {
    if (distance > 100) return 1e-30f;
    return static_cast<float>(1.0 / (1.005 + 0.05 * std::exp(static_cast<float>(distance) / 1.5 - 2)));
  }

  const std::vector<LexemeView>& lexemes_;
  const RankWeights& weights_;
  std::vector<QueryNode> words_;  // distinct, ascending
};

// Occurrences of all words; one without places counts once.
int64_t document_length(const std::vector<LexemeView>& lexemes) {
  int64_t length = 0;
  for (const LexemeView& lexeme : lexemes) length += static_cast<int64_t>(std::max<size_t>(lexeme.places(), 1));
  return length;
}

float normalised(float rank, const std::vector<LexemeView>& lexemes, int32_t method) {
  const auto words = static_cast<double>(lexemes.size());
  const auto length = static_cast<double>(document_length(lexemes));
  if ((method & kRankByLogLength) != 0) rank = static_cast<float>(rank / (std::log(length + 1) / std::log(2.0)));
  if ((method & kRankByLength) != 0) rank /= static_cast<float>(length);
  if ((method & kRankByWords) != 0) rank /= static_cast<float>(words);
  if ((method & kRankByLogWords) != 0) rank = static_cast<float>(rank / (std::log(words + 1) / std::log(2.0)));
  if ((method & kRankToBelowOne) != 0) rank /= rank + 1;
  return rank;
}

}  // namespace

float text_search_rank(const RankWeights& weights, Str vector, Str query, int32_t method) {
  const QueryTree tree = query_of(query);
  const std::vector<LexemeView> lexemes = lexemes_of(vector);
  if (tree.empty() || lexemes.empty()) return 0;
  const Ranker ranker(lexemes, tree, weights);
  const bool together = tree[0].op == QueryOperator::kAnd || tree[0].op == QueryOperator::kPhrase;
  float rank = together && ranker.words() > 1 ? ranker.by_proximity() : ranker.by_occurrence();
  if (rank < 0) rank = 1e-20f;
  return normalised(rank, lexemes, method);
}

bool read_rank_weights(FuncContext& context, Str array, RankWeights& weights) {
  const ArrayView view(array);
  const auto fail = [&context](SqlState state, const char* message) {
    context.fail(state, message);
    return false;
  };
  if (array_dimensions(view).size() != 1)
    return fail(sqlstate::kArraySubscriptError, "array of weight must be one-dimensional");
  if (view.count() < static_cast<int32_t>(weights.size()))
    return fail(sqlstate::kArraySubscriptError, "array of weight is too short");
  for (int32_t i = 0; i < view.count(); i++)
    if (view.is_null(i)) return fail(sqlstate::kNullValueNotAllowed, "array of weight must not contain nulls");
  for (size_t i = 0; i < weights.size(); i++) {
    const float wanted = view.element(static_cast<int32_t>(i)).f32;
    weights[i] = wanted >= 0 ? wanted : kDefaultRankWeights[i];
    if (weights[i] > 1.0f) return fail(sqlstate::kInvalidParameterValue, "weight out of range");
  }
  return true;
}

}  // namespace indigo::types
