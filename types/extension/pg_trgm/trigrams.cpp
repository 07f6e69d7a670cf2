#include "types/extension/pg_trgm/trigrams.h"

#include <algorithm>

#include "base/fiber/long_work.h"
#include "types/text/ascii.h"

namespace indigo::types::trgm {

std::string text_of(Trigram trigram) {
  return {static_cast<char>(trigram >> 16), static_cast<char>(trigram >> 8), static_cast<char>(trigram)};
}

std::vector<Place> places_of(Str text) {
  constexpr uint64_t kUnitsOfPlace = 8;
  std::vector<Place> out;
  for (size_t at = 0; at < text.size();) {
    if (!is_alnum(text[at])) {
      at++;
      continue;
    }
    const size_t first = out.size();
    constexpr Trigram kBlank = ' ', kThree = 0xffffff;
    Trigram last = kBlank << 8 | kBlank;
    const auto put = [&](Trigram c) {
      note_work(kUnitsOfPlace);
      out.push_back({last = (last << 8 | c) & kThree});
    };
    for (; at < text.size() && is_alnum(text[at]); at++) put(static_cast<uint8_t>(ascii_lower(text[at])));
    put(kBlank);
    out[first].begins_word = true;
    out.back().ends_word = true;
  }
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
  Extent(const std::vector<Trigram>& wanted, const std::vector<Place>& places, bool words)
      : wanted_(wanted.size()), places_(places), words_(words), begun_(words) {
    const std::vector<Trigram> kinds = sorted_once(places);
    for (const Place& p : places)
      kind_.push_back(std::lower_bound(kinds.begin(), kinds.end(), p.trigram) - kinds.begin());
    for (const Trigram t : kinds) is_wanted_.push_back(std::binary_search(wanted.begin(), wanted.end(), t));
    last_.assign(kinds.size(), kNowhere);
  }

  float best() {
    float best = 0;
    for (size_t at = 0; at < places_.size(); at++) {
      const size_t kind = kind_[at];
      if (begun_ || is_wanted_[kind]) {
        if (last_[kind] == kNowhere) {
          different_++;
          common_ += is_wanted_[kind];
        }
        last_[kind] = at;
      }
      if (words_ ? !places_[at].ends_word : !is_wanted_[kind]) continue;
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
        common -= is_wanted_[kind_[at]];
      }
    }
    for (size_t at = before; at < begin_; at++) {
      if (last_[kind_[at]] == at) last_[kind_[at]] = kNowhere;
    }
    return best;
  }

  const size_t wanted_;
  const std::vector<Place>& places_;
  const bool words_;
  bool begun_;
  size_t begin_ = 0, common_ = 0, different_ = 0;
  std::vector<size_t> kind_;     // by place
  std::vector<bool> is_wanted_;  // by kind
  std::vector<size_t> last_;     // by kind: its last place in the extent
};

}  // namespace

std::vector<Trigram> set_of(Str text) { return sorted_once(places_of(text)); }

float similarity(Str a, Str b) {
  const std::vector<Trigram> left = set_of(a), right = set_of(b);
  if (left.empty() || right.empty()) return 0;
  size_t common = 0;
  for (auto l = left.begin(), r = right.begin(); l != left.end() && r != right.end();) {
    if (*l == *r) {
      common++, l++, r++;
    } else {
      *l < *r ? l++ : r++;
    }
  }
  return shared(common, left.size(), right.size());
}

float word_similarity(Str part, Str whole, bool words) {
  const std::vector<Trigram> wanted = set_of(part);
  const std::vector<Place> places = places_of(whole);
  if (wanted.empty() || places.empty()) return 0;
  return Extent(wanted, places, words).best();
}

}  // namespace indigo::types::trgm
