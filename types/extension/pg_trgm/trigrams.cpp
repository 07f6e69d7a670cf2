#include "types/extension/pg_trgm/trigrams.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/fiber/long_work.h"
#include "types/text/ascii.h"

namespace indigo::types::trgm {

std::string text_of(Trigram trigram) {
  return {static_cast<char>(trigram >> 16), static_cast<char>(trigram >> 8), static_cast<char>(trigram)};
}

namespace {

// put(trigram, begins a word, ends one), in the order of the text.
template <class Put>
void for_each_trigram(Str text, const Put& put) {
  constexpr uint64_t kUnits = 8;
  constexpr Trigram kBlank = ' ', kThree = 0xffffff;
  for (size_t at = 0; at < text.size();) {
    if (!is_alnum(text[at])) {
      at++;
      continue;
    }
    Trigram last = kBlank << 8 | kBlank;
    const size_t begin = at;
    for (; at < text.size() && is_alnum(text[at]); at++) {
      note_work(kUnits);
      last = (last << 8 | static_cast<uint8_t>(ascii_lower(text[at]))) & kThree;
      put(last, at == begin, false);
    }
    put((last << 8 | kBlank) & kThree, false, true);
  }
}
// A word has one more than it has letters, and something stands between words.
size_t most_trigrams(Str text) { return text.size() + 1; }

// Gives trigrams numbers, from 0 and in the order in which they come first: an open table of hashes, which lies on the stack where
// texts are short.
class Numbering {
 public:
  explicit Numbering(size_t most_trigrams) : bits_(std::bit_width(std::min(2 * most_trigrams, kMost))) {
    if ((size_t{1} << bits_) > kShort) long_.resize(size_t{1} << bits_);
    places_ = long_.empty() ? short_.data() : long_.data();
    std::fill_n(places_, size_t{1} << bits_, Numbered{kFree, 0});
  }
  Numbering(const Numbering&) = delete;
  Numbering& operator=(const Numbering&) = delete;

  uint32_t operator()(Trigram trigram) {
    constexpr uint32_t kSpread = 0x9e3779b1;
    for (size_t at = trigram * kSpread >> (32 - bits_);; at = (at + 1) & ((size_t{1} << bits_) - 1)) {
      Numbered& n = places_[at];
      if (n.trigram == trigram) return n.number;
      if (n.trigram == kFree) return (n = {trigram, count_++}).number;
    }
  }
  uint32_t count() const { return count_; }

 private:
  static constexpr size_t kShort = 512, kMost = (size_t{1} << 25) - 1;  // places; there are 2^24 trigrams
  static constexpr Trigram kFree = UINT32_MAX;
  struct Numbered {
    Trigram trigram;
    uint32_t number;
  };

  const int bits_;
  uint32_t count_ = 0;
  std::array<Numbered, kShort> short_;
  std::vector<Numbered> long_;
  Numbered* places_;
};

}  // namespace

std::vector<Place> places_of(Str text) {
  std::vector<Place> out;
  for_each_trigram(text, [&](Trigram t, bool begins, bool ends) { out.push_back({t, begins, ends}); });
  return out;
}

namespace {

std::vector<Trigram> sorted_once(const std::vector<Place>& places) {
  std::vector<Trigram> out;
  out.reserve(places.size());
  for (const Place& p : places) out.push_back(p.trigram);
  std::sort(out.begin(), out.end(), [](Trigram a, Trigram b) {
    note_work(2);
    return a < b;
  });
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

float shared(size_t common, size_t left, size_t right) {
  return static_cast<float>(common) / static_cast<float>(left + right - common);
}

// The extent of a text that is most like a set of trigrams. It grows trigram by trigram; wherever it could end, its begin
// moves to where the extent is most like the set. What lies before the begin is never looked at again, so that the extent is
// found that PostgreSQL finds, if not always the best of all.
class Extent {
 public:
  Extent(Str part, Str whole, bool words) : places_(places_of(whole)), words_(words), begun_(words) {
    Numbering kind(most_trigrams(part) + places_.size());
    for_each_trigram(part, [&](Trigram t, bool, bool) { kind(t); });
    wanted_ = kind.count();
    kind_.reserve(places_.size());
    for (const Place& p : places_) kind_.push_back(kind(p.trigram));
    last_.assign(kind.count(), kNowhere);
  }
  bool has_none() const { return wanted_ == 0 || places_.empty(); }

  float best() {
    float best = 0;
    for (size_t at = 0; at < places_.size(); at++) {
      const size_t kind = kind_[at];
      if (begun_ || is_wanted(kind)) {
        if (last_[kind] == kNowhere) {
          different_++;
          common_ += is_wanted(kind) ? 1 : 0;
        }
        last_[kind] = at;
      }
      if (words_ ? !places_[at].ends_word : !is_wanted(kind)) continue;
      if (!begun_) {
        begun_ = true;
        begin_ = at;
        different_ = 1;
      }
      best = std::max(best, with_best_begin(at));
    }
    return best;
  }

 private:
  static constexpr size_t kNowhere = SIZE_MAX;

  bool is_wanted(size_t kind) const { return kind < wanted_; }
  // Moves the begin of the extent that ends with `end`.
  float with_best_begin(size_t end) {
    float best = shared(common_, wanted_, different_);
    size_t common = common_, different = different_;
    const size_t before = begin_;
    note_work((end - before + 1) * 4);
    for (size_t at = before; at <= end; at++) {
      if (!words_ || places_[at].begins_word) {
        const float here = shared(common, wanted_, different);
        if (here > best) {
          best = here;
          begin_ = at;
          common_ = common;
          different_ = different;
        }
      }
      if (last_[kind_[at]] == at) {
        different--;
        common -= is_wanted(kind_[at]) ? 1 : 0;
      }
    }
    for (size_t at = before; at < begin_; at++) {
      if (last_[kind_[at]] == at) last_[kind_[at]] = kNowhere;
    }
    return best;
  }

  const std::vector<Place> places_;
  size_t wanted_ = 0;  // how many kinds: they have the first numbers
  const bool words_;
  bool begun_;
  size_t begin_ = 0, common_ = 0, different_ = 0;
  std::vector<uint32_t> kind_;  // by place
  std::vector<size_t> last_;    // by kind: its last place in the extent
};

}  // namespace

std::vector<Trigram> set_of(Str text) { return sorted_once(places_of(text)); }

float similarity(Str a, Str b) {
  Numbering number(most_trigrams(a) + most_trigrams(b));
  for_each_trigram(a, [&](Trigram t, bool, bool) { number(t); });
  const uint32_t left = number.count();
  std::vector<bool> met(left);
  uint32_t common = 0;
  for_each_trigram(b, [&](Trigram t, bool, bool) {
    const uint32_t n = number(t);
    if (n >= left || met[n]) return;
    met[n] = true;
    common++;
  });
  const uint32_t right = number.count() - left + common;
  return left == 0 || right == 0 ? 0 : shared(common, left, right);
}

float word_similarity(Str part, Str whole, bool words) {
  Extent extent(part, whole, words);
  return extent.has_none() ? 0 : extent.best();
}

}  // namespace indigo::types::trgm
