// ts_rank_cd: how dense a query's covers are, the shortest stretches of a document that satisfy it. Source: Clarke, Cormack and
// Tudhope, "Relevance Ranking for One to Three Term Queries", 1999. Sums are of double, as PostgreSQL's are.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include <climits>

#include "base/fiber/long_work.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/textsearch/query_matcher.h"
#include "types/textsearch/rank.h"
#include "types/textsearch/tsvector.h"

namespace indigo::types {

namespace {

constexpr int32_t kRankByDistance = 4;

// One word of the document that the query names, and the nodes that name it.
struct Mention {
  uint16_t place;
  size_t lexeme;
  std::vector<uint32_t> nodes;
};

std::vector<Mention> mentions_of(const std::vector<LexemeView>& lexemes, const QueryTree& tree) {
  std::vector<Mention> all;
  for (uint32_t n = 0; n < tree.size(); n++) {
    const QueryNode& node = tree[n];
    if (node.op != QueryOperator::kWord) continue;
    auto at = std::lower_bound(lexemes.begin(), lexemes.end(), node.word,
                               [](const LexemeView& l, Str wanted) { return l.word < wanted; });
    for (; at != lexemes.end() && (node.prefix ? at->word.starts_with(node.word) : at->word == node.word); ++at) {
      for (size_t i = 0; i < at->places(); i++) {
        note_work(16);
        const uint16_t place = at->place(i);
        if (node.weights != 0 && (node.weights >> place_weight(place) & 1) == 0) continue;
        all.push_back({place, static_cast<size_t>(at - lexemes.begin()), {n}});
      }
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Mention& a, const Mention& b) {
    if (place_position(a.place) != place_position(b.place)) return place_position(a.place) < place_position(b.place);
    if (a.place != b.place) return a.place < b.place;
    return a.lexeme < b.lexeme;
  });
  std::vector<Mention> joined;
  for (Mention& mention : all) {
    if (!joined.empty() && joined.back().place == mention.place && joined.back().lexeme == mention.lexeme) {
      joined.back().nodes.push_back(mention.nodes[0]);
    } else {
      joined.push_back(std::move(mention));
    }
  }
  return joined;
}

// The words of a stretch that grows at one end.
class Stretch final : public QueryOperands {
 public:
  explicit Stretch(size_t nodes) : positions_(nodes) {}

  void clear() {
    for (std::vector<int32_t>& positions : positions_) positions.clear();
  }
  void add(const Mention& mention) {
    for (const uint32_t node : mention.nodes) {
      std::vector<int32_t>& positions = positions_[node];
      if (positions.empty() || positions.back() != place_position(mention.place))
        positions.push_back(place_position(mention.place));
    }
  }
  QueryAnswer find(uint32_t node, std::vector<int32_t>* positions) const override {
    const std::vector<int32_t>& found = positions_[node];
    if (found.empty()) return QueryAnswer::kNo;
    if (positions != nullptr) {
      *positions = found;
      if (found.front() > found.back()) std::reverse(positions->begin(), positions->end());
    }
    return QueryAnswer::kYes;
  }

 private:
  std::vector<std::vector<int32_t>> positions_;  // by node, in the order that they came in
};

struct Cover {
  size_t begin, end;  // the first and the last mention
};

class CoverFinder {
 public:
  CoverFinder(const std::vector<Mention>& mentions, const QueryTree& tree)
      : mentions_(mentions), tree_(tree), stretch_(tree.size()) {}

  // The next one from left to right.
  std::optional<Cover> next() {
    for (;; from_++) {
      const std::optional<size_t> end = first_end();
      if (!end) return std::nullopt;
      stretch_.clear();
      for (size_t i = *end + 1; i-- > from_;) {
        note_work(16);
        stretch_.add(mentions_[i]);
        if (!query_holds(tree_, stretch_)) continue;
        from_ = i + 1;
        return Cover{i, *end};
      }
    }
  }

 private:
  // Where the shortest stretch ends that begins at from_ and satisfies the query.
  std::optional<size_t> first_end() {
    stretch_.clear();
    for (size_t i = from_; i < mentions_.size(); i++) {
      note_work(16);
      stretch_.add(mentions_[i]);
      if (query_holds(tree_, stretch_)) return i;
    }
    return std::nullopt;
  }

  const std::vector<Mention>& mentions_;
  const QueryTree& tree_;
  Stretch stretch_;
  size_t from_ = 0;
};

int64_t length_of(const std::vector<LexemeView>& lexemes) {
  int64_t length = 0;
  for (const LexemeView& lexeme : lexemes) length += static_cast<int64_t>(std::max<size_t>(lexeme.places(), 1));
  return length;
}

float cover_rank(FuncContext& context, const RankWeights& weights, Str vector, Str query, int32_t method) {
  const QueryTree tree = query_of(query);
  const std::vector<LexemeView> lexemes = lexemes_of(vector);
  if (!check_tree(context, tree)) return 0;
  const std::vector<Mention> mentions = mentions_of(lexemes, tree);
  if (mentions.empty()) return 0;
  CoverFinder finder(mentions, tree);
  double rank = 0, closeness = 0, middle_before = 0;
  int64_t covers = 0;
  while (const std::optional<Cover> cover = finder.next()) {
    double inverse = 0;
    for (size_t i = cover->begin; i <= cover->end; i++)
      inverse += 1.0 / static_cast<double>(weights[place_weight(mentions[i].place)]);
    const int32_t first = place_position(mentions[cover->begin].place),
                  last = place_position(mentions[cover->end].place);
    const auto words = static_cast<int32_t>(cover->end - cover->begin);
    int32_t noise = last - first - words;
    if (noise < 0) noise = words / 2;
    rank += (static_cast<double>(words + 1) / inverse) / static_cast<double>(1 + noise);
    const double middle = static_cast<double>(last + first) / 2.0;
    if (covers > 0 && middle > middle_before) closeness += 1.0 / (middle - middle_before);
    middle_before = middle;
    covers++;
  }
  const auto length = static_cast<double>(length_of(lexemes));
  const auto words = static_cast<double>(lexemes.size());
  if ((method & kRankByLogLength) != 0) rank /= std::log(length + 1);
  if ((method & kRankByLength) != 0) rank /= length;
  if ((method & kRankByDistance) != 0 && covers > 0 && closeness > 0) rank /= static_cast<double>(covers) / closeness;
  if ((method & kRankByWords) != 0) rank /= words;
  if ((method & kRankByLogWords) != 0) rank /= std::log(words + 1) / std::log(2.0);
  if ((method & kRankToBelowOne) != 0) rank /= rank + 1;
  return static_cast<float>(rank);
}

float weighted_method(FuncContext& context, Str array, Str vector, Str query, int32_t method) {
  RankWeights weights = kDefaultRankWeights;
  return read_rank_weights(context, array, weights) ? cover_rank(context, weights, vector, query, method) : 0;
}
float weighted(FuncContext& context, Str array, Str vector, Str query) {
  return weighted_method(context, array, vector, query, 0);
}
float by_method(FuncContext& context, Str vector, Str query, int32_t method) {
  return cover_rank(context, kDefaultRankWeights, vector, query, method);
}
float plain(FuncContext& context, Str vector, Str query) { return by_method(context, vector, query, 0); }

const ScalarEntry kCoverEntries[] = {
    {"ts_rankcd_wttf", kernel<weighted_method>},
    {"ts_rankcd_wtt", kernel<weighted>},
    {"ts_rankcd_ttf", kernel<by_method>},
    {"ts_rankcd_tt", kernel<plain>},
};

}  // namespace

std::span<const ScalarEntry> text_search_cover_functions() { return kCoverEntries; }

}  // namespace indigo::types
