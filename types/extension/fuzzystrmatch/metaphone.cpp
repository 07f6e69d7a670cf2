#include "types/extension/fuzzystrmatch/fuzzystrmatch.h"
#include "types/text/ascii.h"

namespace indigo::types::fuzzystrmatch {

namespace {

bool one_of(char c, std::string_view letters) { return c != 0 && letters.find(c) != std::string_view::npos; }
bool is_vowel(char c) { return one_of(c, "AEIOU"); }
// Makes a C or G before it soft.
bool is_front_vowel(char c) { return one_of(c, "EIY"); }

constexpr char kSh = 'X', kTh = '0';

class Word {
 public:
  explicit Word(Str text) : text_(to_upper(text)) {}

  std::string sounds(size_t most) {
    while (at_ < text_.size() && !is_alpha(text_[at_])) at_++;
    if (at_ == text_.size()) return {};
    begin();
    for (; at_ < text_.size() && out_.size() < most; at_++) {
      const char c = text_[at_];
      if (is_alpha(c) && (c != ahead(-1) || c == 'C')) letter(c);
    }
    if (out_.size() > most) out_.resize(most);
    return std::move(out_);
  }

 private:
  // The letter so far from this one; 0 beyond an end.
  char ahead(int by) const {
    if (by < 0 && static_cast<size_t>(-by) > at_) return 0;
    const size_t at = at_ + static_cast<size_t>(by);
    return at < text_.size() ? text_[at] : 0;
  }
  // The sound of this letter and of some that follow.
  void put(char sound, size_t following = 0) {
    out_ += sound;
    at_ += following;
  }

  // Some words begin with letters that are not spoken.
  void begin() {
    const char next = ahead(1);
    switch (text_[at_]) {
      case 'A': next == 'E' ? put('E', 2) : put('A', 1); break;
      case 'G':
      case 'K':
      case 'P':
        if (next == 'N') put('N', 2);
        break;
      case 'X': put('S', 1); break;
      case 'E':
      case 'I':
      case 'O':
      case 'U': put(text_[at_], 1); break;
      case 'W':
        if (next == 'R' || next == 'H') {
          put(next, 2);
        } else if (is_vowel(next)) {
          put('W', 2);
        }
        break;
      default: break;
    }
  }

  void letter(char c) {
    const char next = ahead(1), last = ahead(-1);
    switch (c) {
      case 'B':
        if (last != 'M') put('B');
        break;
      case 'C': letter_c(); break;
      case 'D': next == 'G' && is_front_vowel(ahead(2)) ? put('J', 1) : put('T'); break;
      case 'G': letter_g(); break;
      case 'H':
        if (is_vowel(next) && !one_of(last, "CGPST")) put('H');
        break;
      case 'K':
        if (last != 'C') put('K');
        break;
      case 'P': put(next == 'H' ? 'F' : 'P'); break;
      case 'Q': put('K'); break;
      case 'S': letter_s(); break;
      case 'T':
        if (next == 'I' && one_of(ahead(2), "OA")) {
          put(kSh);
        } else if (next == 'H') {
          put(kTh, 1);
        } else {
          put('T');
        }
        break;
      case 'V': put('F'); break;
      case 'W':
      case 'Y':
        if (is_vowel(next)) put(c);
        break;
      case 'X': out_ += "KS"; break;
      case 'Z': put('S'); break;
      case 'F':
      case 'J':
      case 'L':
      case 'M':
      case 'N':
      case 'R': put(c); break;
      default: break;  // a vowel but for the first one
    }
  }

  void letter_c() {
    const char next = ahead(1), last = ahead(-1);
    if (is_front_vowel(next)) {
      if (next == 'I' && ahead(2) == 'A') {
        put(kSh);
      } else if (last != 'S') {
        put('S');
      }
    } else if (next == 'H') {
      put(ahead(2) == 'R' || last == 'S' ? 'K' : kSh, 1);
    } else {
      put('K');
    }
  }

  void letter_g() {
    const char next = ahead(1);
    if (next == 'H') {
      if (!one_of(ahead(-3), "BDH") && ahead(-4) != 'H') put('F', 1);
    } else if (next == 'N') {
      const bool silent = !is_alpha(ahead(2)) || (ahead(2) == 'E' && ahead(3) == 'D');
      if (!silent) put('K');
    } else {
      put(is_front_vowel(next) && ahead(-1) != 'G' ? 'J' : 'K');
    }
  }

  void letter_s() {
    const char next = ahead(1);
    if (next == 'I' && one_of(ahead(2), "OA")) {
      put(kSh);
    } else if (next == 'H') {
      put(kSh, 1);
    } else if (next == 'C' && ahead(2) == 'H' && ahead(3) == 'W') {
      put(kSh, 2);
    } else {
      put('S');
    }
  }

  const std::string text_;
  size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string metaphone(Str text, size_t most) { return Word(text).sounds(most); }

}  // namespace indigo::types::fuzzystrmatch
