// Double Metaphone (L. Philips: The Double Metaphone Search Algorithm, 2000): two codes, the second of another reading of
// names that are not English. Bytes above 127 have no sound, but for C with cedilla and N with tilde in Latin-1, and what
// has the same first byte in UTF-8.
#include <algorithm>
#include <initializer_list>

#include "types/extension/fuzzystrmatch/fuzzystrmatch.h"
#include "types/text/ascii.h"

namespace indigo::types::fuzzystrmatch {

namespace {

constexpr size_t kCodeLetters = 4;

// What both codes get for some letters.
struct Sounded {
  std::string_view first, second;
  int letters;
};
constexpr Sounded same(std::string_view sound, int letters) { return {sound, sound, letters}; }
constexpr Sounded silent(int letters) { return {{}, {}, letters}; }

class Name {
 public:
  explicit Name(Str text) : length_(static_cast<int>(text.size())), text_(to_upper(text) + "     ") {
    is_slavic_or_germanic_ = text_.find_first_of("WK") != std::string::npos || text_.find("CZ") != std::string::npos;
  }

  DoubleCode codes() {
    DoubleCode out;
    if (begins({"GN", "KN", "PN", "WR", "PS"})) at_ = 1;
    if (begins({"X"})) {  // Xavier
      add(same("S", 1), out);
    }
    while (at_ < length_ && (out.first.size() < kCodeLetters || out.second.size() < kCodeLetters)) add(sound(), out);
    if (out.first.size() > kCodeLetters) out.first.resize(kCodeLetters);
    if (out.second.size() > kCodeLetters) out.second.resize(kCodeLetters);
    return out;
  }

 private:
  using Words = std::initializer_list<std::string_view>;

  void add(const Sounded& s, DoubleCode& out) {
    out.first += s.first;
    out.second += s.second;
    at_ += s.letters;
  }

  // Whether one of these stands so far from the letter; before the beginning nothing does.
  bool near(int by, Words words) const { return stands(at_ + by, words); }
  bool begins(Words words) const { return stands(0, words); }
  bool stands(int place, Words words) const {
    if (place < 0) return false;
    const auto rest = std::string_view(text_).substr(std::min(static_cast<size_t>(place), text_.size()));
    for (const std::string_view word : words) {
      if (rest.starts_with(word)) return true;
    }
    return false;
  }
  char letter(int by) const {
    const int place = at_ + by;
    return place < 0 || static_cast<size_t>(place) >= text_.size() ? '\0' : text_[static_cast<size_t>(place)];
  }
  bool is_vowel(int by) const { return near(by, {"A", "E", "I", "O", "U", "Y"}); }
  bool is_first() const { return at_ == 0; }
  bool is_last() const { return at_ == length_ - 1; }
  bool is_german() const { return begins({"VAN ", "VON ", "SCH"}); }
  // A letter that may be doubled.
  Sounded once(std::string_view first, std::string_view second) const {
    return {first, second, letter(1) == letter(0) ? 2 : 1};
  }
  Sounded once(std::string_view code) const { return once(code, code); }

  Sounded sound() const {
    switch (letter(0)) {
      case 'A':
      case 'E':
      case 'I':
      case 'O':
      case 'U':
      case 'Y': return is_first() ? same("A", 1) : silent(1);
      case 'B': return once("P");
      case 'C': return sound_of_c();
      case '\xc7': return same("S", 1);
      case 'D': return sound_of_d();
      case 'F': return once("F");
      case 'G': return sound_of_g();
      case 'H': return (is_first() || is_vowel(-1)) && is_vowel(1) ? same("H", 2) : silent(1);
      case 'J': return sound_of_j();
      case 'K': return once("K");
      case 'L': return sound_of_l();
      case 'M': {
        const bool ends_in_b = near(-1, {"UMB"}) && (at_ + 2 == length_ || near(2, {"ER"}));  // dumb, number
        return same("M", ends_in_b || letter(1) == 'M' ? 2 : 1);
      }
      case 'N': return once("N");
      case '\xd1': return same("N", 1);
      case 'P':
        if (letter(1) == 'H') return same("F", 2);
        return same("P", near(1, {"P", "B"}) ? 2 : 1);  // Campbell
      case 'Q': return once("K");
      case 'R': {
        const bool french = is_last() && !is_slavic_or_germanic_ && near(-2, {"IE"}) && !near(-4, {"ME", "MA"});
        return once(french ? "" : "R", "R");  // Rogier
      }
      case 'S': return sound_of_s();
      case 'T': return sound_of_t();
      case 'V': return once("F");
      case 'W': return sound_of_w();
      case 'X': {
        const bool french = is_last() && near(-2, {"AU", "OU"});  // Breaux
        return {french ? "" : "KS", french ? "" : "KS", near(1, {"C", "X"}) ? 2 : 1};
      }
      case 'Z': {
        if (letter(1) == 'H') return same("J", 2);  // Zhao
        const bool slavic = is_slavic_or_germanic_ && !is_first() && letter(-1) != 'T';
        return once("S", slavic || near(1, {"ZO", "ZI", "ZA"}) ? "TS" : "S");
      }
      default: return silent(1);
    }
  }

  Sounded sound_of_c() const {
    const bool german_ach = at_ > 1 && !is_vowel(-2) && near(-1, {"ACH"}) && letter(2) != 'I' &&
                            (letter(2) != 'E' || near(-2, {"BACHER", "MACHER"}));
    if (german_ach) return same("K", 2);
    if (is_first() && near(0, {"CAESAR"})) return same("S", 2);
    if (near(0, {"CHIA"})) return same("K", 2);  // Chianti
    if (letter(1) == 'H') return sound_of_ch();
    if (letter(1) == 'Z' && !near(-2, {"WICZ"})) return {"S", "X", 2};        // Czerny
    if (near(1, {"CIA"})) return same("X", 3);                                // focaccia
    if (letter(1) == 'C' && !(at_ == 1 && begins({"M"}))) {                   // but not McClellan
      if (!near(2, {"I", "E", "H"}) || near(2, {"HU"})) return same("K", 2);  // Bacchus
      const bool latin = (at_ == 1 && begins({"A"})) || near(-1, {"UCCEE", "UCCES"});
      return same(latin ? "KS" : "X", 3);  // accident, Bertucci
    }
    if (near(1, {"K", "G", "Q"})) return same("K", 2);
    if (near(1, {"I", "E", "Y"})) return {"S", near(1, {"IO", "IE", "IA"}) ? "X" : "S", 2};
    if (near(1, {" C", " Q", " G"})) return same("K", 3);  // Mac Gregor
    return same("K", near(1, {"C", "K", "Q"}) && !near(1, {"CE", "CI"}) ? 2 : 1);
  }

  Sounded sound_of_ch() const {
    if (!is_first() && near(2, {"AE"})) return {"K", "X", 2};  // Michael
    const bool greek = is_first() && near(2, {"ARAC", "ARIS", "OR", "YM", "IA", "EM"}) && !begins({"CHORE"});
    if (greek) return same("K", 2);
    const bool after_vowel = is_first() || near(-1, {"A", "O", "U", "E"});
    if (is_german() || near(-2, {"ORCHES", "ARCHIT", "ORCHID"}) || near(2, {"T", "S"}) ||
        (after_vowel && near(2, {"L", "R", "N", "M", "B", "H", "F", "V", "W", " "}))) {  // Wechsler
      return same("K", 2);
    }
    if (is_first()) return same("X", 2);
    return {begins({"MC"}) ? "K" : "X", "K", 2};  // McHugh
  }

  Sounded sound_of_d() const {
    if (letter(1) == 'G') return near(2, {"I", "E", "Y"}) ? same("J", 3) : same("TK", 2);  // edge, Edgar
    return same("T", near(1, {"T", "D"}) ? 2 : 1);
  }

  Sounded sound_of_g() const {
    const char next = letter(1);
    if (next == 'H') return sound_of_gh();
    if (next == 'N') {
      if (is_slavic_or_germanic_) return same("KN", 2);
      if (at_ == 1 && is_vowel(-1)) return {"KN", "N", 2};
      return near(2, {"EY"}) ? same("KN", 2) : Sounded{"N", "KN", 2};  // Cagney
    }
    if (near(1, {"LI"}) && !is_slavic_or_germanic_) return {"KL", "L", 2};  // Tagliaro
    if (is_first() && near(1, {"Y", "ES", "EP", "EB", "EL", "EY", "IB", "IL", "IN", "IE", "EI", "ER"}))
      return {"K", "J", 2};
    if (near(1, {"ER", "Y"}) && !begins({"DANGER", "RANGER", "MANGER"}) && !near(-1, {"E", "I", "RGY", "OGY"}))
      return {"K", "J", 2};
    if (near(1, {"E", "I", "Y"}) || near(-1, {"AGGI", "OGGI"})) {  // Biaggi
      if (is_german() || near(1, {"ET"})) return same("K", 2);
      return {"J", near(1, {"IER "}) ? "J" : "K", 2};
    }
    return once("K");
  }

  Sounded sound_of_gh() const {
    if (is_first()) return same(letter(2) == 'I' ? "J" : "K", 2);  // Ghiradelli
    if (!is_vowel(-1)) return same("K", 2);
    // Parker's rule: Hugh, bough, Broughton
    if (near(-2, {"B", "H", "D"}) || near(-3, {"B", "H", "D"}) || near(-4, {"B", "H"})) return silent(2);
    if (letter(-1) == 'U' && near(-3, {"C", "G", "L", "R", "T"})) return same("F", 2);  // laugh, cough
    return letter(-1) == 'I' ? silent(2) : same("K", 2);
  }

  Sounded sound_of_j() const {
    const bool of_saint = begins({"SAN "});  // San Jacinto
    if (of_saint || near(0, {"JOSE"})) return {of_saint || (is_first() && letter(4) == ' ') ? "H" : "J", "H", 1};
    if (is_first()) return once("J", "A");                                                      // Jankelowicz
    if (is_vowel(-1) && !is_slavic_or_germanic_ && near(1, {"A", "O"})) return once("J", "H");  // bajador
    if (is_last()) return once("J", "");
    const bool joined = near(1, {"L", "T", "K", "S", "N", "M", "B", "Z"}) || near(-1, {"S", "K", "L"});
    return once(joined ? "" : "J");
  }

  Sounded sound_of_l() const {
    const bool ends_spanish = stands(length_ - 2, {"AS", "OS"}) || stands(length_ - 1, {"A", "O"});
    const bool spanish = (at_ == length_ - 3 && near(-1, {"ILLO", "ILLA", "ALLE"})) ||
                         (ends_spanish && near(-1, {"ALLE"}));  // Cabrillo, Gallegos
    return once("L", letter(1) == 'L' && spanish ? "" : "L");
  }

  Sounded sound_of_s() const {
    if (near(-1, {"ISL", "YSL"})) return silent(1);  // island
    if (is_first() && near(0, {"SUGAR"})) return {"X", "S", 1};
    if (letter(1) == 'H') return same(near(2, {"EIM", "OEK", "OLM", "OLZ"}) ? "S" : "X", 2);
    if (near(1, {"IO", "IA"})) return {"S", is_slavic_or_germanic_ ? "S" : "X", 3};
    if (letter(1) == 'Z') return {"S", "X", 2};
    if (is_first() && near(1, {"M", "N", "L", "W"})) return {"S", "X", 1};  // Smith as Schmidt
    if (letter(1) == 'C') return sound_of_sc();
    const bool french = is_last() && near(-2, {"AI", "OI"});  // Artois
    return {french ? "" : "S", "S", near(1, {"S"}) ? 2 : 1};
  }

  Sounded sound_of_sc() const {
    if (letter(2) != 'H') return same(near(2, {"I", "E", "Y"}) ? "S" : "SK", 3);
    if (near(3, {"ER", "EN"})) return {"X", "SK", 3};             // Schenker
    if (near(3, {"OO", "UY", "ED", "EM"})) return same("SK", 3);  // school
    return {"X", is_first() && !is_vowel(3) && letter(3) != 'W' ? "S" : "X", 3};
  }

  Sounded sound_of_t() const {
    if (near(1, {"ION", "IA", "CH"})) return same("X", 3);
    if (near(1, {"H", "TH"})) {
      const bool hard = near(2, {"OM", "AM"}) || is_german();  // Thomas
      return {hard ? "T" : "0", "T", 2};
    }
    return same("T", near(1, {"T", "D"}) ? 2 : 1);
  }

  Sounded sound_of_w() const {
    if (letter(1) == 'R') return same("R", 2);
    const bool polish = near(1, {"ICZ", "ITZ"});  // Filipowicz
    if (is_first()) {
      if (polish) return {"ATS", "FFX", 4};
      if (is_vowel(1)) return {"A", "F", 1};  // Wasserman
      return letter(1) == 'H' ? same("A", 1) : silent(1);
    }
    const bool as_f = (is_last() && is_vowel(-1)) || near(-1, {"EWSKI", "EWSKY", "OWSKI", "OWSKY"}) || begins({"SCH"});
    if (as_f) return {"", "F", 1};  // Arnow
    return polish ? Sounded{"TS", "FX", 4} : silent(1);
  }

  const int length_;        // of the name alone
  const std::string text_;  // in capitals, with blanks behind it
  bool is_slavic_or_germanic_ = false;
  int at_ = 0;
};

}  // namespace

DoubleCode double_metaphone(Str text) { return Name(text).codes(); }

}  // namespace indigo::types::fuzzystrmatch
