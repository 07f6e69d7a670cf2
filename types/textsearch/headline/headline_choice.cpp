#include "types/textsearch/headline/headline_choice.h"

#include <algorithm>
#include <optional>

#include <climits>

#include "base/fiber/long_work.h"

namespace indigo::types {

namespace {

// Indexes of words, both included.
struct Stretch {
  int64_t first, last;
};

// The words of a stretch as operands of the query.
class StretchOperands final : public QueryOperands {
 public:
  StretchOperands(const std::vector<HeadlineWord>& words, Stretch stretch) : words_(words), stretch_(stretch) {}

  QueryAnswer find(uint32_t node, std::vector<int32_t>* positions) const override {
    for (int64_t i = stretch_.first; i <= stretch_.last; i++) {
      note_work(2);
      const HeadlineWord& word = words_[static_cast<size_t>(i)];
      if (word.node != static_cast<int32_t>(node)) continue;
      if (positions == nullptr) return QueryAnswer::kYes;
      if (positions->empty() || positions->back() < word.position) positions->push_back(word.position);
    }
    return positions != nullptr && !positions->empty() ? QueryAnswer::kYes : QueryAnswer::kNo;
  }

 private:
  const std::vector<HeadlineWord>& words_;
  Stretch stretch_;
};

bool is_compound(TokenType type) {
  return type == TokenType::kUrl || type == TokenType::kHyphenNumberWord || type == TokenType::kHyphenAsciiWord ||
         type == TokenType::kHyphenWord;
}
// Tokens that do not count as words of a headline.
bool is_no_word(TokenType type) { return type == TokenType::kBlank || type == TokenType::kTag || is_compound(type); }
// Tokens that a headline should not begin or end with.
bool is_poor_end(TokenType type) {
  switch (type) {
    case TokenType::kScientific:
    case TokenType::kVersion:
    case TokenType::kDecimal:
    case TokenType::kSignedInteger:
    case TokenType::kUnsignedInteger:
    case TokenType::kProtocol:
    case TokenType::kEntity: return true;
    default: return is_no_word(type);
  }
}

class HeadlineChooser {
 public:
  HeadlineChooser(HeadlineText& text, const HeadlineOptions& options)
      : words_(text.words()), query_(text.query()), options_(options), size_(static_cast<int64_t>(words_.size())) {}

  void choose() {
    if (options_.max_fragments == 0) {
      show(options_.highlight_all ? Stretch{0, size_ - 1} : best_stretch());
    } else {
      choose_fragments();
    }
  }

 private:
  const HeadlineWord& word(int64_t i) const { return words_[static_cast<size_t>(i)]; }
  bool counts(int64_t i) const { return !is_no_word(word(i).type); }
  bool interesting(int64_t i) const { return word(i).node != HeadlineWord::kNoNode && !word(i).repeated; }
  bool bad_end(int64_t i) const {
    return (is_poor_end(word(i).type) || static_cast<int64_t>(word(i).text.size()) <= options_.short_word_bytes) &&
           !interesting(i);
  }

  // The first word of the query's at or after `from`; size_: none.
  int64_t next_mention(int64_t from) const {
    while (from < size_ && word(from).node == HeadlineWord::kNoNode) from++;
    return from;
  }

  // The earliest shortest stretch from `from` on that satisfies the query.
  std::optional<Stretch> next_cover(int64_t from) const {
    if (query_.empty()) return std::nullopt;
    for (int64_t first = next_mention(from); first < size_; first = next_mention(first + 1)) {
      for (int64_t last = first; last < size_ && last - first < options_.max_cover(); last = next_mention(last + 1)) {
        note_work(32);
        const Stretch stretch{first, last};
        if (query_holds(query_, StretchOperands(words_, stretch))) return stretch;
      }
    }
    return std::nullopt;
  }

  // From the document's beginning.
  Stretch opening() const {
    int64_t length = 0, last = -1;
    for (int64_t i = 0; i < size_ && length < options_.min_words; i++) {
      length += counts(i);
      last = i;
    }
    return {0, last};
  }

  // ---- one stretch

  struct Candidate {
    Stretch stretch;
    int64_t mentions;
  };

  // Around a cover: of at least min_words and at most max_words, with good ends where possible.
  Candidate around(const Stretch& cover) const {
    int64_t length = 0, mentions = 0, i = cover.first;
    Stretch out{cover.first, cover.first};
    const auto count = [&](int64_t at) {
      length += counts(at);
      mentions += interesting(at);
    };
    for (; i <= cover.last && length < options_.max_words; i++) {
      count(i);
      out.last = i;
    }
    if (length >= options_.max_words) {
      shorten(std::min(i, cover.last), length, mentions, out);
      return {out, mentions};
    }
    for (i--; i < size_ && length < options_.max_words; i++) {
      if (i > cover.last) count(i);
      out.last = i;
      if (!bad_end(i) && length >= options_.min_words) break;
    }
    if (length < options_.min_words) {
      for (i = cover.first - 1; i >= 0; i--) {
        count(i);
        if (length >= options_.max_words || (!bad_end(i) && length >= options_.min_words)) break;
      }
      out.first = std::max<int64_t>(i, 0);
    }
    return {out, mentions};
  }
  // Takes words off the end until it is a good one.
  void shorten(int64_t from, int64_t& length, int64_t& mentions, Stretch& out) const {
    for (int64_t i = from; length > options_.min_words && bad_end(i); i--) {
      length -= counts(i);
      mentions -= interesting(i);
      out.last = i - 1;
    }
  }

  Stretch best_stretch() const {
    std::optional<Candidate> best;
    bool best_whole = false;
    for (std::optional<Stretch> cover = next_cover(0); cover; cover = next_cover(cover->first + 1)) {
      const Candidate candidate = around(*cover);
      const bool whole = candidate.stretch.first <= cover->first && candidate.stretch.last >= cover->last;
      const bool better =
          !best || whole > best_whole ||
          (whole == best_whole &&
           (candidate.mentions > best->mentions ||
            (candidate.mentions == best->mentions && !bad_end(candidate.stretch.last) && bad_end(best->stretch.last))));
      if (!better) continue;
      best = candidate;
      best_whole = whole;
    }
    return best ? best->stretch : opening();
  }

  // ---- fragments

  struct Fragment {
    Stretch stretch;
    int64_t length, mentions;
    bool used = false;  // shown, or overlapping what is
  };

  // The part of a cover that begins at its first mention and has at most max_words; it ends at a mention where it was cut.
  Fragment first_part(Stretch cover) const {
    while (cover.first < cover.last && !interesting(cover.first)) cover.first++;
    Fragment out{cover, 0, 0};
    int64_t i = cover.first;
    for (; i <= cover.last && out.length < options_.max_words; i++) {
      out.length += counts(i);
      out.mentions += interesting(i);
    }
    if (cover.last <= i) return out;
    for (; i >= cover.first; i--) {
      out.stretch.last = i;
      if (interesting(i)) break;
      out.length -= counts(i);
    }
    return out;
  }

  std::vector<Fragment> fragments() const {
    std::vector<Fragment> all;
    for (std::optional<Stretch> cover = next_cover(0); cover; cover = next_cover(cover->first + 1)) {
      for (Stretch rest = *cover; rest.first <= rest.last; rest.first = all.back().stretch.last + 1) {
        note_work(32);
        all.push_back(first_part(rest));
      }
    }
    return all;
  }

  // More words at both sides while there is room and nothing is shown yet.
  void stretch_out(Fragment& f) const {
    if (f.length >= options_.max_words) return;
    const int64_t most = (options_.max_words - f.length) / 2;
    int64_t first = f.stretch.first, added = 0;
    for (int64_t i = f.stretch.first - 1; i >= 0 && added < most && !word(i).shown; i--) {
      f.length += counts(i);
      added += counts(i);
      first = i;
    }
    for (; first < f.stretch.first && bad_end(first); first++) f.length -= counts(first);
    f.stretch.first = first;
    int64_t last = f.stretch.last;
    for (int64_t i = f.stretch.last + 1; i < size_ && f.length < options_.max_words && !word(i).shown; i++) {
      f.length += counts(i);
      last = i;
    }
    for (; last > f.stretch.last && bad_end(last); last--) f.length -= counts(last);
    f.stretch.last = last;
  }

  void choose_fragments() {
    std::vector<Fragment> all = fragments();
    int32_t chosen = 0;
    for (; chosen < options_.max_fragments; chosen++) {
      Fragment* best = nullptr;
      for (Fragment& f : all) {
        note_work(4);
        if (f.used) continue;
        const bool better =
            best == nullptr ? f.mentions > 0 || f.length < INT_MAX
                            : f.mentions > best->mentions || (f.mentions == best->mentions && f.length < best->length);
        if (better) best = &f;
      }
      if (best == nullptr) break;
      stretch_out(*best);
      show(best->stretch);
      for (Fragment& f : all) {
        const Stretch &a = f.stretch, &b = best->stretch;
        f.used = f.used || (a.first <= b.last && a.last >= b.first);
      }
    }
    if (chosen == 0) show(opening());
  }

  void show(const Stretch& stretch) {
    for (int64_t i = stretch.first; i <= stretch.last; i++) {
      HeadlineWord& w = words_[static_cast<size_t>(i)];
      w.selected = w.selected || w.node != HeadlineWord::kNoNode;
      if (!options_.highlight_all && w.type == TokenType::kTag) {
        w.blank = true;
      } else if (is_compound(w.type)) {
        w.hidden = true;
      }
      w.shown = !w.repeated;
    }
  }

  std::vector<HeadlineWord>& words_;
  const QueryTree& query_;
  const HeadlineOptions& options_;
  const int64_t size_;
};

}  // namespace

void choose_headline(HeadlineText& text, const HeadlineOptions& options) { HeadlineChooser(text, options).choose(); }

}  // namespace indigo::types
