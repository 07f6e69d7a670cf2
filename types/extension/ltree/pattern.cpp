// lquery.
#include <algorithm>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/extension/ltree/ltree.h"

namespace indigo::types::ltree {

namespace {

class PatternReader {
 public:
  PatternReader(FuncContext& context, Str text) : context_(context), text_(text) {}

  std::optional<Pattern> read() {
    const auto dots = static_cast<size_t>(std::count(text_.begin(), text_.end(), '.'));
    if (dots + 1 > kMostLabels) {
      return refuse(Error(sqlstate::kProgramLimitExceeded, "number of lquery items (" + std::to_string(dots + 1) +
                                                               ") exceeds the maximum allowed (" +
                                                               std::to_string(kMostLabels) + ")"));
    }
    do {
      if (!item()) return std::nullopt;
    } while (take('.'));
    if (at_ < text_.size()) return unexpected();
    return std::move(pattern_);
  }

 private:
  std::nullopt_t refuse(Error error) {
    context_.fail(std::move(error));
    return std::nullopt;
  }
  std::nullopt_t unexpected() {
    if (at_ < text_.size()) return refuse(at_character(position()));
    return refuse(because("Unexpected end of input."));
  }
  static Error at_character(size_t at) {
    return {sqlstate::kSyntaxError, "lquery syntax error at character " + std::to_string(at)};
  }
  static Error because(std::string detail) {
    return Error(sqlstate::kSyntaxError, "lquery syntax error").with_detail(std::move(detail));
  }

  size_t position() const { return at_ + 1; }
  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool take(char c) {
    if (!next_is(c)) return false;
    at_++;
    return true;
  }

  bool item() {
    Item& item = pattern_.emplace_back();
    if (take('*')) {
      item.least = 0;
      item.most = kMostLabels;
    } else {
      item.negated = take('!');
      if (!item.negated && !(at_ < text_.size() && is_label_character(text_[at_]))) return unexpected(), false;
      do {
        if (!item.words.empty() && !(at_ < text_.size() && is_label_character(text_[at_]))) return unexpected(), false;
        if (item.words.size() == kMostLabels) return too_many_words(), false;
        if (!word(item.words.emplace_back())) return false;
      } while (take('|'));
    }
    if (take('{')) {
      item.counted = true;
      return count(item);
    }
    if (at_ < text_.size() && text_[at_] != '.') return unexpected(), false;
    return true;
  }

  void too_many_words() {
    refuse(Error(sqlstate::kProgramLimitExceeded, "lquery level has too many variants")
               .with_detail("Number of variants exceeds the maximum allowed (" + std::to_string(kMostLabels) + ")."));
  }

  bool word(Word& word) {
    const size_t begin = at_;
    while (at_ < text_.size() && is_label_character(text_[at_])) at_++;
    const size_t length = at_ - begin;
    for (;; at_++) {
      if (next_is('@')) {
        word.any_case = true;
      } else if (next_is('*')) {
        word.beginning = true;
      } else if (next_is('%')) {
        word.by_words = true;
      } else {
        break;
      }
    }
    const bool ends = at_ >= text_.size() || text_[at_] == '|' || text_[at_] == '{' || text_[at_] == '.';
    if (!ends) return unexpected(), false;
    if (length == 0) {
      refuse(at_character(begin + 1).with_detail("Empty labels are not allowed."));
      return false;
    }
    if (length > kMostLabelBytes) {
      refuse(too_long(length, begin + length + 1));
      return false;
    }
    word.text = text_.substr(begin, length);
    return true;
  }

  // Digits; fails above the maximum.
  bool number(const char* limit, size_t& out, size_t& at) {
    at = position();
    uint64_t value = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9')
      value = std::min<uint64_t>(value * 10 + static_cast<uint64_t>(text_[at_++] - '0'), INT32_MAX);
    if (value > kMostLabels) {
      refuse(Error(sqlstate::kProgramLimitExceeded, "lquery syntax error")
                 .with_detail(std::string(limit) + " limit (" + std::to_string(value) +
                              ") exceeds the maximum allowed (" + std::to_string(kMostLabels) + "), at character " +
                              std::to_string(at) + "."));
      return false;
    }
    out = value;
    return true;
  }
  bool at_digit() const { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; }

  // {n}, {n,}, {,m}, {n,m}
  bool count(Item& item) {
    size_t at = 0;
    item.least = 0;
    if (at_digit()) {
      if (!number("Low", item.least, at)) return false;
      if (take('}')) {
        item.most = item.least;
        return ended();
      }
    }
    if (!take(',')) return unexpected(), false;
    item.most = kMostLabels;
    if (at_digit()) {
      if (!number("High", item.most, at)) return false;
      if (item.least > item.most) {
        refuse(because("Low limit (" + std::to_string(item.least) + ") is greater than high limit (" +
                       std::to_string(item.most) + "), at character " + std::to_string(at) + "."));
        return false;
      }
    }
    return take('}') ? ended() : (unexpected(), false);
  }
  bool ended() { return at_ >= text_.size() || text_[at_] == '.' || (unexpected(), false); }

  FuncContext& context_;
  const Str text_;
  size_t at_ = 0;
  Pattern pattern_;
};

bool takes(const Item& item, Str label) {
  if (item.words.empty()) return true;
  const bool found =
      std::any_of(item.words.begin(), item.words.end(), [&](const Word& w) { return matches(w, label); });
  return found != item.negated;
}

}  // namespace

std::optional<Pattern> read_pattern(FuncContext& context, Str text) { return PatternReader(context, text).read(); }

std::string print(const Pattern& pattern) {
  std::string out;
  for (const Item& item : pattern) {
    if (&item != pattern.data()) out += '.';
    if (item.negated) out += '!';
    if (item.words.empty()) out += '*';
    for (const Word& word : item.words) {
      if (&word != item.words.data()) out += '|';
      print(word, out);
    }
    if (!item.counted && !item.words.empty()) continue;
    const bool open = item.most == kMostLabels;
    if (item.least == item.most) {
      out += '{' + std::to_string(item.least) + '}';
    } else if (item.least == 0 && open) {
      if (!item.words.empty()) out += "{,}";
    } else {
      out += '{' + (item.least == 0 ? "" : std::to_string(item.least)) + ',' + (open ? "" : std::to_string(item.most)) +
             '}';
    }
  }
  return out;
}

// reached[i]: the items so far can take the first i labels.
bool matches(const Pattern& pattern, const std::vector<Str>& labels) {
  std::vector<bool> reached(labels.size() + 1), next;
  reached[0] = true;
  for (const Item& item : pattern) {
    next.assign(reached.size(), false);
    note_work(labels.size());
    // Labels that the item takes in a row, up to here, and where the run of beginnings that are still near enough ends.
    size_t row = 0, last = SIZE_MAX;
    for (size_t i = 0; i <= labels.size(); i++) {
      if (i > 0) row = takes(item, labels[i - 1]) ? row + 1 : 0;
      if (i >= item.least && reached[i - item.least]) last = i - item.least;
      // The newest beginning that leaves at least `least` labels is the best one: a longer row cannot help where it fails.
      next[i] = last != SIZE_MAX && i - last <= item.most && i - last <= row;
    }
    reached.swap(next);
  }
  return reached.back();
}

}  // namespace indigo::types::ltree
